package import Credentials
package import Kiosk
package import LinuxIO

/// What a gate judges by from its start: trust data, the rules in force, and what both come to under its configuration.
package struct Judgement: Sendable {
    /// The trust data.
    package let trust: TrustReading
    /// The rules.
    package let rules: RulesInForce
    /// What visitors are judged by under these rules.
    package let policy: VerificationPolicy

    /// Reads what the configuration names, and reports what is wrong with it. What cannot be used lets no visitor in
    /// until it is mended; of a policy file the last good copy serves.
    package init(
        _ configuration: Configuration, _ log: LogSink, _ report: @escaping HealthReporter
    ) throws(TrustDirectoryError) {
        trust = try TrustState(configuration.trust).begin(report)
        rules = RulesInForce(file: configuration.policy.file, over: trust.directory) {
            PolicyState(path: $0, folder: configuration.trust.state).begin(log, report)
        }
        policy = Composition.rules(of: configuration, under: rules.rules)
    }

    /// The verifier of both.
    package var verifier: Verifier { Verifier(trust: trust.directory.store, policy: policy) }
}
