package import Credentials
package import Kiosk
package import LinuxIO
package import Settings
package import TrustFiles

/// The basis of a gate's verdicts from its start: trust data, rules in force, and the policy that follows
/// from both under its configuration.
package struct VerificationBasis: Sendable {
    /// The trust data.
    package let trust: TrustReading
    /// The rules.
    package let rules: RulesInForce
    /// The policy by which visitors are judged under these rules.
    package let policy: VerificationPolicy

    /// Reads the configured files and reports their faults. While trust data cannot be used, the gate admits
    /// no visitor. If a policy file cannot be used, the gate uses the last good copy of that file.
    package init(
        _ configuration: Configuration, _ log: LogSink, _ report: @escaping HealthReporter
    ) throws(TrustDirectoryError) {
        trust = try TrustState(configuration.trust).begin(report)
        rules = RulesInForce(file: configuration.policy.file, over: trust.directory) {
            PolicyState(path: $0, folder: configuration.trust.state).begin(log, report)
        }
        policy = ConfiguredPolicy.rules(of: configuration, under: rules.rules)
    }

    /// A new verifier with both.
    package var verifier: Verifier { Verifier(trust: trust.directory.store, policy: policy) }
}
