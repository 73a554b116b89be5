package import Encoding
package import Kiosk
import LinuxIO
import Synchronization

/// The date for verdicts and records: the machine's clocks, judged by a ``ClockGuard`` at each question.
///
/// May be asked from any thread; it reads clocks and waits for nothing. What is wrong is collected for ``takeReports()``, so that
/// no reporter is called on the way to a gate.
package final class ClockWatch: Sendable {
    private struct State {
        var judge: ClockGuard
        var reports: [HealthReport] = []
    }

    private let state: Mutex<State>
    private let skew: Duration
    private let look: @Sendable () -> ClockGuard.Look

    /// A watch over the machine's clocks.
    ///
    /// - Parameters:
    ///   - newest: The date of the newest record; nil on a new box.
    ///   - skew: How far clocks may differ.
    ///   - settle: How long a date to which the clock was moved must hold.
    ///   - memory: What ``KeptDate`` has of ``memory`` as it was when the program ended.
    ///   - isAuthenticated: Whether the time server is known to be the operator's (`clock.authenticated`).
    ///   - made: The day on which this program was made.
    ///   - look: Reads the clocks.
    package init(
        newest: Timestamp?, skew: Duration, settle: Duration = ClockGuard.usualSettle, memory: ClockMemory? = nil,
        isAuthenticated: Bool = false, made: Timestamp = Timestamp(seconds: 0),
        look: @escaping @Sendable () -> ClockGuard.Look
    ) {
        (self.look, self.skew) = (look, skew)
        state = Mutex(
            State(
                judge: ClockGuard(
                    newest: newest, skew: skew, settle: settle, memory: memory, isAuthenticated: isAuthenticated,
                    made: made, at: look().monotonic)))
    }

    /// What the next start of the program must know; nil where nothing is known yet.
    package var memory: ClockMemory? { state.withLock { $0.judge.memory } }

    /// Now, as far as it can be believed.
    package func now() -> WallTime {
        state.withLock { state in
            // Read inside the lock: looks are judged in the order in which they were taken.
            let reports = state.judge.handle(look())
            Self.collect(reports, &state)
            return state.judge.time
        }
    }

    /// Takes over the word of an operator in that start of the machine; returns why not, where it does not.
    package func accept(_ word: ClockAcceptance.Word, in boot: Text) -> ClockAcceptance.Refusal? {
        state.withLock { state in
            let look = look()
            if let refusal = word.refusal(in: [boot], at: look, skew: skew) { return refusal }
            let reports = state.judge.accept(word.date)
            Self.collect(reports, &state)
            return nil
        }
    }

    /// Takes a look, and what has begun or ceased to be wrong since the last call: the last word on each.
    package func takeReports() -> [HealthReport] {
        _ = now()
        return state.withLock { state in
            defer { state.reports = [] }
            return state.reports
        }
    }

    private static func collect(_ reports: [HealthReport], _ state: inout State) {
        for report in reports {
            state.reports.removeAll { $0.code == report.code }
            state.reports.append(report)
        }
    }

    /// Reads this machine's clocks. `made`: the day on which this program was made. Waits a moment, the first time only, for a
    /// battery-backed clock, and for the word of systemd-timedated: a date that a server has moved must not be taken for a saved one.
    package static func machine(made: Timestamp) -> @Sendable () -> ClockGuard.Look {
        // Before the look at the battery-backed clock, so that this one is fresh when the first date is judged.
        SystemClock.awaitTimeServer(within: .seconds(1))
        let sources = ClockSources(made: made)
        return {
            let (utc, monotonic, isSynchronised) = SystemClock.look()
            let seen = sources.seen(at: monotonic)
            return ClockGuard.Look(
                utc: utc, monotonic: monotonic, isSynchronised: isSynchronised, hardware: seen.hardware,
                isSaved: seen.isSaved, isSilent: seen.isSilent)
        }
    }
}
