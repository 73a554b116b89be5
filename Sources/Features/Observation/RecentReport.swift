import Administration
import Clocks
import Encoding
import LinuxIO
import Monitoring
import Observation
import Synchronization

/// A short-term copy of the status report. A new report is made only if the last one is too old, so the parts of the
/// gate are asked at most four times per second, however many requests arrive.
final class RecentReport: Sendable {
    /// The age up to which a report is used for further requests.
    private static let life: Duration = .milliseconds(250)

    private let clock: Clock
    private let question: TimedQuery<StatusReport>
    private let last = Mutex<(at: Instant, report: StatusReport)?>(nil)

    /// Creates the copy for the reports that `status` makes. It contains no report yet.
    init(_ status: StatusReporter, clock: Clock, spawner: Spawner) {
        self.clock = clock
        question = TimedQuery(by: clock, spawner) { await status.report() }
    }

    /// Returns a recent report. Returns nil if no report is ready after four times ``ControlRouter/partLimit``, which
    /// is the time that each part of the gate has.
    func now() async -> StatusReport? {
        let asked = clock.now()
        if let (at, report) = last.withLock({ $0 }), at.duration(to: asked) < Self.life { return report }
        guard let report = await question.answer(within: ControlRouter.partLimit * 4) else { return nil }
        last.withLock { $0 = (asked, report) }
        return report
    }
}
