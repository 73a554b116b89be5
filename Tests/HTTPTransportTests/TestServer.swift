import NIOCore
import NIOHTTP1
import NIOPosix

/// An HTTP server on loopback. One closure answers every request; nil closes the connection without an answer.
final class TestServer: Sendable {
    struct Request: Sendable {
        var method: String
        var path: String
        var contentType: String?
        var body: [UInt8]
    }

    struct Answer: Sendable {
        var status = 200
        var headers: [(String, String)] = []
        var body: [UInt8] = []
        var delay = Duration.zero
    }

    private let channel: any Channel
    let port: Int

    init(_ answer: @escaping @Sendable (Request) -> Answer?) async throws {
        channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(Handler(answer))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
    }

    var url: String { "http://127.0.0.1:\(port)/" }

    func stop() async { try? await channel.close().get() }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart
        private let answer: @Sendable (Request) -> Answer?
        private var request: Request?

        init(_ answer: @escaping @Sendable (Request) -> Answer?) { self.answer = answer }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head):
                request = Request(
                    method: head.method.rawValue, path: head.uri,
                    contentType: head.headers.first(name: "content-type"), body: [])
            case .body(let buffer): request?.body.append(contentsOf: buffer.readableBytesView)
            case .end:
                guard let request, let answer = answer(request) else { return context.close(promise: nil) }
                let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
                let (seconds, attoseconds) = answer.delay.components
                let delay = TimeAmount.seconds(seconds) + .nanoseconds(attoseconds / 1_000_000_000)
                context.eventLoop.scheduleTask(in: delay) {
                    let (handler, context) = bound.value
                    handler.write(answer, context)
                }
            }
        }

        private func write(_ answer: Answer, _ context: ChannelHandlerContext) {
            var headers = HTTPHeaders(answer.headers)
            headers.add(name: "content-length", value: "\(answer.body.count)")
            let head = HTTPResponseHead(
                version: .http1_1, status: .init(statusCode: answer.status), headers: headers)
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: answer.body)))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }
}
