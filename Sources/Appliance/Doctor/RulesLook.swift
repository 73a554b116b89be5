import Credentials
import Encoding
import Glibc

/// Reads trust data and rules as the service would at a start now, and says what of them needs somebody.
struct RulesLook {
    private let configuration: Configuration
    private let now: Timestamp

    init(_ configuration: Configuration, at now: Timestamp) { (self.configuration, self.now) = (configuration, now) }

    /// What is to be known of both.
    var facts: (MachineFacts.Trust?, MachineFacts.Policy?) {
        let section = configuration.trust
        guard [section.directory, section.state].allSatisfy(Self.mayLook) else { return (nil, .unseen) }
        if let file = configuration.policy.file, !Self.mayLook(file) { return (nil, .unseen) }
        do throws(TrustDirectoryError) {
            let reading = try TrustState(configuration.trust).read()
            return (trust(reading), policy(reading.directory))
        } catch {
            return (.unusable(error.summary), configuration.policy.file.map { policyFile($0, nil) })
        }
    }

    /// Whether this program is kept out; what is not there anybody may know.
    private static func mayLook(_ path: String) -> Bool { access(path, R_OK) == 0 || errno != EACCES }

    // MARK: - Trust

    private func trust(_ reading: TrustReading) -> MachineFacts.Trust {
        let store = reading.directory.store
        let today = TrustReport(reading.directory, at: WallTime(utc: now, provenance: .given)).findings
        let horizon = now.advanced(by: Doctor.horizon)
        let later = TrustReport(reading.directory, at: WallTime(utc: horizon, provenance: .given)).findings
        // What a refresher keeps fresh is fresh again by then.
        let refreshed = configuration.trust.refresh ? Set(store.refreshResources.map(\.id.string)) : []
        let soon = later.filter { !today.contains($0) && !refreshed.contains($0.subject) }
        let roots = store.listedRoots
        return .usable(
            version: store.version, issuers: store.listedIssuers.count, bundle: reading.fault?.summary,
            findings: today.map { "\($0.subject) \($0.message)" }
                + roots.filter { $0.notAfter < now }.map { "the root \($0.name) ended \(Self.day($0.notAfter))" },
            soon: soon.map { "on \(Self.day(horizon)): \($0.subject) \($0.message)" }
                + roots.filter { now <= $0.notAfter && $0.notAfter < horizon }
                .map { "the root \($0.name) ends \(Self.day($0.notAfter))" })
    }

    private static func day(_ date: Timestamp) -> String { String(date.rfc3339.prefix(10)) }

    // MARK: - Policy

    private func policy(_ directory: TrustDirectory) -> MachineFacts.Policy? {
        if let file = configuration.policy.file { return policyFile(file, directory.store) }
        guard let rules = directory.rules else { return nil }
        // The files that test cases of a bundle name were not brought along.
        let path = configuration.trust.bundleKeys.isEmpty ? configuration.trust.directory + "/policy.toml" : nil
        return usable(rules, testedAt: path, directory.store)
    }

    private func policyFile(_ path: String, _ store: TrustStore?) -> MachineFacts.Policy {
        do throws(PolicyLoadError) {
            return usable(try PolicyFile.load(path), testedAt: path, store)
        } catch {
            return .unusable(error.summary)
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
            name: rules.name, until: rules.validUntil, tests: path == nil ? 0 : rules.tests.count, failed: failed,
            unknownGroups: unknown.map(\.string))
    }
}
