import Credentials
import Encoding
import Features
import Foundation
import Observation
import Settings
import Testing
import TrustFiles

@testable import Monitoring

/// The status of the age of trust data, and of the rules in force.
@Suite struct StatusPartsTests {
    private let now = Timestamp(seconds: 1_790_000_000)

    private func trust(_ fixture: TrustFixture, fetchedFrom hosts: Set<Text>?) throws -> StatusReport.Trust {
        let store = try TrustDirectory(path: fixture.path + "/directory").store
        return StatusParts.trust(
            Verifier(trust: store), rules: RulesInForce(file: nil, over: nil), fetchedFrom: hosts, at: now)
    }

    /// A file that is never fetched has only its own age, so that no alert is raised for it.
    @Test func onlyWhatIsFetchedCountsAsRefreshed() throws {
        let fixture = try TrustFixture()
        try fixture.write("directory/did/issuer.json", TrustFixture.document())
        for hosts in [nil, ["other.example:443"]] as [Set<Text>?] {
            let trust = try trust(fixture, fetchedFrom: hosts)
            #expect(trust.oldest != nil && trust.refreshed == nil, "\(trust)")
        }
        for hosts in [[], ["issuer.example:443"]] as [Set<Text>] {
            let trust = try trust(fixture, fetchedFrom: hosts)
            #expect(trust.refreshed != nil && trust.refreshed == trust.oldest, "\(trust)")
        }
        // A document of another issuer, at a host that is not asked, does not affect `refreshed`.
        try fixture.write("directory/did/other.json", TrustFixture.document(id: "did:web:old.example"))
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)],
            ofItemAtPath: fixture.path + "/directory/did/other.json")
        let both = try trust(fixture, fetchedFrom: [])
        #expect(both.oldest == Timestamp(seconds: 1_000_000_000) && both.refreshed != both.oldest, "\(both)")
    }

    /// The status names the rules, for programs and for people, and their source: a file, the directory, a
    /// bundle, or none.
    @Test func theRulesInForceAreNamed() throws {
        let fixture = try TrustFixture()
        func status(_ trust: TrustDirectory, _ more: String = "") throws -> StatusReport.Trust {
            let text = "[kiosk]\nname = \"Gate\"\n[trust]\ndirectory = \"directory\"\n\(more)"
            let configuration = try Configuration.parse(
                Array(text.utf8), file: "gate.toml", folder: fixture.path)
            let rules = RulesInForce(file: configuration.policy.file, over: trust)
            let verifier = Verifier(
                trust: trust.store, policy: ConfiguredPolicy.rules(of: configuration, under: rules.rules))
            return StatusParts.trust(
                verifier, rules: RulesInForce(verifier, configuration), fetchedFrom: nil, at: now)
        }
        let bare = try status(try TrustDirectory(path: fixture.path + "/directory"))
        #expect(bare.policySource == "none" && bare.policy == nil && bare.policyFile == nil, "\(bare)")
        let rules = "id = \"gate\"\nversion = \"7\"\n[[accept]]\nid = \"all\"\n"
        try fixture.write("directory/policy.toml", rules)
        let directory = try TrustDirectory(path: fixture.path + "/directory")
        let kept = try status(directory)
        #expect(kept.policySource == "directory" && kept.policy?.hasPrefix("gate@7 sha256:") == true)
        #expect(kept.policyFile?.string == fixture.path + "/directory/policy.toml", "\(kept)")
        let bytes = try fixture.bundle(3, ["issuers.toml": TrustFixture.issuers(), "policy.toml": rules])
        let bundle = try TrustDirectory(TrustBundle(bytes, keys: [fixture.operatorKey.publicKey]), name: "bundle")
        let signed = try status(bundle)
        #expect(signed.policySource == "bundle" && signed.policyFile == nil, "\(signed)")
        #expect(signed.policyOrigin?.hasPrefix("from policy.toml in bundle 3 sha256:") == true, "\(signed)")
        try fixture.write("own.toml", rules.replacing("gate", with: "own"))
        let own = try status(directory, "[policy]\nfile = \"own.toml\"\n")
        #expect(own.policySource == "file" && own.policy?.hasPrefix("own@7 ") == true, "\(own)")
        #expect(own.policyFile?.string == fixture.path + "/own.toml", "\(own)")
        // The profile in the rules takes precedence over the configuration's, and the configuration's over
        // the trust data's.
        #expect(own.profile == .strict)
        try fixture.write("directory/issuers.toml", "profile = \"compat\"\n" + TrustFixture.issuers())
        let lenient = try TrustDirectory(path: fixture.path + "/directory")
        #expect(try status(lenient).profile == .compat)
        #expect(try status(lenient, "profile = \"trust\"\n").profile == .compat)
        #expect(try status(lenient, "profile = \"strict\"\n").profile == .strict)
        try fixture.write("own.toml", "profile = \"compat\"\n" + rules)
        let file = "profile = \"strict\"\n[policy]\nfile = \"own.toml\"\n"
        #expect(try status(lenient, file).profile == .compat)
    }
}
