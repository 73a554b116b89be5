package import Ledger
package import Reasons

/// How a visit ended.
package enum VisitResult: Hashable, Sendable {
    /// The visit ended with an outcome with the given result. The outcome is recorded or only counted.
    case outcome(Outcome.Result)
    /// The phone left before it had announced a transfer.
    case abandoned

    /// The stable name in logs, `--json` output and metrics.
    package var name: String {
        switch self {
        case .outcome(let result): result.rawValue
        case .abandoned: ReasonCode.abandoned.text
        }
    }
}

/// The result of a visit with the reason under which the visit is counted. The table of reason codes limits the number
/// of different values, whatever phones do.
package struct VisitEnding: Hashable, Sendable {
    /// The result of the visit.
    package let result: VisitResult
    /// The most informative of the reasons: a row of the table of reason codes. All rules of the policy share one row.
    package let reason: ReasonCode

    /// Creates the ending of a visit with the given reasons, the most important first.
    package init(_ result: VisitResult, _ reasons: [ReasonCode]) {
        (self.result, reason) = (result, ReasonCode.counted(reasons))
    }
}

/// The duration of a visit and the figures of its transfer.
package struct VisitFigures: Hashable, Sendable {
    /// The time from the connection until the end of the visit, in milliseconds.
    package var milliseconds: Int
    /// The number of encrypted bytes that were announced; nil if none were announced.
    package var bytes: Int?
    /// The number of chunks of the transfer; nil if there was no transfer.
    package var chunks: Int?
    /// The number of chunks dropped because of a wrong CRC.
    package var crcErrors = 0
    /// The number of repair rounds.
    package var repairs = 0
    /// Whether the visit has a separate record. Other visits are counted, and a later record of their kind contains
    /// their number.
    package var isRecorded = true
}
