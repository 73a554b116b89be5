import NIOCore
import NIOHTTP1

/// The handler of the one request that a connection to a ``WebhookReceiver`` may send.
final class WebhookRequest: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart

    private enum State {
        /// The head of the request was not received yet.
        case waiting
        /// The head of the request and the given part of its body were received.
        case reading([UInt8])
        /// The answer was sent. Further input is ignored.
        case answered
    }

    private let settings: WebhookReceiver.Settings
    private let take: @Sendable ([UInt8]) -> Bool
    private var state = State.waiting

    init(_ settings: WebhookReceiver.Settings, _ take: @escaping @Sendable ([UInt8]) -> Bool) {
        (self.settings, self.take) = (settings, take)
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

    /// Returns the status with which a request with this head is refused; nil if its body must be read.
    private func refusal(of head: HTTPRequestHead) -> HTTPResponseStatus? {
        guard head.uri.utf8.elementsEqual(settings.target.utf8) else { return .notFound }
        guard head.method == .POST else { return .methodNotAllowed }
        let length = head.headers.first(name: "content-length").flatMap { Int($0) } ?? 0
        return length > settings.maxBodyBytes ? .payloadTooLarge : nil
    }

    private func answer(_ status: HTTPResponseStatus, _ context: ChannelHandlerContext, isWhole: Bool) {
        if case .answered = state { return }
        state = .answered
        var headers: HTTPHeaders = ["content-length": "0"]
        if status == .methodNotAllowed { headers.add(name: "allow", value: "POST") }
        OneAnswer.send(status, headers, on: context.channel, isWhole: isWhole)
    }
}
