import Encoding
import Ledger
import TestKit
import Testing

@testable import Store

/// Connections that an operator deletes.
@Suite struct DeletionTests {
    private let primary = DeliveryCursor.primary

    private func visit(_ number: Int, _ store: Store) async throws {
        try await store.appendIntent(Samples.visit(number), stamp: Samples.stamp)
        try await store.appendOutcome(Samples.visit(number), Samples.accepted, stamp: Samples.stamp)
    }

    @Test func theWayToADestinationThatIsOwedSomethingStays() async throws {
        let folder = try TestFolder("store", inMemory: true)
        let store = try await Store.open(folder.database)
        try await store.connect("agent")
        try await visit(1, store)
        #expect(try await store.beginDeletion(of: "agent", isForced: false) == .owed(2))
        #expect(try await store.connections().map(\.isDeleting) == [false])
        try await store.confirm(upTo: 2, over: "agent")
        #expect(try await store.beginDeletion(of: "agent", isForced: false) == .begun(["agent"]))
        #expect(
            await store.deliveries[primary] == DeliveryCursor(primary, confirmed: 2), "the place in the ledger stays")
        #expect(try await store.beginDeletion(of: "another", isForced: true) == .unknown)
        await store.close()
    }

    /// The deletion mark survives a restart. A marked connection is not the route to any destination, and is removed
    /// only when the deletion is finished.
    @Test func aDeletionThatWasBrokenOffGoesOn() async throws {
        let folder = try TestFolder("store", inMemory: true)
        var store = try await Store.open(folder.database)
        try await store.connect("old")
        try await visit(1, store)
        #expect(try await store.beginDeletion(of: "old", isForced: true) == .begun(["old"]))
        await store.close()

        store = try await Store.open(folder.database)
        let kept = try #require(try await store.connections().first)
        #expect(kept.isDeleting && kept.snapshot == [1] && kept.made != nil)
        #expect(try await store.takeOver(primary, by: "old").connection == nil, "it does not come back")
        try await store.connect("new")
        try await store.confirm(upTo: 2, over: "new")
        #expect(
            try await store.connections().map(\.id) == ["old", "new"], "its keys are needed until its peer was told")
        #expect(
            try await store.beginDeletion(of: "old", isForced: false) == .begun(["old"]),
            "the second time is as the first")
        try await store.finishDeletion(of: "new")
        try await store.finishDeletion(of: "old")
        #expect(try await store.connections().map(\.id) == ["new"], "only what is marked is forgotten")
        #expect(try await store.audit().isIntact)
        await store.close()
    }

    /// The last request determines whether the peer is notified, even during the notification.
    @Test func theChoiceToNotifyThePeerIsKept() async throws {
        let folder = try TestFolder("store", inMemory: true)
        var store = try await Store.open(folder.database)
        for id in ["one", "two", "three"] as [Text] { try await store.saveConnection(id, [1]) }
        _ = try await store.beginDeletion(of: "one", isForced: false)
        for tellsPeer in [true, false] {
            _ = try await store.beginDeletion(of: "two", isForced: false, tellsPeer: tellsPeer)
        }
        await store.close()
        store = try await Store.open(folder.database)
        let kept = try await store.connections()
        #expect(kept.map(\.isDeleting) == [true, true, false] && kept.map(\.tellsPeer) == [true, false, false])
        for id in kept.map(\.id) { try await store.finishDeletion(of: id) }
        #expect(try await store.connections().map(\.id) == ["three"])
        await store.close()
    }

    /// Earlier replaced connections are marked, too. Otherwise one of them would become the route again.
    @Test func withTheWayGoThoseThatItReplaced() async throws {
        let folder = try TestFolder("store", inMemory: true)
        let store = try await Store.open(folder.database)
        try await store.cursor(of: "copy")
        for id in ["one", "two", "way"] as [Text] { try await store.connect(id) }
        try await store.connect("elsewhere", to: "copy")
        try await store.saveConnection("later", [1])
        #expect(
            try await store.beginDeletion(of: "one", isForced: false) == .begun(["one"]), "it is the way to nowhere")
        #expect(try await store.beginDeletion(of: "way", isForced: false) == .begun(["way", "one", "two"]))
        #expect(try await store.connections().filter { !$0.isDeleting }.map(\.id) == ["elsewhere", "later"])
        await store.close()
    }
}
