import Encoding
import NIOCore
import NIOHTTP1

/// The handler of the one request that a connection to a ``LocalServer`` may send.
final class LocalRequest: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart

    private enum State {
        /// The head of the request was not received yet.
        case waiting
        /// The head of the request was received, but not the end of the request.
        case reading(HTTPRequestHead)
        /// The answer was sent or is being made. Further input is ignored.
        case answered
    }

    private let answer: @Sendable (String) async -> LocalServer.Answer?
    private var state = State.waiting

    init(_ answer: @escaping @Sendable (String) async -> LocalServer.Answer?) { self.answer = answer }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch (unwrapInboundIn(data), state) {
        case (.head(let head), .waiting):
            if let refusal = Self.refusal(of: head) {
                refuse(refusal, context)
            } else {
                state = .reading(head)
            }
        // Refuse a body: a GET or HEAD request has none.
        case (.body, .reading): refuse(.payloadTooLarge, context)
        case (.end, .reading(let head)): ask(head, context)
        default: break
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case is TooManyBytes: refuse(.requestHeaderFieldsTooLarge, context)
        case is HTTPParserError: refuse(.badRequest, context)
        default: context.close(promise: nil)
        }
    }

    private func ask(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        state = .answered
        let channel = context.channel
        let (target, isHead) = (head.uri, head.method == .HEAD)
        let answer = self.answer
        Task { @Sendable in
            let found = await answer(target)
            channel.eventLoop.execute { LocalRequest.tell(found, channel, isHead: isHead) }
        }
    }

    private static func tell(_ answer: LocalServer.Answer?, _ channel: any Channel, isHead: Bool) {
        guard let answer else { return OneAnswer.send(.notFound, headers(length: 0), on: channel, isWhole: true) }
        var headers = headers(length: answer.body.count)
        headers.add(name: "content-type", value: answer.mediaType)
        headers.replaceOrAdd(name: "content-security-policy", value: answer.policy)
        OneAnswer.send(.ok, headers, body: isHead ? [] : answer.body, on: channel, isWhole: true)
    }

    private func refuse(_ status: HTTPResponseStatus, _ context: ChannelHandlerContext) {
        if case .answered = state { return }
        state = .answered
        var headers = Self.headers(length: 0)
        if status == .methodNotAllowed { headers.add(name: "allow", value: "GET, HEAD") }
        OneAnswer.send(status, headers, on: context.channel, isWhole: false)
    }

    /// Returns the headers of every answer. They forbid caching, guessing of media types, frames, embedding and
    /// referrers.
    private static func headers(length: Int) -> HTTPHeaders {
        [
            "content-length": String(length), "cache-control": "no-store", "x-content-type-options": "nosniff",
            "content-security-policy": "default-src 'none'; frame-ancestors 'none'", "x-frame-options": "DENY",
            "referrer-policy": "no-referrer", "cross-origin-resource-policy": "same-origin",
            "cross-origin-opener-policy": "same-origin",
        ]
    }

    /// Returns the status with which a request with this head is refused; nil if it is accepted.
    private static func refusal(of head: HTTPRequestHead) -> HTTPResponseStatus? {
        guard head.method == .GET || head.method == .HEAD else { return .methodNotAllowed }
        guard head.uri.utf8.first == UInt8(ascii: "/") else { return .badRequest }
        let hosts = head.headers["host"]
        guard hosts.count == 1 else { return .badRequest }
        guard isThisMachine(hosts[0]) else { return .misdirectedRequest }
        return mayRead(head.headers) ? nil : .forbidden
    }

    /// Returns whether the host `host` is this machine: `localhost` or a loopback address, with any port, because the
    /// browser's end of a tunnel may have another port.
    private static func isThisMachine(_ host: String) -> Bool {
        if isName(host[...]) { return true }
        if let address = HostAddress(host) { return address.bytes.count == 4 && address.isLoopback }
        if let address = ListenAddress(host) { return address.host.isLoopback }
        if host.first == "[", host.last == "]" {
            return HostAddress(String(host.dropFirst().dropLast()))?.isLoopback == true
        }
        guard let colon = host.lastIndex(of: ":") else { return false }
        let port = host[colon...].dropFirst().utf8
        return isName(host[..<colon]) && port.count <= 5 && port.allSatisfy { (0x30...0x39).contains($0) }
    }

    private static func isName(_ host: Substring) -> Bool { host.lowercased().utf8.elementsEqual("localhost".utf8) }

    /// Returns whether the request may be answered: it must not come from a page of another origin (Fetch Metadata).
    /// Following a link on such a page is permitted, because the page cannot read the answer.
    private static func mayRead(_ headers: HTTPHeaders) -> Bool {
        guard let site = headers.first(name: "sec-fetch-site"), !["none", "same-origin"].contains(site) else {
            return true
        }
        return headers.first(name: "sec-fetch-mode") == "navigate"
            && headers.first(name: "sec-fetch-dest") == "document"
    }
}
