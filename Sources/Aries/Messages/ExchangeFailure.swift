/// Why a message could not be posted.
package enum ExchangeFailure: Hashable, Sendable {
    /// No connection was made: the peer has certainly not received the message.
    case unreachable
    /// The connection broke off, timed out or was answered by 5xx, 408 or 429: the peer may have received the
    /// message.
    case uncertain
    /// The peer's server answered with `status`: a redirect or a 4xx error.
    case refused(status: Int)
    /// The answer is larger than the limit. The peer has received the message.
    case tooLarge
    /// The configuration does not allow the endpoint, for example because it uses plain HTTP.
    case forbidden
    /// The connection's state could not be stored, so no message that depends on it was sent.
    case notStored

    /// The HTTP statuses that concern one message: the message is malformed, too large, or of a type or
    /// content that is not accepted. Any other status, such as a redirect, 401, 403, 404 or 410, means that
    /// something is wrong with the address, and that the same message may be accepted another time.
    private static let statusesOfMessages: Set<Int> = [400, 413, 415, 422, 431]

    /// Whether the peer's server refused this message in particular, and not every message.
    package var isOfMessage: Bool {
        if case .refused(let status) = self { Self.statusesOfMessages.contains(status) } else { false }
    }

    /// Creates the failure for an answer with `status`, which is not a 2xx status. A server error, or a
    /// request to try again later, does not count as a refusal.
    package init(status: Int) {
        self = status >= 500 || status == 408 || status == 429 ? .uncertain : .refused(status: status)
    }
}
