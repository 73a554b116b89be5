package import Encoding

/// How far a report has come. It only moves forward, except that an unanswered one may be queued again (same id, same
/// bytes).
package enum ReportState: String, CaseIterable, Sendable {
    /// To be sent.
    case queued
    /// The peer's inbound transport has taken it (HTTP 2xx).
    case sent
    /// The peer has confirmed it, or never will and need not.
    case acknowledged

    /// The state after the transport took the report.
    package var afterSending: ReportState { self == .queued ? .sent : self }
}

/// What the outbox holds, in any state.
package struct OutboxTally: Hashable, Sendable {
    /// Reports.
    package var reports = 0
    /// Their bytes.
    package var bytes = 0

    /// An empty outbox.
    package init() {}

    /// The tally of so many reports of together so many bytes.
    package init(reports: Int, bytes: Int) {
        self.reports = reports
        self.bytes = bytes
    }
}

/// The bounds of the outbox and what gives way at them.
package struct OutboxRules: Hashable, Sendable {
    /// Reports kept, in any state; the default is 30 days without network at 2,000 visits a day, and what phones that brought
    /// nothing add (``JunkGatherer``).
    package var reports = 105_000
    /// Bytes of reports kept; an ordinary one has about 800.
    package var bytes = 105_000 * 1024
    /// How long a sent report is kept without an acknowledgement.
    package var keepSent: Duration = .seconds(7 * 86_400)
    /// How long an acknowledged report is kept.
    package var keepAcknowledged: Duration = .seconds(86_400)

    /// The documented defaults.
    package init() {}

    /// Which reports give way first when the outbox is full: lower ranks before higher, within one rank older before
    /// newer. What the peer has goes first, then phones that brought nothing; those for whom the gate opened go last.
    package func rank(_ state: ReportState, _ weight: Outcome.Weight) -> Int {
        switch (state, weight) {
        case (.acknowledged, _): 0
        case (.sent, _): 1
        case (.queued, .junk): 2
        case (.queued, .ordinary): 3
        case (.queued, .opened): 4
        }
    }

    /// The ranks of reports that are still to be sent.
    package var queuedRanks: [Int] { Outcome.Weight.allCases.map { rank(.queued, $0) } }

    /// Whether giving way in that rank is a loss that the next report must tell of.
    package func isLoss(rank: Int) -> Bool { rank >= 2 }

    /// Whether the outbox is over a bound.
    package func isOver(_ tally: OutboxTally) -> Bool { tally.reports > reports || tally.bytes > bytes }

    /// Reports of `state` that entered it before this date may be forgotten; nil: never by age.
    package func forgetBefore(_ state: ReportState, now: Timestamp) -> Timestamp? {
        switch state {
        case .queued: nil
        case .sent: now.advanced(by: .zero - keepSent)
        case .acknowledged: now.advanced(by: .zero - keepAcknowledged)
        }
    }
}
