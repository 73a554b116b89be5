import Encoding
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// The reason why the server could not bind or listen.
package enum ListenFailure: Error, Hashable, Sendable {
    /// Another program uses the address and port.
    case inUse
    /// This machine does not have the address.
    case notHere
    /// The system does not permit the address and port, for example a port below 1024.
    case forbidden
    /// The system reported another error, possibly for a socket that was already listening.
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

/// A server that is safe against arbitrary clients. It answers one request for each connection, and limits the bytes,
/// the time and the number of connections. A new connection above the limit closes the oldest connection, so idle
/// connections cannot exclude other clients. The handler determines which requests are valid.
struct OneRequestServer {
    /// The place where the server listens.
    enum Place {
        /// The server listens at the given address. `isListening` is called with the bound port.
        case address(ListenAddress)
        /// The server uses the bound socket with the given descriptor, and closes it at its end. `permits` returns, for
        /// the descriptor of a connection, whether that client may send a request.
        case socket(Int32, permits: @Sendable (Int32) -> Bool)
    }

    let place: Place
    /// The maximum size of a request with its head in bytes.
    let maxBytes: Int
    /// The maximum number of connections at a time.
    let maxConnections: Int
    /// The maximum duration of a connection.
    let timeLimit: Duration
    /// Makes the handler of a connection's request, on the connection's loop.
    let handler: @Sendable () -> any ChannelInboundHandler

    /// Listens until the task is cancelled. `isListening` is called with the port when connections are possible.
    func run(isListening: @Sendable (Int) -> Void = { _ in }) async throws(ListenFailure) {
        // Use one event loop for all connections, so that locks are unnecessary.
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

/// The open connections, the oldest first.
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

/// The request has more bytes than permitted.
struct TooManyBytes: Error {}

/// Passes on the permitted number of bytes of a connection before any byte is parsed. Further bytes are read and
/// dropped.
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

/// The only answer of a connection. The server closes the connection after the answer.
enum OneAnswer {
    /// The time for which the connection stays open after the answer to a partly read request. Closing at once would
    /// reset the connection and lose the answer.
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

    /// Closes the connection after the time `time`, in any state.
    static func end(_ channel: any Channel, after time: TimeAmount) {
        let end = channel.eventLoop.scheduleTask(in: time) { channel.close(mode: .all, promise: nil) }
        channel.closeFuture.whenComplete { _ in end.cancel() }
    }
}
