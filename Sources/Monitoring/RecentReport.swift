import Administration
import Encoding
import LinuxIO
import Observation
import Synchronization

/// The status report, made again only if the last one is too old: however many requests arrive, the parts of
/// the gate are asked only a few times a second.
final class RecentReport: Sendable {
    /// How long a status report counts as the present one.
    private static let life: Duration = .milliseconds(250)

    private let question: TimedQuestion<StatusReport>
    private let last = Mutex<(at: Instant, report: StatusReport)?>(nil)

    /// Creates a source of the reports of `status`.
    init(_ status: StatusDesk) { question = TimedQuestion { await status.report() } }

    /// Returns a present report; nil if none is ready within four times ``ControlDesk/partLimit``, the time that
    /// each part of the gate has.
    func now() async -> StatusReport? {
        let asked = SystemClock.now()
        if let (at, report) = last.withLock({ $0 }), at.duration(to: asked) < Self.life { return report }
        guard let report = await question.answer(within: ControlDesk.partLimit * 4) else { return nil }
        last.withLock { $0 = (asked, report) }
        return report
    }
}
