import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// Takes short posts to one path, and nothing else: a server for webhooks, which wake somebody and carry nothing that is believed.
///
/// Made to be met by anybody: one request for each connection, all of it bounded in bytes and time, and a bounded number of
/// connections, of which the oldest goes when another one comes. So who opens them and says nothing keeps nobody out. It has no
/// TLS: that is the proxy's in front of it.
package struct WebhookReceiver: Sendable {
    /// Where it listens, and its bounds.
    package struct Settings: Hashable, Sendable {
        /// Where it listens.
        package var address: ListenAddress
        /// The path and the query that a request has to have, byte by byte.
        package var target: String
        /// Bytes of a request with its head: 12 KiB.
        package var maxBytes = 12 * 1024
        /// Bytes of a request's body: 4 KiB.
        package var maxBodyBytes = 4 * 1024
        /// Connections at a time.
        package var maxConnections = 16
        /// From the beginning of a connection to its end.
        package var timeLimit = Duration.seconds(5)

        /// The documented bounds.
        package init(_ address: ListenAddress, target: String) { (self.address, self.target) = (address, target) }
    }

    /// Why nobody listens.
    package enum Failure: Error, Hashable, Sendable {
        /// Another program listens there.
        case inUse
        /// This machine does not have the address.
        case notHere
        /// The system does not permit it: a port below 1024.
        case forbidden
        /// Another error of the system, also of a socket that listened already.
        case broken
    }

    private let settings: Settings
    private let take: @Sendable ([UInt8]) -> Bool

    /// `take` gets each body and says whether it understands it, which is answered by 200 or 400. It must not block.
    package init(_ settings: Settings, take: @escaping @Sendable ([UInt8]) -> Bool) {
        (self.settings, self.take) = (settings, take)
    }

    /// Listens until the task is cancelled; `isListening` is told where as soon as somebody can connect.
    package func run(isListening: @Sendable (ListenAddress) -> Void = { _ in }) async throws(Failure) {
        // Everything on one loop, so that nothing needs a lock.
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let open = NIOLoopBoundBox.makeBoxSendingValue(OpenConnections(), eventLoop: loop)
        let server: any Channel
        do {
            let address = try SocketAddress(ipAddress: settings.address.host.text, port: settings.address.port)
            server = try await ServerBootstrap(group: loop)
                .serverChannelOption(.backlog, value: 16)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 4096))
                .childChannelInitializer { [settings, take] channel in
                    channel.eventLoop.makeCompletedFuture {
                        open.value.add(channel, limit: settings.maxConnections)
                        channel.closeFuture.whenComplete { _ in open.value.remove(channel) }
                        let pipeline = channel.pipeline.syncOperations
                        try pipeline.addHandler(ByteBudget(settings.maxBytes))
                        try pipeline.addHandler(
                            ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes)))
                        try pipeline.addHandler(HTTPResponseEncoder())
                        try pipeline.addHandler(WebhookRequest(settings, take))
                    }
                }
                .bind(to: address).get()
        } catch {
            throw Self.failure(error)
        }
        isListening(ListenAddress(host: settings.address.host, port: server.localAddress?.port ?? 0))
        await withTaskCancellationHandler {
            try? await server.closeFuture.get()
        } onCancel: {
            server.close(mode: .all, promise: nil)
        }
        try? await loop.submit { open.value.closeAll() }.get()
        if !Task.isCancelled { throw .broken }
    }

    private static func failure(_ error: any Error) -> Failure {
        switch (error as? IOError)?.errnoCode {
        case EADDRINUSE: .inUse
        case EADDRNOTAVAIL, EAFNOSUPPORT: .notHere
        case EACCES, EPERM: .forbidden
        default: .broken
        }
    }
}

/// The connections that there are, the oldest first.
private struct OpenConnections {
    private var channels: [any Channel] = []

    mutating func add(_ channel: any Channel, limit: Int) {
        channels.append(channel)
        if channels.count > limit { channels.removeFirst().close(mode: .all, promise: nil) }
    }

    mutating func remove(_ channel: any Channel) { channels.removeAll { $0 === channel } }

    mutating func closeAll() {
        for channel in channels { channel.close(mode: .all, promise: nil) }
        channels = []
    }
}
