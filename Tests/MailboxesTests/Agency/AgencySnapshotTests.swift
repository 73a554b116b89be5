import Aries
import DIDComm
import Encoding
import Mailboxes
import Testing
import VirtualKit

/// The stored state of a mailbox at an agency.
@Suite struct AgencySnapshotTests {
    private func snapshot() throws -> (JSON, AgencySettings) {
        let harness = try AgencyHarness(.evernym) { $0.webhook = .init(id: "k", url: "https://kiosk.test") }
        harness.start()
        for name in ["a", "b", "b", "c"] as [Text] { harness.open(name) }
        harness.agency.faults.errors = .max
        harness.close("c")
        return (try JSON.parse(try #require(harness.stored)), harness.settings)
    }

    private func restore(_ snapshot: JSON, _ settings: AgencySettings) throws -> JSON {
        try AgencyMailbox(restoring: snapshot, settings, random: stream(1)).snapshot
    }

    @Test func aSnapshotIsRestoredAsStored() throws {
        let (snapshot, settings) = try snapshot()
        let states = (snapshot["connections"]?.array ?? []).map { $0["state"]?.string }
        #expect(states == [nil, "earlier", nil, "closing"])
        #expect(snapshot["label"] == .text("agency \(settings.agency.did)"))
        #expect(try restore(snapshot, settings) == snapshot)
    }

    @Test func spoiltSnapshotsAreRefused() throws {
        let (snapshot, settings) = try snapshot()
        for name in ["version", "kind", "dialect", "agency", "owner", "stage", "agent", "connections"] as [Text] {
            for value in [nil, "?", 7, [1], [:]] as [JSON?] {
                var object = try #require(snapshot.object)
                object[name] = value
                #expect(throws: SnapshotError.self, "\(name) \(String(describing: value))") {
                    try restore(.object(object), settings)
                }
            }
        }
        let connection = try #require(snapshot["connections"]?.array?.first?.object)
        for name in ["connection", "seed", "agent", "state"] as [Text] {
            var (object, spoilt) = (try #require(snapshot.object), connection)
            spoilt[name] = ["?"]
            object["connections"] = [.object(spoilt)]
            #expect(throws: SnapshotError.malformed, "\(name)") { try restore(.object(object), settings) }
        }
        var object = try #require(snapshot.object)
        object["connections"] = [.object(connection), .object(connection)]  // the same key twice
        #expect(throws: SnapshotError.malformed) { try restore(.object(object), settings) }
        object["connections"] = .array(Array(repeating: .object(connection), count: 257))
        #expect(throws: SnapshotError.malformed) { try restore(.object(object), settings) }
    }
}
