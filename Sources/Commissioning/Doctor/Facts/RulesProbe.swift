import Credentials
import Encoding
import Features
import Glibc
import Kiosk
import Settings
import TrustFiles

/// Reads trust data and policy as the service would at a start now, and returns the facts that the doctor evaluates.
struct RulesProbe {
    private let configuration: Configuration
    private let now: Timestamp

    init(_ configuration: Configuration, at now: Timestamp) { (self.configuration, self.now) = (configuration, now) }

    /// The facts about the trust data and the policy, and all expiry dates.
    var facts: (MachineFacts.Trust?, MachineFacts.Policy?, [Expiry]) {
        let section = configuration.trust
        guard [section.directory, section.state].allSatisfy(Self.mayLook) else { return (nil, .unseen, []) }
        if let file = configuration.policy.file, !Self.mayLook(file) { return (nil, .unseen, []) }
        do throws(TrustDirectoryError) {
            let reading = try TrustState(configuration.trust).read()
            let inForce = RulesInForce(file: configuration.policy.file, over: reading.directory)
            let verifier = Verifier(
                trust: reading.directory.store,
                policy: ConfiguredPolicy.rules(of: configuration, under: inForce.rules))
            let expiries = Expiries.trust(verifier, fetchedFrom: section.fetchedFrom)
            return (
                trust(reading, inForce, verifier.policy), policy(inForce, reading.directory.store),
                expiries + Expiries.gate(configuration, rules: inForce.rules) + FeatureList.expiries(configuration)
            )
        } catch {
            let inForce = RulesInForce(file: configuration.policy.file, over: nil)
            return (
                .unusable(error.summary), inForce.source == .none ? .unread : policy(inForce, nil),
                Expiries.gate(configuration, rules: inForce.rules) + FeatureList.expiries(configuration)
            )
        }
    }

    /// Returns false only if this program is denied access to the path. A path that does not exist counts as readable.
    private static func mayLook(_ path: String) -> Bool { access(path, R_OK) == 0 || errno != EACCES }

    // MARK: - Trust

    private func trust(
        _ reading: TrustReading, _ inForce: RulesInForce, _ judging: VerificationPolicy
    ) -> MachineFacts.Trust {
        let store = reading.directory.store
        let today = TrustReport(
            reading.directory, rules: inForce, under: judging, at: WallTime(utc: now, provenance: .given)
        ).findings
        // Omit expired data, which is among the expiry dates, and faults of the policy, which has its own findings.
        let findings = today.filter { !$0.isOver && $0.subject != TrustReport.policy }
        return .usable(
            version: store.version, issuers: store.listedIssuers.count, lack: store.lack,
            bundle: reading.fault?.summary, findings: findings.map { "\($0.subject) \($0.message)" })
    }

    // MARK: - Policy

    private func policy(_ inForce: RulesInForce, _ store: TrustStore?) -> MachineFacts.Policy? {
        if let problem = inForce.problem { return .unusable(problem.summary) }
        guard let rules = inForce.rules else { return nil }
        // Skip test cases that name files if the policy is part of a bundle: a bundle does not contain these files.
        let tests = rules.tests.filter { inForce.source.path != nil || !$0.needsFiles }
        var trial = PolicyCheck(rules, path: inForce.source.path ?? "")
        var failed: [String] = []
        for test in tests where !trial.run(test).passed { failed.append(test.name.string) }
        let unknown = rules.groups.sorted().filter { name in store.map { $0.members(ofGroup: name) == nil } ?? false }
        return .usable(
            name: rules.name, origin: inForce.origin, tests: tests.count, failed: failed,
            unknownGroups: unknown.map(\.string))
    }
}
