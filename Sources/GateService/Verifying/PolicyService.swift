package import Clocks
package import Credentials
import Crypto
import Encoding
package import Kiosk
package import LinuxIO
import Reasons
import ServiceLifecycle
package import TrustFiles

/// Puts a changed policy file in force while visits take place. A verification in progress keeps its rules; the next
/// one uses the new rules.
package actor PolicyService: ServiceLifecycle.Service {
    private let state: PolicyState?
    private let defaults: VerificationPolicy
    private let direction: GateDirection?
    private let verifiers: CurrentVerifier
    private let log: LogSink
    private let report: HealthReporter
    private let times: Periodic
    /// The digest of the file at the last check (`seen`), and the digest of the last file that could not be used
    /// (`refused`).
    private var seen: [UInt8] = []
    private var refused: [UInt8] = []

    /// Creates a service. The rules in `verifiers` are already in force.
    ///
    /// - Parameters:
    ///   - state: The policy file; nil: no policy file is configured, and the service does nothing.
    ///   - defaults: The policy for everything that the rules do not set.
    ///   - direction: The direction in which the gate is passed; nil: none is configured.
    ///   - verifiers: Receives new rules.
    ///   - log: Receives a line for each change of the rules.
    ///   - report: Receives the fault of a file that cannot be used, and its end.
    ///   - clock: Measures the time between two checks of the file.
    ///   - pause: The time between two checks of the file.
    package init(
        _ state: PolicyState?, over defaults: VerificationPolicy, direction: GateDirection?,
        verifiers: CurrentVerifier, log: LogSink, report: @escaping HealthReporter, clock: Clock,
        pause: Duration = .seconds(5)
    ) {
        (self.state, self.defaults, self.direction) = (state, defaults, direction)
        (self.verifiers, self.log, self.report) = (verifiers, log, report)
        times = Periodic(every: pause, by: clock)
    }

    package func run() async {
        await cancelWhenGracefulShutdown { await self.work() }
    }

    private func work() async { await times.run { _ in turn() } }

    /// Checks the policy file once, and puts it in force if it has changed and is complete.
    package func turn() {
        guard let state else { return }
        guard let bytes = state.bytes() else {
            return report(PolicyState.fault(.unreadable(state.path), under: verifiers.current.policy.rules))
        }
        let stamp = Array(SHA256.hash(data: bytes))
        defer { seen = stamp }
        // If two checks found the same digest, no program is in the middle of writing the file.
        guard stamp == seen, stamp != refused else { return }
        if stamp == verifiers.current.policy.rules?.digest {
            refused = []  // the file contains the rules in force again
            return report(.over(.policyFile))
        }
        do throws(PolicyLoadError) {
            let rules = try PolicyFile.parse(bytes, file: state.path)
            verifiers.replace(policy: VerificationPolicy(rules, over: defaults, direction: direction))
            refused = []
            report(.over(.policyFile))
            Self.log(
                RulesInForce(file: state.path, over: nil) { _ in rules }, by: verifiers.current.trust, log)
            state.remember(bytes, log)
        } catch {
            // Keep the rules in force: a mistake in the file must neither open the gate nor shut it.
            refused = stamp
            report(PolicyState.fault(error, under: verifiers.current.policy.rules))
        }
    }

    /// Logs the rules that came into force, and a warning for each of their groups that contains no trusted issuer.
    package static func log(_ inForce: RulesInForce, by trust: TrustStore, _ log: LogSink) {
        let source: JSON = .text(inForce.source.words)
        guard let rules = inForce.rules else { return log.log(.info, "policy", ["version": "none", "source": source]) }
        log.log(.info, "policy", ["version": .text(rules.name), "source": source])
        for group in rules.groups.sorted() where trust.members(ofGroup: group) == nil {
            let remedy =
                "no [[issuer]] has groups = [\"\(group)\"]: its accept rules admit no credential, its deny rules "
                + "reject every credential"
            log.log(.warning, "policy.group-unknown", ["group": .string(group), "remedy": .text(remedy)])
        }
    }
}
