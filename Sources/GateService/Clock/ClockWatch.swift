package import Clocks
package import Encoding
package import Kiosk
import LinuxIO
import Synchronization

/// The date for verdicts and records: the readings of the machine's clocks, judged by a ``ClockGuard`` at
/// each call.
///
/// It may be called from any thread, and does not block. Faults are collected for ``takeReports()``, so that
/// no reporter is called on the way to a verdict.
package final class ClockWatch: Sendable {
    private struct State {
        var judge: ClockGuard
        var reports: [HealthReport] = []
    }

    private let state: Mutex<State>
    private let skew: Duration
    private let look: @Sendable () -> ClockGuard.Reading

    /// Creates a watch over the machine's clocks.
    ///
    /// - Parameters:
    ///   - newest: The date of the newest record; nil on a new gate.
    ///   - skew: The permitted difference between clocks.
    ///   - settle: How long a date must be stable after the clock was moved to it.
    ///   - memory: The ``memory`` of the previous run, as ``StoredDate`` read it.
    ///   - isAuthenticated: Whether the time server is known to be the operator's (`clock.authenticated`).
    ///   - made: The day on which this program was built.
    ///   - look: Reads the clocks.
    package init(
        newest: Timestamp?, skew: Duration, settle: Duration = ClockGuard.usualSettle, memory: ClockMemory? = nil,
        isAuthenticated: Bool = false, made: Timestamp = Timestamp(seconds: 0),
        look: @escaping @Sendable () -> ClockGuard.Reading
    ) {
        (self.look, self.skew) = (look, skew)
        state = Mutex(
            State(
                judge: ClockGuard(
                    newest: newest, skew: skew, settle: settle, memory: memory, isAuthenticated: isAuthenticated,
                    made: made, at: look().monotonic)))
    }

    /// The knowledge about dates that the next start of the program needs; nil if nothing is known yet.
    package var memory: ClockMemory? { state.withLock { $0.judge.memory } }

    /// Returns the present date and how far it can be trusted.
    package func now() -> WallTime {
        state.withLock { state in
            // Read the clocks inside the lock, so that readings are judged in the order in which they were
            // taken.
            let reports = state.judge.handle(look())
            Self.collect(reports, &state)
            return state.judge.time
        }
    }

    /// Applies an operator's statement of the date in the start of the machine with the name `boot`. Returns
    /// why the statement was refused; nil if it was applied.
    package func accept(_ word: ClockAcceptance.Confirmation, in boot: Text) -> ClockAcceptance.Refusal? {
        state.withLock { state in
            let look = look()
            if let refusal = word.refusal(in: [boot], at: look, skew: skew) { return refusal }
            let reports = state.judge.accept(word.date)
            Self.collect(reports, &state)
            return nil
        }
    }

    /// Reads the clocks and returns the faults that began or ended since the last call. For each code it
    /// returns only the newest report.
    func takeReports() -> [HealthReport] {
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

    /// Returns a function that reads this machine's clocks. `made`: the day on which this program was built.
    /// Waits once, for a moment, until a battery-backed clock and systemd-timedated have answered. Otherwise
    /// a date that a time server has set would count as a saved date.
    package static func machine(made: Timestamp, clock: Clock) -> @Sendable () -> ClockGuard.Reading {
        // Wait for the time server before the first check of the battery-backed clock, so that the clock's
        // reading is fresh when the first date is judged.
        TimeServer.awaitAnswer(within: .seconds(1))
        let sources = ClockSources(made: made, clock: clock)
        return {
            let (utc, monotonic, isSynchronised) = clock.look()
            let seen = sources.seen(at: monotonic)
            return ClockGuard.Reading(
                utc: utc, monotonic: monotonic, isSynchronised: isSynchronised, hardware: seen.hardware,
                isSaved: seen.isSaved, isSilent: seen.isSilent)
        }
    }
}
