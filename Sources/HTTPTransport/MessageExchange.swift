/// Posts one encrypted message to an agent and returns what comes back; the face that an agent in memory can wear as well.
package protocol MessageExchange: Sendable {
    /// Posts `body` to `url` and returns the body of a 2xx answer: empty, or an envelope that is not necessarily the reply.
    ///
    /// Always ends within the implementation's time limit, and soon after the task is cancelled.
    func post(_ body: [UInt8], to url: String) async throws(ExchangeError) -> [UInt8]
    /// Posts `body` as that media type, or without one gets `url`, and returns the answer whatever its status: for servers that tell
    /// what is wrong in the bodies of their refusals. Ends as ``post(_:to:)`` does.
    func exchange(_ body: [UInt8]?, with url: String, as mediaType: String) async throws(ExchangeError) -> MessageAnswer
}

extension MessageExchange {
    /// By ``post(_:to:)``, for who knows no more than that.
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

/// Why an HTTP exchange failed. No case carries anything that was sent or received.
package enum ExchangeError: Error, Hashable, Sendable {
    /// The URL is not one this transport may use: another scheme, no host, a port that is none, or plain http without
    /// permission.
    case forbidden
    /// No connection: name not resolved, refused, or no answer to the attempt. The peer has not got the message.
    case unreachable
    /// The TLS handshake failed, which also happens while the clock is wrong. The peer has not got the message.
    case untrusted
    /// It broke off or took too long, or the server was in trouble (5xx, 408, 429): the peer may have got the message.
    case uncertain
    /// The server answered with that other status; redirects, which are never followed, are among them.
    case refused(status: Int)
    /// The answer is larger than the limit; the peer has got the message.
    case tooLarge
    /// A 2xx with a body of another kind than agents send, such as the page of a hotspot: the peer has not got the message.
    case notAnAgent
    /// The task was cancelled; the peer may have got the message.
    case cancelled
}
