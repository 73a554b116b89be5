import Aries
import DIDComm
import Encoding
import Testing

@testable import Mailboxes

/// The use of a mailbox by connections, which survives a restart and the end of the connections.
@Suite struct MediatorUseTests {
    private func restored(_ snapshot: JSON) throws -> Bool {
        try Mediator(restoring: snapshot, configuration: MediatorHarness.configuration, random: stream(9)).isUsed
    }

    @Test func theUseOfAMailboxIsStored() throws {
        let harness = try MediatorHarness(hasPickup: true)
        try harness.start()
        harness.run(for: .seconds(5))
        let fresh = try #require(harness.stored.mailbox)
        #expect(try !restored(fresh))
        harness.feed(.connected(connection: "c"))
        harness.feed(.close(connection: "c"))
        harness.run(for: .seconds(30))
        #expect(harness.mailbox.connections.isEmpty)
        #expect(try restored(try #require(harness.stored.mailbox)))
    }

    /// In a snapshot of an earlier version, a mailbox that knows a connection counts as used.
    @Test func anEarlierSnapshotIsRead() throws {
        let harness = try MediatorHarness(hasPickup: true)
        try harness.start()
        harness.run(for: .seconds(5))
        var object = try #require(harness.stored.mailbox?.object)
        #expect(object["keys"]?.array?.isEmpty == false)
        object["used"] = nil
        #expect(try restored(.object(object)))
        object["keys"] = []
        #expect(try !restored(.object(object)))
    }
}
