package import Clocks
package import Encoding
package import Kiosk
import LinuxIO
import Synchronization

/// The date for verdicts and records. Each call reads the machine's clocks and lets a ``ClockGuard`` decide how far
/// their date can be trusted.
///
/// All methods may be called from any thread and do not block. The object collects faults until ``takeReports()``
/// returns them, so a caller that needs the date for a verdict calls no reporter.
package final class ClockWatch: Sendable {
    private struct State {
        var judge: ClockGuard
        var reports: [HealthReport] = []
    }

    private let state: Mutex<State>
    private let skew: Duration
    private let look: @Sendable () -> ClockGuard.Reading

    /// Creates a watch that reads the clocks with `look`.
    ///
    /// - Parameters:
    ///   - newest: The date of the newest record; nil on a new gate.
    ///   - skew: The permitted difference between two clocks.
    ///   - settle: How long the date must stay consistent after someone set the clock, before it is trusted.
    ///   - memory: The ``memory`` of the previous run of the program, as ``StoredDate`` read it; nil if there is
    ///     none.
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

    /// What the next start of the program needs to know about the dates of this run; nil if nothing is known yet.
    package var memory: ClockMemory? { state.withLock { $0.judge.memory } }

    /// Returns the present date and how far it can be trusted.
    package func now() -> WallTime {
        state.withLock { state in
            // Read the clocks inside the lock. Otherwise two threads could pass their readings to the judge in the
            // wrong order.
            let reports = state.judge.handle(look())
            Self.collect(reports, &state)
            return state.judge.time
        }
    }

    /// Applies an operator's statement of the date. `boot` is the name of the machine's present boot. Returns why the
    /// statement was refused; nil if it was applied.
    package func accept(_ word: ClockAcceptance.Confirmation, in boot: Text) -> ClockAcceptance.Refusal? {
        state.withLock { state in
            let look = look()
            if let refusal = word.refusal(in: [boot], at: look, skew: skew) { return refusal }
            let reports = state.judge.accept(word.date)
            Self.collect(reports, &state)
            return nil
        }
    }

    /// Reads the clocks and returns the faults that began or ended since the last call. Returns only the newest
    /// report of each code.
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

    /// Returns a function that reads this machine's clocks. `made` is the day on which this program was built. First
    /// waits, for up to 1 s each, until systemd-timedated and a battery-backed clock have answered. Without this wait
    /// the first reading could report a date of a time server as a saved date.
    package static func machine(made: Timestamp, clock: Clock) -> @Sendable () -> ClockGuard.Reading {
        // Wait for systemd-timedated before the first check of the battery-backed clock. The reading of that clock is
        // then fresh when the first date is judged.
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
