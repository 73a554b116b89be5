import Encoding
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// Why the server does not listen.
package enum ListenFailure: Error, Hashable, Sendable {
    /// Another program already uses the address and port.
    case inUse
    /// The address does not belong to this machine.
    case notHere
    /// The system does not permit the address and port, for example a port below 1024.
    case forbidden
    /// The system reported another error. The server may have been listening before.
    case broken

    fileprivate init(_ error: any Error) {
        self =
            switch (error as? IOError)?.errnoCode {
            case EADDRINUSE: .inUse
            case EADDRNOTAVAIL, EAFNOSUPPORT: .notHere
            case EACCES, EPERM: .forbidden
            default: .broken
            }
    }
}

/// A server for untrusted clients. It answers one request for each connection, and limits the bytes, the duration and
/// the number of connections. A connection above the largest number closes the oldest, so idle connections cannot lock
/// out other clients. The handler determines which requests are valid.
struct OneRequestServer {
    /// Where the server listens.
    enum Place {
        /// At the given address.
        case address(ListenAddress)
        /// At the bound socket with the given descriptor, which the server closes when it ends. `permits`: returns, for
        /// the descriptor of a connection, whether its client may send a request.
        case socket(Int32, permits: @Sendable (Int32) -> Bool)
    }

    let place: Place
    /// The largest size of a whole request, in bytes.
    let maxBytes: Int
    /// The largest number of connections at the same time.
    let maxConnections: Int
    /// The longest duration of a connection.
    let timeLimit: Duration
    /// Makes the handler for a connection. It is called on the connection's event loop.
    let handler: @Sendable () -> any ChannelInboundHandler

    /// Listens until the task is cancelled. Calls `isListening` with the port as soon as clients can connect.
    func run(isListening: @Sendable (Int) -> Void = { _ in }) async throws(ListenFailure) {
        // All connections use one event loop, so that no locks are needed.
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let open = NIOLoopBoundBox.makeBoxSendingValue(OpenConnections(), eventLoop: loop)
        let server: any Channel
        do {
            let bootstrap = ServerBootstrap(group: loop)
                .serverChannelOption(.backlog, value: 16)
                .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 4096))
                .childChannelInitializer { [maxBytes, maxConnections, timeLimit, handler, place] channel in
                    channel.eventLoop.makeCompletedFuture {
                        let pipeline = channel.pipeline.syncOperations
                        if case .socket(_, let permits) = place {
                            let mayAsk = try pipeline.withUnsafeTransportIfAvailable(
                                of: NIOBSDSocket.Handle.self, permits)
                            guard mayAsk == true else { throw ChannelError.operationUnsupported }
                        }
                        open.value.add(channel, limit: maxConnections)
                        channel.closeFuture.whenComplete { _ in open.value.remove(channel) }
                        OneAnswer.end(channel, after: TimeAmount(timeLimit))
                        try pipeline.addHandler(ByteBudget(maxBytes))
                        try pipeline.addHandler(
                            ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes)))
                        try pipeline.addHandler(HTTPResponseEncoder())
                        try pipeline.addHandler(handler())
                    }
                }
            switch place {
            case .address(let address):
                let bound = try SocketAddress(ipAddress: address.host.text, port: address.port)
                server = try await bootstrap.serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                    .bind(to: bound).get()
            case .socket(let descriptor, _): server = try await bootstrap.withBoundSocket(descriptor).get()
            }
        } catch {
            throw ListenFailure(error)
        }
        isListening(server.localAddress?.port ?? 0)
        await withTaskCancellationHandler {
            try? await server.closeFuture.get()
        } onCancel: {
            server.close(mode: .all, promise: nil)
        }
        try? await loop.submit { open.value.closeAll() }.get()
        if !Task.isCancelled { throw .broken }
    }
}

/// The open connections of a server, the oldest first.
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

/// The error of a request that has more bytes than permitted.
struct TooManyBytes: Error {}

/// Passes on the bytes of a connection up to the permitted number, before any of them is parsed. Further bytes are read
/// and dropped.
private final class ByteBudget: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private var left: Int

    init(_ bytes: Int) { left = bytes }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard left >= 0 else { return }
        left -= unwrapInboundIn(data).readableBytes
        if left < 0 { context.fireErrorCaught(TooManyBytes()) } else { context.fireChannelRead(data) }
    }
}

/// Sends the one answer of a connection, after which the connection is closed.
enum OneAnswer {
    /// How long the connection stays open after the answer to a request that was read only in part. Closing it at once
    /// would reset the connection, and the client would not receive the answer.
    private static let farewell = TimeAmount.milliseconds(500)

    /// Sends the answer. `isWhole`: whether the request was read to its end.
    static func send(
        _ status: HTTPResponseStatus, _ headers: HTTPHeaders, body: [UInt8] = [], on channel: any Channel, isWhole: Bool
    ) {
        var headers = headers
        headers.replaceOrAdd(name: "connection", value: "close")
        let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
        channel.write(HTTPServerResponsePart.head(head), promise: nil)
        if !body.isEmpty {
            channel.write(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(bytes: body))), promise: nil)
        }
        channel.writeAndFlush(HTTPServerResponsePart.end(nil)).whenComplete { _ in
            channel.close(mode: isWhole ? .all : .output, promise: nil)
        }
        if !isWhole { end(channel, after: farewell) }
    }

    /// Closes the connection after the duration `time`, whatever its state.
    static func end(_ channel: any Channel, after time: TimeAmount) {
        let end = channel.eventLoop.scheduleTask(in: time) { channel.close(mode: .all, promise: nil) }
        channel.closeFuture.whenComplete { _ in end.cancel() }
    }
}
