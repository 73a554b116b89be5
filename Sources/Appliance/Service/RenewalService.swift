import Encoding
import LinuxIO
import ServiceLifecycle

/// Ends the program in order once something needs a start, which the service manager makes: a cloud agent has shown that the ledger was
/// put back or changed, and the next start begins a new one that names it; or somebody asks for one (``ControlRequest/restart``).
///
/// It waits for a moment without a visitor, ``patience`` at most. A program that began a ledger in this way stays for ``rest``
/// first: an agent that shows such a thing each time cannot keep the gate busy with starts.
struct RenewalService: Service {
    /// Why a start is needed: what shows that the ledger is not what it was, once the next start knows of it; or who asks.
    let contradictions: AsyncStream<Text>
    /// Whether this start has begun a ledger in the place of another.
    let hasBegunOne: Bool
    /// Whether nobody is at the gate.
    let isQuiet: @Sendable () async -> Bool
    let log: LogSink
    var rest: Duration = .seconds(3600)
    var patience: Duration = .seconds(600)
    /// What the log says is going to happen.
    var remedy: Text = "none: the program ends, and its next start begins a new ledger"
    /// Between two looks at the gate.
    var pause: Duration = .milliseconds(500)

    /// Returns when the program is to end.
    func run() async throws {
        let began = ContinuousClock.now
        await cancelWhenGracefulShutdown {
            for await finding in contradictions {
                if hasBegunOne { try? await Task.sleep(until: began.advanced(by: rest)) }
                let heard = ContinuousClock.now
                while !Task.isCancelled, await !isQuiet(), heard.duration(to: .now) < patience {
                    try? await Task.sleep(for: pause)
                }
                if Task.isCancelled { return }
                return Self.tell(finding, remedy, log)
            }
        }
    }

    /// Logs why the program ends.
    static func tell(_ finding: Text, _ remedy: Text, _ log: LogSink) {
        log.log(.warning, "renewal", ["text": .string(finding), "remedy": .string(remedy)])
    }
}
