import NIOCore
import NIOHTTP1

/// More bytes than a request may have.
private struct TooManyBytes: Error {}

/// Lets so many bytes of a connection pass, before anything is made of them; the rest is read and dropped.
final class ByteBudget: ChannelInboundHandler {
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

/// The one request of a connection, from its first byte to the end of the connection.
final class WebhookRequest: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// How far it is.
    private enum State {
        /// The head has not come.
        case waiting
        /// So much of the body is there.
        case reading([UInt8])
        /// What comes now is of no interest.
        case answered
    }

    private let settings: WebhookReceiver.Settings
    private let take: @Sendable ([UInt8]) -> Bool
    private var state = State.waiting
    private var end: Scheduled<Void>?

    /// How long an answer waits for its reader when the request was not read to its end: closed at once, the connection would be
    /// reset and the answer lost.
    private static let farewell = TimeAmount.milliseconds(500)

    init(_ settings: WebhookReceiver.Settings, _ take: @escaping @Sendable ([UInt8]) -> Bool) {
        (self.settings, self.take) = (settings, take)
    }

    func handlerAdded(context: ChannelHandlerContext) { close(context, after: TimeAmount(settings.timeLimit)) }

    func channelInactive(context: ChannelHandlerContext) {
        end?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch (unwrapInboundIn(data), state) {
        case (.head(let head), .waiting):
            if let refusal = refusal(of: head) {
                answer(refusal, context, isWhole: false)
            } else {
                state = .reading([])
            }
        case (.body(let bytes), .reading(var body)):
            body += bytes.readableBytesView
            if body.count > settings.maxBodyBytes {
                answer(.payloadTooLarge, context, isWhole: false)
            } else {
                state = .reading(body)
            }
        case (.end, .reading(let body)): answer(take(body) ? .ok : .badRequest, context, isWhole: true)
        default: break
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch (error, state) {
        case (is TooManyBytes, .waiting): answer(.requestHeaderFieldsTooLarge, context, isWhole: false)
        case (is TooManyBytes, _): answer(.payloadTooLarge, context, isWhole: false)
        case (is HTTPParserError, _): answer(.badRequest, context, isWhole: false)
        default: context.close(promise: nil)
        }
    }

    /// How a request is refused whose body need not be read; nil when it must be.
    private func refusal(of head: HTTPRequestHead) -> HTTPResponseStatus? {
        guard head.uri.utf8.elementsEqual(settings.target.utf8) else { return .notFound }
        guard head.method == .POST else { return .methodNotAllowed }
        let length = head.headers.first(name: "content-length").flatMap { Int($0) } ?? 0
        return length > settings.maxBodyBytes ? .payloadTooLarge : nil
    }

    private func answer(_ status: HTTPResponseStatus, _ context: ChannelHandlerContext, isWhole: Bool) {
        if case .answered = state { return }
        state = .answered
        var headers: HTTPHeaders = ["content-length": "0", "connection": "close"]
        if status == .methodNotAllowed { headers.add(name: "allow", value: "POST") }
        let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
            channel.close(mode: isWhole ? .all : .output, promise: nil)
        }
        if !isWhole { close(context, after: Self.farewell) }
    }

    private func close(_ context: ChannelHandlerContext, after time: TimeAmount) {
        end?.cancel()
        let channel = context.channel
        end = context.eventLoop.scheduleTask(in: time) { channel.close(mode: .all, promise: nil) }
    }
}
