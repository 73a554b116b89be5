/// The reason why an entry that a visit needs is not durable: its intent in the ledger, or the name of its session in
/// the log of used sessions. The description is the text for logs and people.
package enum LedgerFailure: Error, Equatable, Sendable {
    /// The ledger did not answer within ``KioskSettings/intentLimit``.
    case noAnswer
    /// The database refused or failed; the text is the database's message.
    case database(String)
    /// More intents wait for the disk than the queue accepts.
    case tooManyIntents
    /// The outcome of the visit arrived before its intent was written.
    case visitEnded
    /// The log of used sessions did not answer within ``KioskSettings/intentLimit``.
    case noAnswerOfSessions
    /// The log of used sessions failed; the text is its message.
    case sessions(String)
    /// A session was to be kept, and the gate has no printed key.
    case noPrintedKey
}

extension LedgerFailure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .noAnswer: "no answer from the ledger"
        case .database(let text), .sessions(let text): text
        case .tooManyIntents: "the disk is too slow for so many visits"
        case .visitEnded: "the visit has ended"
        case .noAnswerOfSessions: "no answer from the log of used sessions"
        case .noPrintedKey: "there is no printed key"
        }
    }
}
