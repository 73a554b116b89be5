/// Posts encrypted messages to an agent and returns its answers; an agent in memory can implement it as well.
package protocol MessageExchange: Sendable {
    /// Posts `body` to `url` and returns the body of a 2xx answer: empty, or an envelope that is not necessarily
    /// the reply.
    ///
    /// Always ends within the implementation's time limit, and soon after the task is cancelled.
    func post(_ body: [UInt8], to url: String) async throws(ExchangeError) -> [UInt8]
    /// Posts `body` as the media type `mediaType`, or sends a GET request to `url` if there is no body.
    /// Returns the answer with any status, for servers that explain their refusals in the body. Throws as
    /// ``post(_:to:)`` does.
    func exchange(_ body: [UInt8]?, with url: String, as mediaType: String) async throws(ExchangeError) -> MessageAnswer
}

extension MessageExchange {
    /// Uses ``post(_:to:)``, for types that implement only that function. A request without a body throws
    /// ``ExchangeError/forbidden``.
    package func exchange(
        _ body: [UInt8]?, with url: String, as mediaType: String
    ) async throws(ExchangeError) -> MessageAnswer {
        guard let body else { throw .forbidden }
        return MessageAnswer(status: 200, body: try await post(body, to: url))
    }
}

/// An answer to an exchange, with its HTTP status.
package struct MessageAnswer: Hashable, Sendable {
    /// The HTTP status.
    package let status: Int
    /// The body of the answer.
    package let body: [UInt8]

    /// Creates an answer from its status and its body.
    package init(status: Int, body: [UInt8]) { (self.status, self.body) = (status, body) }
}

/// The reason why an HTTP exchange failed. No case contains data that were sent or received.
package enum ExchangeError: Error, Hashable, Sendable {
    /// This transport may not use the URL: it has another scheme, no host or an invalid port, or it uses
    /// plain HTTP without permission.
    case forbidden
    /// No connection was made: the name was not resolved, the connection was refused, or the attempt had no
    /// answer. The peer did not get the message.
    case unreachable
    /// The TLS handshake failed. This also happens while the clock is wrong. The peer did not get the
    /// message.
    case untrusted
    /// The connection broke or the answer took too long, or the server reported a temporary failure (5xx,
    /// 408, 429). The peer may have got the message.
    case uncertain
    /// The server answered with the status `status`, which is not 2xx, for example a redirect. Redirects are
    /// never followed.
    case refused(status: Int)
    /// The answer is larger than the limit; the peer got the message.
    case tooLarge
    /// The server sent a 2xx answer whose body is not of a kind that agents send, for example the page of a
    /// hotspot. The peer did not get the message.
    case notAnAgent
    /// The task was cancelled; the peer may have got the message.
    case cancelled
}
