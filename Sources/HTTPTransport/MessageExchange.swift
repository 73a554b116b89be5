/// A type that posts encrypted messages to agents and returns their answers: an HTTP client, or an agent in memory for
/// tests.
package protocol MessageExchange: Sendable {
    /// Posts `body` to `url` and returns the body of a 2xx answer. It is empty or an envelope, which may contain
    /// another message than the reply to `body`.
    ///
    /// Returns or throws within the implementation's time limit, and soon after the task is cancelled.
    func post(_ body: [UInt8], to url: String) async throws(ExchangeError) -> [UInt8]
    /// Posts `body` to `url` with the media type `mediaType`, or sends a GET request if `body` is nil. Returns the
    /// answer whatever its status, because some servers explain a refusal in the body. Otherwise throws like
    /// ``post(_:to:)``.
    func exchange(_ body: [UInt8]?, with url: String, as mediaType: String) async throws(ExchangeError) -> MessageAnswer
}

extension MessageExchange {
    /// The default implementation, for types that implement only ``post(_:to:)``. Throws ``ExchangeError/forbidden`` if
    /// `body` is nil.
    package func exchange(
        _ body: [UInt8]?, with url: String, as mediaType: String
    ) async throws(ExchangeError) -> MessageAnswer {
        guard let body else { throw .forbidden }
        return MessageAnswer(status: 200, body: try await post(body, to: url))
    }
}

/// The answer of a server, with any HTTP status.
package struct MessageAnswer: Hashable, Sendable {
    /// The HTTP status.
    package let status: Int
    /// The body of the answer.
    package let body: [UInt8]

    /// Creates an answer from its status and its body.
    package init(status: Int, body: [UInt8]) { (self.status, self.body) = (status, body) }
}

/// Why an HTTP exchange failed. The error contains no transferred data.
package enum ExchangeError: Error, Hashable, Sendable {
    /// The transport may not use the URL: it has another scheme, no host or an invalid port, or it uses plain HTTP
    /// without permission.
    case forbidden
    /// No connection was made: the name could not be resolved, or the connection was refused or not answered. The peer
    /// has not received the message.
    case unreachable
    /// The TLS handshake failed, for example because the gate's clock is wrong. The peer has not received the message.
    case untrusted
    /// The connection broke, the answer took too long, or the server reported a temporary failure (5xx, 408, 429). The
    /// peer may have received the message.
    case uncertain
    /// The server refused the message with the HTTP status `status`. A redirect counts as a refusal, because redirects
    /// are not followed.
    case refused(status: Int)
    /// The answer is larger than the limit. The peer has received the message.
    case tooLarge
    /// The server sent a 2xx answer with a content type that no agent uses, for example the login page of a hotspot.
    /// The peer has not received the message.
    case notAnAgent
    /// The task was cancelled. The peer may have received the message.
    case cancelled
}
