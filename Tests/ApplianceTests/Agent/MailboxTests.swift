import Aries
import DIDComm
import Encoding
import Foundation
import HTTPTransport
import Ledger
import Simulation
import Store
import TestKit
import Testing

@testable import Courier

/// A mailbox at the agent itself: two connections from one invitation, the real database, and restarts after
/// a kill at any write.
@Suite(.timeLimit(.minutes(10)), .tags(.realTime)) struct MailboxTests {
    private func withWorld(
        hasPickup: Bool, _ body: (MailKiosk.World, VirtualAgentExchange) async throws -> Void
    ) async throws {
        try await Leftovers.ended { leftovers in
            let exchange = try VirtualAgentExchange(hasPickup: hasPickup)
            try await body(try MailKiosk.World("mailbox", await exchange.invitation, exchange, leftovers), exchange)
        }
    }

    @Test(arguments: [false, true]) func theAgentsOwnMailboxIsUsedWhenItGrantsOne(hasPickup: Bool) async throws {
        try await withWorld(hasPickup: hasPickup) { world, exchange in
            var kiosk = try await MailKiosk(world)
            try await kiosk.record(3)
            try await kiosk.wait("through the mailbox") { try await kiosk.hasMailbox }
            try await kiosk.wait("delivered") { await kiosk.isDelivered }
            #expect(await exchange.received.count == 3)
            #expect(await exchange.repetitions == 0)
            for number in 0..<20 { await exchange.withAgent { $0.send(content: Text("message \(number)")) } }
            try await kiosk.wait("heard") { kiosk.notices.messages == 20 }

            // After a restart, no released message arrives a second time, and both connections continue.
            try await kiosk.wait("released") { await exchange.withAgent { $0.mediation?.waiting == 0 } }
            await kiosk.stop()
            await exchange.withAgent { $0.send(content: "while it was off") }
            kiosk = try await MailKiosk(world)
            try await kiosk.wait("heard") { kiosk.notices.messages == 21 }
            try await kiosk.record(2)
            try await kiosk.wait("delivered") { await kiosk.isDelivered }
            #expect(try await kiosk.connections.count == 2)
            await exchange.withAgent {
                $0.send(Message.make(MessageType(.didcomm, ProtocolName("did-rotate", 1, 0), "hangup"), id: "bye"))
            }
            try await kiosk.wait("ended") { kiosk.notices.hasEnded }
        }
    }

    /// A start without the key that seals the connections: nothing is deleted, no second mailbox is made, and
    /// with the key everything continues.
    @Test func withoutTheKeyTheMailboxStays() async throws {
        try await withWorld(hasPickup: true) { world, exchange in
            var kiosk = try await MailKiosk(world)
            try await kiosk.wait("through the mailbox") { try await kiosk.hasMailbox }
            let stored = try await kiosk.connections.map(\.id)
            await kiosk.stop()
            let (files, key) = (FileManager.default, world.folder.appendingPathComponent("ledger.db.agent-key").path)
            try files.moveItem(atPath: key, toPath: key + ".away")
            kiosk = try await MailKiosk(world)
            try await kiosk.wait("told") { kiosk.notices.ofMailboxes.contains(.unreadable) }
            try await Task.sleep(for: .milliseconds(200))
            #expect(try await kiosk.connections.map(\.id) == stored)
            await kiosk.stop()
            try files.moveItem(atPath: key + ".away", toPath: key)
            await exchange.withAgent { $0.send(content: "while the key was away") }
            kiosk = try await MailKiosk(world)
            try await kiosk.wait("heard") { kiosk.notices.messages == 1 }
            #expect(try await kiosk.connections.map(\.id) == stored)
        }
    }

    @Test func theControllersConfirmationsComeThroughTheMailbox() async throws {
        try await withWorld(hasPickup: false) { world, exchange in
            await exchange.withAgent { $0.answersByMailbox = true }
            await exchange.setAcknowledging(true)
            var reports = Memory.settings
            reports = ReportSettings(format: .basicmessage, confirm: .controller)
            let kiosk = try await MailKiosk(world, reports: reports)
            try await kiosk.record(50)
            try await kiosk.wait("confirmed by the controller") { await kiosk.isDelivered }
            #expect(await exchange.received.count == 50)
        }
    }

    @Test func aDenialLeavesTheFirstConnectionAsItIs() async throws {
        try await withWorld(hasPickup: false) { world, exchange in
            await exchange.withAgent { $0.mediation?.manner = .denies }
            let kiosk = try await MailKiosk(world)
            try await kiosk.record(3)
            try await kiosk.wait("delivered") { await kiosk.isDelivered }
            #expect(kiosk.notices.denials == 1)
            #expect(try await kiosk.connections.map(\.destination) == [DeliveryCursor.primary])
        }
    }

    @Test func aSingleUseInvitationLeavesTheFirstConnectionAsItIs() async throws {
        try await withWorld(hasPickup: false) { world, exchange in
            await exchange.withAgent { $0.isSingleUse = true }
            var kiosk = try await MailKiosk(world, trial: .milliseconds(300))
            try await kiosk.record(3)
            try await kiosk.wait("given up") { kiosk.notices.givenUp == 1 }
            try await kiosk.wait("delivered") { await kiosk.isDelivered }
            #expect(try await kiosk.connections.map(\.destination) == [DeliveryCursor.primary])
            // After a restart the kiosk does not try the same invitation again.
            await kiosk.stop()
            kiosk = try await MailKiosk(world)
            try await kiosk.record(3)
            try await kiosk.wait("delivered") { await kiosk.isDelivered }
            #expect(kiosk.notices.givenUp == 1 && kiosk.notices.denials == 0)
        }
    }

    /// A connection on trial is deleted while no service runs. At the next start the connection that leads to the
    /// mailbox is not ended: it delivers again.
    @Test func aTrialThatIsDeletedWithoutAServiceIsUndone() async throws {
        try await withWorld(hasPickup: true) { world, exchange in
            await exchange.withAgent { $0.isSingleUse = true }
            var kiosk = try await MailKiosk(world)
            try await kiosk.wait("on trial") {
                try await kiosk.connections.contains { stored in
                    guard stored.destination == MailboxManagerCore.destination else { return false }
                    return try JSON.parse(stored.snapshot)["keys"]?.array?.isEmpty == false
                }
            }
            let stored = try await kiosk.connections
            let first = try #require(stored.first { $0.destination == MailboxManagerCore.destination }?.id)
            let trial = try #require(stored.first { $0.destination == DeliveryCursor.primary }?.id)
            await kiosk.stop()
            let store = try await Store.opened(in: world.folder)
            let courier = try await CourierStore.opened(besides: store)
            let isActive = await store.deliveries[DeliveryCursor.primary]?.connection == trial
            _ = try await courier.beginDeletion(of: trial, withReplaced: isActive, tellsPeer: false)
            try await store.letGo(of: trial)
            try await courier.finishDeletion(of: trial)
            await courier.close()
            await store.close()

            kiosk = try await MailKiosk(world, trial: .milliseconds(300))
            try await kiosk.record(3)
            try await kiosk.wait("delivered") { await kiosk.isDelivered }
            let left = try await kiosk.connections
            #expect(left.map(\.id) == [first] && left.allSatisfy { !$0.isDeleting })
        }
    }

    @Test func aMailboxElsewhereIsUsedByExistingConnections() async throws {
        try await withWorld(hasPickup: true) { world, exchange in
            var kiosk = try await MailKiosk(world, .none)
            try await kiosk.record(3)
            try await kiosk.wait("delivered") { await kiosk.isDelivered }
            #expect(try await kiosk.connections.count == 1)
            await kiosk.stop()
            kiosk = try await MailKiosk(world, .invitation("file"))
            try await kiosk.wait("through the mailbox") { try await kiosk.hasMailbox }
            try await kiosk.record(3)
            try await kiosk.wait("delivered") { await kiosk.isDelivered }
            #expect(await exchange.received.count == 6)
        }
    }

    /// Connects to the mailbox and fetches a message from it. Returns the number of writes, and whether the
    /// process died.
    private func live(hasPickup: Bool, dyingAt last: Int, behind: Bool) async throws -> (writes: Int, died: Bool) {
        let place: Comment = "killed \(behind ? "behind" : "before") write \(last)"
        let life = Life(dyingAt: last, behind: behind)
        try await withWorld(hasPickup: hasPickup) { world, exchange in
            var kiosk = try await MailKiosk(world, life: life)
            try await kiosk.record(2)
            /// Waits until `isThere`, and starts the process again when it dies.
            func reach(_ what: String, _ isThere: (MailKiosk) async throws -> Bool) async throws {
                try await kiosk.wait(what) {
                    if kiosk.life.isDead { return true }
                    return try await isThere(kiosk)
                }
                guard kiosk.life.isDead else { return }
                await kiosk.stop()
                kiosk = try await MailKiosk(world)
                try await kiosk.wait(what) { try await isThere(kiosk) }
            }
            try await reach("through the mailbox") { try await $0.hasMailbox }
            try await reach("delivered") { await $0.isDelivered }
            await exchange.withAgent { $0.send(content: "one") }
            try await reach("released") { kiosk in
                // Without pickup, a message that is being sent when the process dies is lost.
                let isHeard = world.notices.messages > 0 || (!hasPickup && life.isDead)
                return isHeard ? await exchange.withAgent { $0.mediation?.waiting == 0 } : false
            }
            let heard = world.notices.messages
            // A process that died may have reported the message before it was durable.
            let most = life.isDead ? 2 : 1
            #expect((hasPickup || !life.isDead ? 1...most : 0...most).contains(heard), "\(place): \(heard)")
            let received = await exchange.received
            #expect(Set(received.map(\.id)).count == 2 && received.count == 2, place)
            let stored = try await kiosk.connections
            #expect(
                stored.map(\.destination).sorted() == [MailboxManagerCore.destination, DeliveryCursor.primary], place)
            #expect(world.notices.givenUp == 0, place)
        }
        return (life.writes, life.isDead)
    }

    @Test(arguments: [false, true]) func theProcessMayEndAtAnyWrite(hasPickup: Bool) async throws {
        let lives = try await Life.eachDeath { last, behind in
            try await live(hasPickup: hasPickup, dyingAt: last, behind: behind)
        }
        print("mailbox: killed at each of \(lives) writes, before and behind it")
        #expect(lives >= 12)
    }

    @Test func unreadableMessagesAreBounded() async throws {
        try await Leftovers.ended { leftovers in
            let folder = try leftovers.folder("mailbox")
            let courier = try await CourierStore.open(besides: folder.appendingPathComponent("ledger.db").path)
            for number in 0..<70 {
                try await courier.setAside(
                    [UInt8](repeating: UInt8(number), count: 10), uid: Text("u\(number)"), for: "c",
                    reason: "unreadable")
            }
            #expect(try await courier.quarantine().map(\.number) == Array(7...70))
            for number in 0..<10 {
                try await courier.setAside(
                    [UInt8](repeating: 1, count: 200_000), uid: Text("large\(number)"), for: "", reason: "unknown")
            }
            let kept = try await courier.quarantine()
            #expect(kept.reduce(0) { $0 + $1.envelope.count } <= CourierStore.quarantineBytes && kept.count == 5)
            try await courier.setAside([UInt8](repeating: 1, count: 2 << 20), uid: "huge", for: "", reason: "unknown")
            #expect(try await courier.quarantine().last?.envelope == [])
            await courier.close()
        }
    }
}
