/// Why a message could not be posted.
package enum ExchangeFailure: Hashable, Sendable {
    /// No connection to the peer's server was made, so the peer has not received the message.
    case unreachable
    /// The connection broke off or timed out, or the server answered with 5xx, 408 or 429. The peer may have received
    /// the message.
    case uncertain
    /// The peer's server refused the message with the HTTP status `status`: a redirect or a 4xx status.
    case refused(status: Int)
    /// The body of the server's answer is larger than the limit. The peer has received the message.
    case tooLarge
    /// The configuration does not allow the endpoint, for example because it uses plain HTTP.
    case forbidden
    /// The new state of the connection could not be stored, so the message, which depends on that state, was not sent.
    case notStored

    /// The HTTP statuses that concern one message: it is malformed or too large, or its type or content is not
    /// accepted. Any other status, such as a redirect, 401, 403, 404 or 410, concerns the address; the same message may
    /// be accepted later.
    private static let statusesOfMessages: Set<Int> = [400, 413, 415, 422, 431]

    /// Whether the peer's server refused this message in particular, so that another message may be accepted.
    package var isOfMessage: Bool {
        if case .refused(let status) = self { Self.statusesOfMessages.contains(status) } else { false }
    }

    /// Creates the failure for the HTTP status `status`, which is not 2xx. A server error (5xx) and a request to try
    /// again later (408, 429) do not count as refusals.
    package init(status: Int) {
        self = status >= 500 || status == 408 || status == 429 ? .uncertain : .refused(status: status)
    }
}
