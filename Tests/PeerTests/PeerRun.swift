import Aries
import Courier
import Foundation
import Mailboxes

/// How thorough this run is.
enum PeerRun {
    /// Whether the environment sets `GATEHOUSE_PEERS=all`, as `make nightly` does: every version of the
    /// third-party agents, the full counts, and gates with the product's own times.
    static let isThorough = ProcessInfo.processInfo.environment["GATEHOUSE_PEERS"] == "all"
}

/// The times for which a gate of these tests waits for its agents.
struct GatePace: Sendable {
    /// The times of connections and mailboxes.
    var times = AgentTimes()
    /// The times and limits of reports.
    var reports = ReportSettings.Limits()

    /// Returns the product's own times in a thorough run, otherwise shorter ones for polls, questions and
    /// pings; `change` shortens other times that a test waits for.
    static func usual(_ change: (inout GatePace) -> Void = { _ in }) -> GatePace {
        var pace = GatePace()
        guard !PeerRun.isThorough else { return pace }
        (pace.times.look, pace.times.wake) = (.milliseconds(500), .milliseconds(200))
        (pace.times.mediator.idle, pace.times.mediator.nudge) = (.seconds(2), .seconds(1))
        (pace.reports.pingAfter, pace.reports.readAgain) = (.seconds(1), .seconds(1))
        change(&pace)
        return pace
    }
}
