import Aries
import HTTPTransport

extension ExchangeError {
    /// The failure that a connection reports for this error.
    var failure: ExchangeFailure {
        switch self {
        case .forbidden: .forbidden
        case .unreachable, .untrusted, .notAnAgent: .unreachable
        case .uncertain, .cancelled: .uncertain
        case .tooLarge: .tooLarge
        case .refused(let status): .refused(status: status)
        }
    }
}
