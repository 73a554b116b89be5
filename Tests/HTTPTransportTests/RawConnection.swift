import NIOCore
import NIOPosix
import Synchronization

/// A connection on which a test sends arbitrary bytes.
final class RawConnection: Sendable {
    private final class Reader: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer
        let bytes = Mutex<[UInt8]>([])

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let buffer = unwrapInboundIn(data)
            bytes.withLock { $0 += buffer.readableBytesView }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }

    private let channel: any Channel
    private let reader: Reader

    private init(_ channel: any Channel, _ reader: Reader) { (self.channel, self.reader) = (channel, reader) }

    static func open(_ port: Int, reads: Bool = true) async throws -> RawConnection {
        let reader = Reader()
        let channel = try await bootstrap(reader).channelOption(.autoRead, value: reads).connect(
            host: "127.0.0.1", port: port
        ).get()
        return RawConnection(channel, reader)
    }

    static func open(path: String) async throws -> RawConnection {
        let reader = Reader()
        let channel = try await bootstrap(reader).connect(unixDomainSocketPath: path).get()
        return RawConnection(channel, reader)
    }

    private static func bootstrap(_ reader: Reader) -> ClientBootstrap {
        ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { $0.pipeline.addHandler(reader) }
    }

    func send(_ text: String) { channel.writeAndFlush(ByteBuffer(string: text), promise: nil) }

    /// Returns all data that arrived until the peer closed the connection.
    func answer() async -> String {
        try? await channel.closeFuture.get()
        return String(decoding: reader.bytes.withLock { $0 }, as: UTF8.self)
    }

    func exchange(_ text: String) async throws -> String {
        send(text)
        return await answer()
    }

    func close() { channel.close(mode: .all, promise: nil) }
}
