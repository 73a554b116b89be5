import Credentials
import Encoding
import Foundation
import Testing

@testable import Appliance

/// What the status says of the age of trust data.
@Suite struct StatusPartsTests {
    private let now = Timestamp(seconds: 1_790_000_000)

    private func trust(_ fixture: TrustFixture, fetchedFrom hosts: Set<Text>?) throws -> JSON {
        let store = try TrustDirectory(path: fixture.path + "/directory").store
        return StatusParts.trust(store, rules: nil, fetchedFrom: hosts, at: now)
    }

    /// A file that nobody fetches is as old as it is, and no alert is to be made of that.
    @Test func onlyWhatIsFetchedCountsAsRefreshed() throws {
        let fixture = try TrustFixture()
        try fixture.write("directory/did/issuer.json", TrustFixture.document())
        for hosts in [nil, ["other.example:443"]] as [Set<Text>?] {
            let trust = try trust(fixture, fetchedFrom: hosts)
            #expect(trust["oldest"]?.string != nil && trust["refreshed"] == nil, "\(trust)")
        }
        for hosts in [[], ["issuer.example:443"]] as [Set<Text>] {
            let trust = try trust(fixture, fetchedFrom: hosts)
            #expect(trust["refreshed"]?.string != nil && trust["refreshed"] == trust["oldest"], "\(trust)")
        }
        // One that others sign for, at a host that is not asked, holds nothing up.
        try fixture.write("directory/did/other.json", TrustFixture.document(id: "did:web:old.example"))
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)],
            ofItemAtPath: fixture.path + "/directory/did/other.json")
        let both = try trust(fixture, fetchedFrom: [])
        #expect(both["oldest"]?.string == "2001-09-09T01:46:40.000Z" && both["refreshed"] != both["oldest"], "\(both)")
    }
}
