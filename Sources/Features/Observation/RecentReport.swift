import Administration
import Clocks
import Encoding
import LinuxIO
import Monitoring
import Observation
import Synchronization

/// The status report, made again only when the last one is too old. Therefore the parts of the gate are asked only a
/// few times a second, however many requests arrive.
final class RecentReport: Sendable {
    /// The age up to which a status report is returned again.
    private static let life: Duration = .milliseconds(250)

    private let clock: Clock
    private let question: TimedQuery<StatusReport>
    private let last = Mutex<(at: Instant, report: StatusReport)?>(nil)

    /// Creates a source of the reports of `status`.
    init(_ status: StatusReporter, clock: Clock, spawner: Spawner) {
        self.clock = clock
        question = TimedQuery(by: clock, spawner) { await status.report() }
    }

    /// Returns a recent report; nil if none is ready within four times ``ControlRouter/partLimit``, the time that
    /// each part of the gate has.
    func now() async -> StatusReport? {
        let asked = clock.now()
        if let (at, report) = last.withLock({ $0 }), at.duration(to: asked) < Self.life { return report }
        guard let report = await question.answer(within: ControlRouter.partLimit * 4) else { return nil }
        last.withLock { $0 = (asked, report) }
        return report
    }
}
