import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// Why nobody listens.
package enum ListenFailure: Error, Hashable, Sendable {
    /// Another program listens there.
    case inUse
    /// This machine does not have the address.
    case notHere
    /// The system does not permit it: a port below 1024.
    case forbidden
    /// Another error of the system, also of a socket that listened already.
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

/// A server that is made to be met by anybody: one request for each connection, bounded in bytes and time, and a bounded number of
/// connections, of which the oldest goes when another one comes. So who opens them and says nothing keeps nobody out. What a request has
/// to be is its handler's.
struct OneRequestServer {
    /// Where it listens.
    enum Place {
        /// At an address; it tells where that is in the end.
        case address(ListenAddress)
        /// On a bound socket, which is closed with the server. `permits` is asked about each connection's descriptor.
        case socket(Int32, permits: @Sendable (Int32) -> Bool)
    }

    let place: Place
    /// Bytes of a request with its head.
    let maxBytes: Int
    /// Connections at a time.
    let maxConnections: Int
    /// From the beginning of a connection to its end.
    let timeLimit: Duration
    /// Makes what reads the request of a connection, on the connection's loop.
    let handler: @Sendable () -> any ChannelInboundHandler

    /// Listens until the task is cancelled; `isListening` is told the port as soon as somebody can connect.
    func run(isListening: @Sendable (Int) -> Void = { _ in }) async throws(ListenFailure) {
        // Everything on one loop, so that nothing needs a lock.
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

/// More bytes than a request may have.
struct TooManyBytes: Error {}

/// Lets so many bytes of a connection pass, before anything is made of them; the rest is read and dropped.
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

/// The one answer of a connection, which ends behind it.
enum OneAnswer {
    /// How long it waits for its reader when the request was not read to its end: closed at once, the connection would be reset and
    /// the answer lost.
    private static let farewell = TimeAmount.milliseconds(500)

    /// Sends it. `isWhole`: whether the request was read to its end.
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

    /// The connection ends then, whatever it is doing.
    static func end(_ channel: any Channel, after time: TimeAmount) {
        let end = channel.eventLoop.scheduleTask(in: time) { channel.close(mode: .all, promise: nil) }
        channel.closeFuture.whenComplete { _ in end.cancel() }
    }
}
