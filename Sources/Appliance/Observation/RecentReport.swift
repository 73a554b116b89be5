import Encoding
import LinuxIO
import Synchronization

/// The status report, made anew only when the last one is no longer of this moment: however many ask, the box is asked a few times a
/// second.
final class RecentReport: Sendable {
    /// How long a report is of this moment.
    private static let life: Duration = .milliseconds(250)

    private let question: TimedQuestion<JSON>
    private let last = Mutex<(at: Instant, report: JSON)?>(nil)

    /// Reports as `status` makes them.
    init(_ status: StatusDesk) { question = TimedQuestion { await status.report() } }

    /// A report of this moment; nil when there is none within some seconds, of which each part of the box has one.
    func now() async -> JSON? {
        let asked = SystemClock.now()
        if let (at, report) = last.withLock({ $0 }), at.duration(to: asked) < Self.life { return report }
        guard let report = await question.answer(within: StatusDesk.limit * 4) else { return nil }
        last.withLock { $0 = (asked, report) }
        return report
    }
}
