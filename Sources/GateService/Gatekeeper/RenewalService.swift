package import Clocks
package import Encoding
package import LinuxIO
import ServiceLifecycle

/// Ends the program in order when a new start is needed. The service manager then starts the program again.
/// One reason is evidence of a cloud agent that the ledger was restored from a copy or changed: the next
/// start then begins a new ledger that names the evidence. The other reason is a request
/// (``ControlRequest/restart``).
///
/// The service waits for a moment without a visitor, for at most ``patience``. A program that began a ledger
/// in this way first runs for ``rest``. So an agent that sends such evidence each time cannot keep the gate
/// busy with starts.
package struct RenewalService: Service {
    /// The reasons for a new start. Each is evidence against the ledger, which the next start has to know
    /// already, or a request.
    let contradictions: AsyncStream<Text>
    /// Whether this start has begun a ledger in the place of another.
    let hasBegunOne: Bool
    /// Whether no visitor is at the gate.
    let isQuiet: @Sendable () async -> Bool
    let clock: Clock
    let log: LogSink
    let rest: Duration
    var patience: Duration
    /// The remedy in the event line. The remedy says what happens next.
    let remedy: Text
    /// The time between two checks of the gate.
    let pause: Duration

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - contradictions: The reasons for a start: evidence against the ledger, which the next start has to
    ///     know already; or a request.
    ///   - hasBegunOne: Whether this start has begun a ledger in the place of another.
    ///   - isQuiet: Returns whether no visitor is at the gate.
    ///   - clock: Measures the times of the service.
    ///   - log: Gets the reason for the end of the program.
    ///   - rest: How long a program that has begun a ledger runs at least.
    ///   - patience: How long it waits for a moment without a visitor.
    ///   - remedy: The remedy in the event line, which says what happens next.
    ///   - pause: The time between two checks of the gate.
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

    /// Returns when the program must end.
    package func run() async throws { await cancelWhenGracefulShutdown { await end() } }

    /// Returns when the program must end, or the task is cancelled.
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

    /// Logs the reason for the end of the program.
    package static func tell(_ finding: Text, _ remedy: Text, _ log: LogSink) {
        log.log(.warning, "renewal", ["text": .string(finding), "remedy": .string(remedy)])
    }
}
