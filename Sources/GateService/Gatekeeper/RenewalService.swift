package import Clocks
package import Encoding
package import LinuxIO
import ServiceLifecycle

/// Ends the program in order when a restart is needed; the service manager then starts the program again. One reason
/// is evidence from a cloud agent that the ledger was restored from a copy or changed: the next start then begins a
/// new ledger that contains the evidence. The other reason is a request (``ControlRequest/restart``).
///
/// The service waits up to ``patience`` for a moment without a visitor. If this start of the program has begun a new
/// ledger, the program first runs for ``rest``. Therefore an agent that repeatedly sends such evidence cannot cause
/// one restart after another.
package struct RenewalService: Service {
    /// The reasons for a restart: evidence against the ledger, which must already be stored for the next start, or a
    /// request.
    let contradictions: AsyncStream<Text>
    /// Whether this start of the program has begun a new ledger in place of another.
    let hasBegunOne: Bool
    /// Whether no visitor is at the gate.
    let isQuiet: @Sendable () async -> Bool
    let clock: Clock
    let log: LogSink
    let rest: Duration
    var patience: Duration
    /// The remedy in the event line about the restart.
    let remedy: Text
    /// The time between two checks whether a visitor is at the gate.
    let pause: Duration

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - contradictions: The reasons for a restart: evidence against the ledger, which must already be stored for
    ///     the next start, or a request.
    ///   - hasBegunOne: Whether this start of the program has begun a new ledger in place of another.
    ///   - isQuiet: Returns whether no visitor is at the gate.
    ///   - clock: Measures the times of the service.
    ///   - log: Receives the reason for the restart.
    ///   - rest: How long the program runs at least if it has begun a new ledger.
    ///   - patience: How long the service waits for a moment without a visitor.
    ///   - remedy: The remedy in the event line about the restart.
    ///   - pause: The time between two checks whether a visitor is at the gate.
    package init(
        contradictions: AsyncStream<Text>, hasBegunOne: Bool, isQuiet: @escaping @Sendable () async -> Bool,
        clock: Clock, log: LogSink, rest: Duration = .seconds(3600), patience: Duration = .seconds(600),
        remedy: Text = "none: the program ends, and its next start begins a new ledger",
        pause: Duration = .milliseconds(500)
    ) {
        (self.contradictions, self.hasBegunOne, self.isQuiet) = (contradictions, hasBegunOne, isQuiet)
        (self.clock, self.log) = (clock, log)
        (self.rest, self.patience, self.remedy, self.pause) = (rest, patience, remedy, pause)
    }

    /// Returns when the program must end for a restart, or when the service is shut down.
    package func run() async throws { await cancelWhenGracefulShutdown { await end() } }

    /// Returns when the program must end for a restart, or when the task is cancelled.
    func end() async {
        let began = clock.now()
        for await finding in contradictions {
            if hasBegunOne { try? await clock.sleep(until: began.advanced(by: rest)) }
            let last = clock.now().advanced(by: patience)
            while !Task.isCancelled, await !isQuiet(), clock.now() < last {
                try? await clock.sleep(for: pause)
            }
            if Task.isCancelled { return }
            return Self.tell(finding, remedy, log)
        }
    }

    /// Logs the reason for the restart.
    package static func tell(_ finding: Text, _ remedy: Text, _ log: LogSink) {
        log.log(.warning, "renewal", ["text": .string(finding), "remedy": .string(remedy)])
    }
}
