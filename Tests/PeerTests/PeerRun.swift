import Appliance
import Aries
import Foundation

/// How thorough this run is.
enum PeerRun {
    /// Whether the environment has `GATEHOUSE_PEERS=all`, as `make nightly` sets it: every version of the foreign
    /// agents, the full counts, and gates with the product's own times.
    static let isThorough = ProcessInfo.processInfo.environment["GATEHOUSE_PEERS"] == "all"
}

/// The times by which a gate of these tests waits for its agents.
struct GatePace: Sendable {
    /// Those of connections and mailboxes.
    var times = AgentTimes()
    /// Those of reports.
    var reports = ReportSettings.Limits()

    /// The product's own in a thorough run, else such as look, ask and ping sooner; `change` shortens others that a
    /// test waits out.
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
