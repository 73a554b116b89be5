/// Posts encrypted messages to an agent and returns its answers. An agent in memory can implement the protocol, too.
package protocol MessageExchange: Sendable {
    /// Posts `body` to `url` and returns the body of a 2xx answer. The body is empty or an envelope, which may be
    /// another message than the reply.
    ///
    /// Always ends within the implementation's time limit, and soon after a cancellation of the task.
    func post(_ body: [UInt8], to url: String) async throws(ExchangeError) -> [UInt8]
    /// Posts `body` with the media type `mediaType`, or sends a GET request to `url` without a body. Returns an answer
    /// with any status, for servers that explain their refusals in the body. Throws like ``post(_:to:)``.
    func exchange(_ body: [UInt8]?, with url: String, as mediaType: String) async throws(ExchangeError) -> MessageAnswer
}

extension MessageExchange {
    /// Implements an exchange by ``post(_:to:)``, for types that have only that function. A request without a body
    /// throws ``ExchangeError/forbidden``.
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

/// The reason why an HTTP exchange failed. No case contains transferred data.
package enum ExchangeError: Error, Hashable, Sendable {
    /// This transport may not use the URL: another scheme, no host, an invalid port, or plain HTTP without permission.
    case forbidden
    /// There was no connection: the name was not resolved, the connection was refused, or the attempt had no answer.
    /// The peer did not get the message.
    case unreachable
    /// The TLS handshake failed, for example because of a wrong clock. The peer did not get the message.
    case untrusted
    /// The connection broke, the answer took too long, or the server reported a temporary failure (5xx, 408, 429). The
    /// peer may have got the message.
    case uncertain
    /// The server answered with the status `status`, which is not 2xx. Redirects are never followed, so they are
    /// refusals, too.
    case refused(status: Int)
    /// The peer got the message, but the answer is larger than the limit.
    case tooLarge
    /// The server sent a 2xx answer with a body that no agent sends, for example the page of a hotspot. The peer did
    /// not get the message.
    case notAnAgent
    /// The task was cancelled; the peer may have got the message.
    case cancelled
}
