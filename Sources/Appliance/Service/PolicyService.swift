package import Credentials
import Crypto
import Encoding
package import Kiosk
package import LinuxIO
import ServiceLifecycle

/// Puts the policy file in force anew when somebody has changed it, while visits go on: a visit under way keeps the rules that
/// it began with, the next one gets the new.
package actor PolicyService: ServiceLifecycle.Service {
    private let state: PolicyState?
    private let defaults: VerificationPolicy
    private let direction: GateDirection?
    private let verifiers: VerifierInForce
    private let log: LogSink
    private let report: HealthReporter
    private let pause: Duration
    /// The file as it was when it was last looked at, and as it was when it could not be used.
    private var seen: [UInt8] = []
    private var refused: [UInt8] = []

    /// A service over the rules that are in force already.
    ///
    /// - Parameters:
    ///   - state: The policy file; nil: there is none, and nothing to do.
    ///   - defaults: What holds where the rules say nothing.
    ///   - direction: Which way the gate leads.
    ///   - verifiers: Where new rules are put in force.
    ///   - log: Where changes are told.
    ///   - report: Told that the file cannot be used, and that it can be again.
    ///   - pause: How often the file is looked at.
    package init(
        _ state: PolicyState?, over defaults: VerificationPolicy, direction: GateDirection?,
        verifiers: VerifierInForce, log: LogSink, report: @escaping HealthReporter, pause: Duration = .seconds(5)
    ) {
        (self.state, self.defaults, self.direction) = (state, defaults, direction)
        (self.verifiers, self.log, self.report, self.pause) = (verifiers, log, report, pause)
    }

    package func run() async {
        await cancelWhenGracefulShutdown { await self.work() }
    }

    private func work() async {
        while !Task.isCancelled {
            turn()
            try? await Task.sleep(for: pause)
        }
    }

    /// One look at the file.
    package func turn() {
        guard let state else { return }
        guard let bytes = state.bytes() else {
            return report(PolicyState.fault(.unreadable(state.path), under: verifiers.current.policy.rules))
        }
        let stamp = Array(SHA256.hash(data: bytes))
        defer { seen = stamp }
        // Twice the same: nobody is in the middle of writing it.
        guard stamp == seen, stamp != refused else { return }
        if stamp == verifiers.current.policy.rules?.digest {
            refused = []  // what is in force was put back
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
            // The rules in force stay: a slip must neither open the gate nor shut it.
            refused = stamp
            report(PolicyState.fault(error, under: verifiers.current.policy.rules))
        }
    }

    /// Logs which rules came into force, and groups in them that no issuer is in.
    static func log(_ inForce: RulesInForce, by trust: TrustStore, _ log: LogSink) {
        let source: JSON = .text(inForce.source.words)
        guard let rules = inForce.rules else { return log.log(.info, "policy", ["version": "none", "source": source]) }
        log.log(.info, "policy", ["version": .text(rules.name), "source": source])
        for group in rules.groups.sorted() where trust.members(ofGroup: group) == nil {
            let remedy =
                "no [[issuer]] has groups = [\"\(group)\"]: accept rules for it let nobody in, deny rules keep all out"
            log.log(.warning, "policy.group-unknown", ["group": .string(group), "remedy": .text(remedy)])
        }
    }
}
