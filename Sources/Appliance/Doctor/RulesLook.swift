import Credentials
import Encoding
import Glibc
import Kiosk

/// Reads trust data and rules as the service would at a start now, and says what of them needs somebody.
struct RulesLook {
    private let configuration: Configuration
    private let now: Timestamp

    init(_ configuration: Configuration, at now: Timestamp) { (self.configuration, self.now) = (configuration, now) }

    /// What is to be known of both, and what ends.
    var facts: (MachineFacts.Trust?, MachineFacts.Policy?, [Expiry]) {
        let section = configuration.trust
        guard [section.directory, section.state].allSatisfy(Self.mayLook) else { return (nil, .unseen, []) }
        if let file = configuration.policy.file, !Self.mayLook(file) { return (nil, .unseen, []) }
        do throws(TrustDirectoryError) {
            let reading = try TrustState(configuration.trust).read()
            let (rules, policy) = policy(reading.directory)
            let profile = reading.directory.profile ?? .strict
            let verifier = Verifier(trust: reading.directory.store, policy: VerificationPolicy(profile: profile))
            let expiries = Expiries.trust(verifier, fetchedFrom: section.fetchedFrom)
            return (trust(reading), policy, expiries + Expiries.gate(configuration, rules: rules))
        } catch {
            let (rules, policy) = configuration.policy.file.map { policyFile($0, nil) } ?? (nil, nil)
            return (.unusable(error.summary), policy, Expiries.gate(configuration, rules: rules))
        }
    }

    /// Whether this program is kept out; what is not there anybody may know.
    private static func mayLook(_ path: String) -> Bool { access(path, R_OK) == 0 || errno != EACCES }

    // MARK: - Trust

    private func trust(_ reading: TrustReading) -> MachineFacts.Trust {
        let store = reading.directory.store
        let today = TrustReport(reading.directory, at: WallTime(utc: now, provenance: .given)).findings
        return .usable(
            version: store.version, issuers: store.listedIssuers.count, lack: store.lack,
            bundle: reading.fault?.summary,
            findings: today.filter { !$0.isOver }.map { "\($0.subject) \($0.message)" })
    }

    // MARK: - Policy

    private func policy(_ directory: TrustDirectory) -> (GatePolicy?, MachineFacts.Policy?) {
        if let file = configuration.policy.file { return policyFile(file, directory.store) }
        guard let rules = directory.rules else { return (nil, nil) }
        // The files that test cases of a bundle name were not brought along.
        let path = configuration.trust.bundleKeys.isEmpty ? configuration.trust.directory + "/policy.toml" : nil
        return (rules, usable(rules, testedAt: path, directory.store))
    }

    private func policyFile(_ path: String, _ store: TrustStore?) -> (GatePolicy?, MachineFacts.Policy?) {
        do throws(PolicyLoadError) {
            let rules = try PolicyFile.load(path)
            return (rules, usable(rules, testedAt: path, store))
        } catch {
            return (nil, .unusable(error.summary))
        }
    }

    private func usable(_ rules: GatePolicy, testedAt path: String?, _ store: TrustStore?) -> MachineFacts.Policy {
        var failed: [String] = []
        if let path {
            var trial = PolicyTrial(rules, path: path)
            for test in rules.tests where !trial.run(test).passed { failed.append(test.name.string) }
        }
        let unknown = rules.groups.sorted().filter { name in store.map { $0.members(ofGroup: name) == nil } ?? false }
        return .usable(
            name: rules.name, tests: path == nil ? 0 : rules.tests.count, failed: failed,
            unknownGroups: unknown.map(\.string))
    }
}
