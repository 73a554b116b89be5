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
        let both = try await Databases.open(folder.database)
        try await both.connect("agent")
        try await visit(1, both.store)
        #expect(try await both.beginDeletion(of: "agent", isForced: false) == .owed(2))
        #expect(try await both.courier.connections().map(\.isDeleting) == [false])
        try await both.confirm(upTo: 2, over: "agent")
        #expect(try await both.beginDeletion(of: "agent", isForced: false) == .begun(["agent"]))
        #expect(
            await both.store.deliveries[primary] == DeliveryCursor(primary, confirmed: 2),
            "the place in the ledger stays")
        #expect(try await both.beginDeletion(of: "another", isForced: true) == .unknown)
        await both.close()
    }

    /// The deletion mark survives a restart. A marked connection is not the route to any destination, and is removed
    /// only when the deletion is finished.
    @Test func aDeletionThatWasBrokenOffGoesOn() async throws {
        let folder = try TestFolder("store", inMemory: true)
        var both = try await Databases.open(folder.database)
        try await both.connect("old")
        try await visit(1, both.store)
        #expect(try await both.beginDeletion(of: "old", isForced: true) == .begun(["old"]))
        await both.close()

        both = try await Databases.open(folder.database)
        let kept = try #require(try await both.courier.connections().first)
        #expect(kept.isDeleting && kept.snapshot == [1] && kept.made != nil)
        #expect(try await both.takeOver(primary, by: "old").connection == nil, "it does not come back")
        try await both.connect("new")
        try await both.confirm(upTo: 2, over: "new")
        #expect(
            try await both.courier.connections().map(\.id) == ["old", "new"],
            "its keys are needed until its peer was told")
        #expect(
            try await both.beginDeletion(of: "old", isForced: false) == .begun(["old"]),
            "the second time is as the first")
        try await both.courier.finishDeletion(of: "new")
        try await both.courier.finishDeletion(of: "old")
        #expect(try await both.courier.connections().map(\.id) == ["new"], "only what is marked is forgotten")
        #expect(try await both.store.audit().isIntact)
        await both.close()
    }

    /// The last request determines whether the peer is notified, even during the notification.
    @Test func theChoiceToNotifyThePeerIsKept() async throws {
        let folder = try TestFolder("store", inMemory: true)
        var both = try await Databases.open(folder.database)
        for id in ["one", "two", "three"] as [Text] { try await both.courier.saveConnection(id, [1]) }
        _ = try await both.beginDeletion(of: "one", isForced: false)
        for tellsPeer in [true, false] {
            _ = try await both.beginDeletion(of: "two", isForced: false, tellsPeer: tellsPeer)
        }
        await both.close()
        both = try await Databases.open(folder.database)
        let kept = try await both.courier.connections()
        #expect(kept.map(\.isDeleting) == [true, true, false] && kept.map(\.tellsPeer) == [true, false, false])
        for id in kept.map(\.id) { try await both.courier.finishDeletion(of: id) }
        #expect(try await both.courier.connections().map(\.id) == ["three"])
        await both.close()
    }

    /// Earlier replaced connections are marked, too. Otherwise one of them would become the route again.
    @Test func withTheWayGoThoseThatItReplaced() async throws {
        let folder = try TestFolder("store", inMemory: true)
        let both = try await Databases.open(folder.database)
        try await both.store.cursor(of: "copy")
        for id in ["one", "two", "way"] as [Text] { try await both.connect(id) }
        try await both.connect("elsewhere", to: "copy")
        try await both.courier.saveConnection("later", [1])
        #expect(
            try await both.beginDeletion(of: "one", isForced: false) == .begun(["one"]), "it is the way to nowhere")
        #expect(try await both.beginDeletion(of: "way", isForced: false) == .begun(["way", "one", "two"]))
        #expect(try await both.courier.connections().filter { !$0.isDeleting }.map(\.id) == ["elsewhere", "later"])
        await both.close()
    }

    /// A connection that has become the connection to the mailbox may still be the route. Its deletion leaves no route.
    @Test func aDeletedMailboxIsNoRoute() async throws {
        let folder = try TestFolder("store", inMemory: true)
        let both = try await Databases.open(folder.database)
        try await both.connect("agent")
        try await both.connect("other", to: "copy")
        try await both.courier.saveConnection("agent", [2], to: "mailbox")
        #expect(try await both.beginDeletion(of: "agent", isForced: false) == .begun(["agent"]))
        #expect(await both.store.deliveries[primary]?.connection == nil)
        #expect(await both.store.deliveries["copy"]?.connection == "other")
        await both.close()
    }

    /// The link of a connection may still run when its destination is forgotten. It stores nothing more.
    @Test func aConnectionToAForgottenDestinationDoesNotComeBack() async throws {
        let folder = try TestFolder("store", inMemory: true)
        let both = try await Databases.open(folder.database)
        try await both.connect("agent")
        try await both.connect("other", to: "copy")
        let requests = CourierStore.requestsName(of: "copy")
        try await both.courier.saveConnection("asks", [1], to: requests)
        try await both.forgetDestinations(except: [])
        try await both.courier.saveConnection("other", [2], to: "copy")
        try await both.courier.saveConnection("asks", [2], to: requests)
        try await both.courier.saveConnection("agent", [2])
        #expect(try await both.courier.connections().map(\.id) == ["agent"])
        await both.close()
    }
}
