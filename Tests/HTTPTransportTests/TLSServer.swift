import HTTPTransport
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOTLS
import TestKit

/// An HTTPS server on loopback with the name issuer.example. One closure answers every request; nil closes the
/// connection without an answer. Its key is a **test key**, valid until 2120.
final class TLSServer: Sendable {
    struct Request: Hashable, Sendable {
        var method: String
        var target: String
        var headers: [String]
    }

    struct Answer: Sendable {
        var status: HTTPResponseStatus = .ok
        var headers: HTTPHeaders = [:]
        var body: [UInt8] = []
        /// The delay between the pieces of an endless answer.
        var drip: Duration?
    }

    private let channel: any Channel
    private let seen: Recorder<String?>
    let port: Int

    /// The properties of the connections.

    /// The protocol of each connection by ALPN (RFC 7301); nil if the client offered none.
    var protocols: [String?] { seen.all }

    /// `prefers`: the protocols that the server accepts, the best first. The server speaks HTTP/1.1 with all of them.
    init(prefers: [String] = [], _ answer: @escaping @Sendable (Request) -> Answer?) async throws {
        let seen = Recorder<String?>()
        self.seen = seen
        let chain = [try NIOSSLCertificate(bytes: Array(TestCertificates.server.utf8), format: .pem)]
        let key = try NIOSSLPrivateKey(bytes: Array(TestCertificates.serverKey.utf8), format: .pem)
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        tls.applicationProtocols = prefers
        let context = try NIOSSLContext(configuration: tls)
        channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(Handler(seen, answer))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
    }

    func stop() async { try? await channel.close().get() }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart
        private let seen: Recorder<String?>
        private let answer: @Sendable (Request) -> Answer?
        private var request: Request?

        init(_ seen: Recorder<String?>, _ answer: @escaping @Sendable (Request) -> Answer?) {
            (self.seen, self.answer) = (seen, answer)
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if case .handshakeCompleted(let agreed) = event as? TLSUserEvent {
                seen.add(agreed)
            }
            context.fireUserInboundEventTriggered(event)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head):
                request = Request(
                    method: head.method.rawValue, target: head.uri,
                    headers: head.headers.map { "\($0.name.lowercased()): \($0.value)" }.sorted())
            case .body: break
            case .end:
                guard let request, let answer = answer(request) else { return context.close(promise: nil) }
                write(answer, context)
            }
        }

        private func write(_ answer: Answer, _ context: ChannelHandlerContext) {
            var headers = answer.headers
            if answer.drip == nil, answer.status != .notModified {
                headers.add(name: "content-length", value: "\(answer.body.count)")
            }
            let head = HTTPResponseHead(version: .http1_1, status: answer.status, headers: headers)
            context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
            if let drip = answer.drip { return self.drip(answer.body, every: drip, context) }
            if !answer.body.isEmpty {
                context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: answer.body)))), promise: nil)
            }
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }

        private func drip(_ bytes: [UInt8], every pause: Duration, _ context: ChannelHandlerContext) {
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            let wait = TimeAmount.nanoseconds(pause.components.attoseconds / 1_000_000_000)
            context.eventLoop.scheduleRepeatedTask(initialDelay: .zero, delay: wait) { task in
                let (handler, context) = bound.value
                guard context.channel.isActive else { return task.cancel() }
                let part = handler.wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: bytes))))
                context.writeAndFlush(part, promise: nil)
            }
        }
    }
}
