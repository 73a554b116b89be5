package import Encoding
package import LinuxIO
import Synchronization

/// The date for people who look at the box. The system's word on it may hang, so that a thread of its own asks: a few blocked tasks
/// would hold up everything else, and the end of the program with it.
package final class PatientDate: Sendable {
    /// How long an answer is awaited.
    package static let patience: Duration = .milliseconds(500)

    private let question: TimedQuestion<WallTime>
    private let last: Mutex<(time: WallTime, at: Instant)>

    /// A date that `look` tells, on a thread of this.
    package init(_ look: @escaping @Sendable () -> WallTime) throws(SystemError) {
        let thread = try SideThread(name: "gatehouse-look", limit: 1)
        question = TimedQuestion {
            await withCheckedContinuation { continuation in thread.run { continuation.resume(returning: look()) } }
        }
        last = Mutex((WallTime(utc: SystemClock.utc(), provenance: .unset), SystemClock.now()))
    }

    /// The date; where nobody answers the last one, carried on.
    package func now() async -> WallTime {
        guard let time = await question.answer(within: Self.patience) else { return known }
        last.withLock { $0 = (time, SystemClock.now()) }
        return time
    }

    /// The last one that somebody asked for, carried on; at once.
    package var known: WallTime {
        last.withLock { last in
            var time = last.time
            let since = last.at.duration(to: SystemClock.now())
            (time.utc, time.alternative) = (time.utc.advanced(by: since), time.alternative?.advanced(by: since))
            time.lastConfirmed = time.lastConfirmed?.advanced(by: since)
            return time
        }
    }
}
