/// Posts encrypted messages to an agent and returns its answers; an agent in memory can implement it as well.
package protocol MessageExchange: Sendable {
    /// Posts `body` to `url` and returns the body of a 2xx answer: empty, or an envelope that is not necessarily
    /// the reply.
    ///
    /// Always ends within the implementation's time limit, and soon after the task is cancelled.
    func post(_ body: [UInt8], to url: String) async throws(ExchangeError) -> [UInt8]
    /// Posts `body` as that media type, or gets `url` if there is no body, and returns the answer with any
    /// status: for servers whose refusals have an explanation in their bodies. Ends as ``post(_:to:)`` does.
    func exchange(_ body: [UInt8]?, with url: String, as mediaType: String) async throws(ExchangeError) -> MessageAnswer
}

extension MessageExchange {
    /// Uses ``post(_:to:)``, for types that implement only that; a request without a body is forbidden.
    package func exchange(
        _ body: [UInt8]?, with url: String, as mediaType: String
    ) async throws(ExchangeError) -> MessageAnswer {
        guard let body else { throw .forbidden }
        return MessageAnswer(status: 200, body: try await post(body, to: url))
    }
}

/// An answer with its status.
package struct MessageAnswer: Hashable, Sendable {
    /// The HTTP status.
    package let status: Int
    /// The body.
    package let body: [UInt8]

    /// An answer of these parts.
    package init(status: Int, body: [UInt8]) { (self.status, self.body) = (status, body) }
}

/// The reason why an HTTP exchange failed. No case contains data that were sent or received.
package enum ExchangeError: Error, Hashable, Sendable {
    /// This transport may not use the URL: another scheme, no host, an invalid port, or plain http without
    /// permission.
    case forbidden
    /// No connection: name not resolved, refused, or no answer to the attempt. The peer did not get the
    /// message.
    case unreachable
    /// The TLS handshake failed, which also happens while the clock is wrong. The peer did not get the
    /// message.
    case untrusted
    /// The connection broke or the answer took too long, or the server reported a temporary failure (5xx,
    /// 408, 429). The peer may have got the message.
    case uncertain
    /// The server answered with another status, such as a redirect; redirects are never followed.
    case refused(status: Int)
    /// The answer is larger than the limit; the peer got the message.
    case tooLarge
    /// A 2xx answer whose body is not of a kind that agents send, such as the page of a hotspot. The peer did
    /// not get the message.
    case notAnAgent
    /// The task was cancelled; the peer may have got the message.
    case cancelled
}
