import Aries
import DIDComm
import Encoding
import Foundation
import HTTPTransport
import Ledger
import Simulation
import Store
import Testing

@testable import Appliance

/// The mailbox at the agent itself: two connections by one invitation, the real database, and everything killed and begun again.
@Suite(.timeLimit(.minutes(3))) struct MailboxTests {
    private final class Notices: @unchecked Sendable {
        private let lock = NSLock()
        private var links: [AgentNotice] = []
        private var mail: [MailboxNotice] = []
        private var destination: [DestinationNotice] = []
        func add(_ notice: AgentNotice) { lock.withLock { links.append(notice) } }
        func add(_ notice: MailboxNotice) { lock.withLock { mail.append(notice) } }
        func add(_ notice: DestinationNotice) { lock.withLock { destination.append(notice) } }
        var messages: Int { lock.withLock { links.count { if case .message = $0 { true } else { false } } } }
        var denials: Int { lock.withLock { links.count { if case .mailboxDenied = $0 { true } else { false } } } }
        var hasEnded: Bool { lock.withLock { links.contains { if case .ended = $0 { true } else { false } } } }
        var givenUp: Int { lock.withLock { mail.count { if case .givenUp = $0 { true } else { false } } } }
        var all: String { lock.withLock { "\(links.map(\.text)) \(mail.map(\.text)) \(destination.map(\.text))" } }
    }

    /// A kiosk: its database, its destination and its mail room.
    private final class Kiosk: Sendable {
        let store: Store
        let notices = Notices()
        let life: Life
        private let destination: Destination
        private let task: Task<Void, Never>

        init(
            _ folder: URL, _ agent: VirtualAgentExchange, _ choice: MailRoom.Choice = .auto,
            reports: ReportSettings = Memory.settings, trial: Duration = .seconds(60),
            life: Life = Life(dyingAt: 0, behind: false)
        ) async throws {
            self.life = life
            let exchange = MortalExchange(life: life, exchange: agent)
            let store = try await Store.open(folder.appendingPathComponent("ledger.db").path)
            try await store.destination(DeliveryCursor.primary)
            var limits = AgentConnection.Limits()
            (limits.firstRetry, limits.longestRetry) = (.milliseconds(2), .milliseconds(10))
            (limits.firstLook, limits.longestLook) = (.milliseconds(5), .milliseconds(50))
            limits.lateAnswer = .seconds(30)
            let settings = AgentConnection.Configuration(label: "kiosk", limits: limits)
            var mediator = Mediator.Configuration(connection: settings, allowsPlainHTTP: true)
            mediator.limits.idle = .milliseconds(20)
            let (invitation, notices) = (await agent.invitation, notices)
            let mortal = Mortal(life, store)
            let mail = MailRoom(
                choice,
                MailRoom.Surroundings(
                    exchange: exchange, store: mortal, settings: mediator,
                    invitation: { _ in try Invitation(invitation) },
                    refused: Mortal(life, store, invitations: StoredInvitations(withoutMailbox: store)),
                    clock: .system(),
                    notice: { notices.add($0) }, pause: .milliseconds(10)))
            var link = AgentLink.Surroundings(
                exchange: exchange, store: mortal, outbox: mortal, reports: reports,
                postbox: mail,
                asksForMailbox: { invitation in
                    guard case .auto = mail.choice else { return false }
                    return await mail.permits(invitation)
                }, observe: { notices.add($0) })
            link.allowsPlainHTTP = true
            let file = folder.appendingPathComponent("invitation").path
            try Data(invitation.compactBytes).write(to: URL(fileURLWithPath: file))
            let destination = Destination(
                files: [file],
                Destination.Surroundings(
                    invitation: { _ throws(InvitationReader.Failure) in
                        do throws(InvitationError) {
                            return try Invitation(invitation)
                        } catch {
                            throw .invitation(error)
                        }
                    }, link: link, settings: settings,
                    invitations: mortal, mail: mail,
                    trial: trial, notice: { notices.add($0) }, pause: .milliseconds(10)))
            (self.store, self.destination) = (store, destination)
            task = Task {
                await withTaskGroup(of: Void.self) { group in
                    group.addTask { await mail.run() }
                    group.addTask { await destination.run() }
                }
            }
        }

        func record(_ count: Int) async throws {
            let software = Outcome.Software(name: "s", version: "1")
            let stamp = RecordStamp(
                kiosk: "k", boot: "b", time: WallTime(utc: Timestamp(seconds: 1), provenance: .rtc), monotonic: .zero)
            for _ in 0..<count {
                let visit = Text(UUID().uuidString.lowercased())
                try await store.appendIntent(visit, stamp: stamp)
                try await store.appendOutcome(visit, Outcome(.accepted, gate: .shut, software: software), stamp: stamp)
            }
            await destination.wake()
        }

        var connections: [StoredConnection] { get async throws { try await store.connections() } }

        var isDelivered: Bool {
            get async { await store.deliveries[DeliveryCursor.primary]?.confirmed == store.head.point.count }
        }

        /// Whether the destination is reached through the mailbox.
        var hasMailbox: Bool {
            get async throws {
                let present = await store.deliveries[DeliveryCursor.primary]?.connection
                let stored = try await connections
                guard stored.contains(where: { $0.destination == MailRoom.destination }),
                    let way = stored.first(where: { $0.id == present && $0.destination == DeliveryCursor.primary })
                else { return false }
                let snapshot = try JSON.parse(way.snapshot)
                return snapshot["mailbox"] == true && snapshot["phase"] == "connected"
            }
        }

        func wait(_ what: String, until isDone: @Sendable () async throws -> Bool) async throws {
            let until = ContinuousClock.now + .seconds(90)
            while try await !isDone() {
                guard ContinuousClock.now < until else {
                    Issue.record("not \(what): \(notices.all)")
                    throw CancellationError()
                }
                try await Task.sleep(for: .milliseconds(5))
            }
        }

        func stop() async {
            task.cancel()
            await task.value
            await store.close()
        }
    }

    private func withFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("mailbox-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }

    private func agent(hasPickup: Bool) throws -> VirtualAgentExchange {
        func secret() -> Secret { Secret((0..<32).map { _ in UInt8.random(in: 0...255) }) }
        guard let random = RandomStream(seed: secret()),
            var agent = VirtualAgent(endpoint: "http://agent.test/", random: random)
        else { throw CancellationError() }
        agent.mediation = VirtualMediation(seed: secret(), hasPickup: hasPickup)
        return VirtualAgentExchange(agent)
    }

    @Test(arguments: [false, true]) func theAgentsOwnMailboxIsUsedWhenItGrantsOne(hasPickup: Bool) async throws {
        try await withFolder { folder in
            let exchange = try agent(hasPickup: hasPickup)
            var kiosk = try await Kiosk(folder, exchange)
            try await kiosk.record(3)
            try await kiosk.wait("through the mailbox") { [kiosk] in try await kiosk.hasMailbox }
            try await kiosk.wait("delivered") { [kiosk] in await kiosk.isDelivered }
            #expect(await exchange.received.count == 3)
            #expect(await exchange.repetitions == 0)
            for number in 0..<20 { await exchange.withAgent { $0.send(content: Text("message \(number)")) } }
            try await kiosk.wait("heard") { [kiosk] in kiosk.notices.messages == 20 }

            // A restart brings nothing twice, and both connections go on.
            await kiosk.stop()
            await exchange.withAgent { $0.send(content: "while it was off") }
            kiosk = try await Kiosk(folder, exchange)
            try await kiosk.wait("heard") { [kiosk] in kiosk.notices.messages == 1 }
            try await kiosk.record(2)
            try await kiosk.wait("delivered") { [kiosk] in await kiosk.isDelivered }
            #expect(try await kiosk.connections.count == 2)
            await exchange.withAgent {
                $0.send(Message.make(MessageType(.didcomm, ProtocolName("did-rotate", 1, 0), "hangup"), id: "bye"))
            }
            try await kiosk.wait("ended") { [kiosk] in kiosk.notices.hasEnded }
            await kiosk.stop()
        }
    }

    @Test func whatTheControllerConfirmsComesThroughTheMailbox() async throws {
        try await withFolder { folder in
            let exchange = try agent(hasPickup: false)
            await exchange.withAgent { $0.answersByMailbox = true }
            await exchange.setAcknowledging(true)
            var reports = Memory.settings
            reports = ReportSettings(format: .basicmessage, confirm: .controller)
            let kiosk = try await Kiosk(folder, exchange, reports: reports)
            try await kiosk.record(50)
            try await kiosk.wait("confirmed by the controller") { await kiosk.isDelivered }
            #expect(await exchange.received.count == 50)
            await kiosk.stop()
        }
    }

    @Test func aDenialLeavesTheFirstConnectionAsItIs() async throws {
        try await withFolder { folder in
            let exchange = try agent(hasPickup: false)
            await exchange.withAgent { $0.mediation?.manner = .denies }
            let kiosk = try await Kiosk(folder, exchange)
            try await kiosk.record(3)
            try await kiosk.wait("delivered") { await kiosk.isDelivered }
            #expect(kiosk.notices.denials == 1)
            #expect(try await kiosk.connections.map(\.destination) == [DeliveryCursor.primary])
            await kiosk.stop()
        }
    }

    @Test func aSingleUseInvitationLeavesTheFirstConnectionAsItIs() async throws {
        try await withFolder { folder in
            let exchange = try agent(hasPickup: false)
            await exchange.withAgent { $0.isSingleUse = true }
            var kiosk = try await Kiosk(folder, exchange, trial: .milliseconds(300))
            try await kiosk.record(3)
            try await kiosk.wait("given up") { [kiosk] in kiosk.notices.givenUp == 1 }
            try await kiosk.wait("delivered") { [kiosk] in await kiosk.isDelivered }
            #expect(try await kiosk.connections.map(\.destination) == [DeliveryCursor.primary])
            // Not tried again by the same invitation.
            await kiosk.stop()
            kiosk = try await Kiosk(folder, exchange)
            try await kiosk.record(3)
            try await kiosk.wait("delivered") { [kiosk] in await kiosk.isDelivered }
            #expect(kiosk.notices.givenUp == 0 && kiosk.notices.denials == 0)
            await kiosk.stop()
        }
    }

    @Test func aMailboxElsewhereIsUsedByConnectionsThatStandAlready() async throws {
        try await withFolder { folder in
            let exchange = try agent(hasPickup: true)
            var kiosk = try await Kiosk(folder, exchange, .none)
            try await kiosk.record(3)
            try await kiosk.wait("delivered") { [kiosk] in await kiosk.isDelivered }
            #expect(try await kiosk.connections.count == 1)
            await kiosk.stop()
            kiosk = try await Kiosk(folder, exchange, .invitation("file"))
            try await kiosk.wait("through the mailbox") { [kiosk] in try await kiosk.hasMailbox }
            try await kiosk.record(3)
            try await kiosk.wait("delivered") { [kiosk] in await kiosk.isDelivered }
            #expect(await exchange.received.count == 6)
            await kiosk.stop()
        }
    }

    /// To the mailbox, and a message out of it. Returns the writes.
    private func live(hasPickup: Bool, dyingAt last: Int, behind: Bool) async throws -> Int {
        let place: Comment = "killed \(behind ? "behind" : "before") write \(last)"
        var writes = 0
        try await withFolder { folder in
            let exchange = try agent(hasPickup: hasPickup)
            let life = Life(dyingAt: last, behind: behind)
            var kiosk = try await Kiosk(folder, exchange, life: life)
            try await kiosk.record(2)
            let mayDie = last > 0
            /// Waits for that, with a process that starts again when it dies.
            func reach(_ what: String, _ isThere: @escaping @Sendable (Kiosk) async throws -> Bool) async throws {
                try await kiosk.wait(what) { [kiosk] in
                    if mayDie, kiosk.life.isDead { return true }
                    return try await isThere(kiosk)
                }
                guard kiosk.life.isDead else { return }
                await kiosk.stop()
                kiosk = try await Kiosk(folder, exchange)
                try await kiosk.wait(what) { [kiosk] in try await isThere(kiosk) }
            }
            try await reach("through the mailbox") { try await $0.hasMailbox }
            try await reach("delivered") { await $0.isDelivered }
            await exchange.withAgent { $0.send(content: "one") }
            // Without pickup a message that is on its way when the process dies is gone.
            let seen = kiosk.notices
            try await reach("heard") { kiosk in
                hasPickup
                    ? kiosk.notices.messages + seen.messages >= 1
                    : await exchange.withAgent { $0.mediation?.waiting == 0 }
            }
            try await reach("released") { _ in await exchange.withAgent { $0.mediation?.waiting == 0 } }
            let received = await exchange.received
            #expect(Set(received.map(\.id)).count == 2 && received.count == 2, place)
            let stored = try await kiosk.connections
            #expect(stored.map(\.destination).sorted() == [MailRoom.destination, DeliveryCursor.primary], place)
            #expect(kiosk.notices.givenUp == 0, place)
            writes = life.writes
            await kiosk.stop()
        }
        return writes
    }

    @Test(arguments: [false, true]) func anyWriteMayBeTheLast(hasPickup: Bool) async throws {
        let writes = try await live(hasPickup: hasPickup, dyingAt: 0, behind: false)
        print("mailbox: killed at each of \(writes) writes, before and behind it")
        #expect(writes >= 12)
        for last in 1...writes {
            for behind in [false, true] { _ = try await live(hasPickup: hasPickup, dyingAt: last, behind: behind) }
        }
    }

    @Test func whatNobodyCanReadIsKeptInBounds() async throws {
        try await withFolder { folder in
            let store = try await Store.open(folder.appendingPathComponent("ledger.db").path)
            for number in 0..<70 {
                try await store.setAside(
                    [UInt8](repeating: UInt8(number), count: 10), uid: Text("u\(number)"), for: "c",
                    reason: "unreadable")
            }
            #expect(try await store.quarantine().map(\.number) == Array(7...70))
            for _ in 0..<10 {
                try await store.setAside(
                    [UInt8](repeating: 1, count: 200_000), uid: "large", for: "", reason: "unknown")
            }
            let kept = try await store.quarantine()
            #expect(kept.reduce(0) { $0 + $1.envelope.count } <= Store.quarantineBytes && kept.count == 5)
            try await store.setAside([UInt8](repeating: 1, count: 2 << 20), uid: "huge", for: "", reason: "unknown")
            #expect(try await store.quarantine().last?.envelope == [])
            await store.close()
        }
    }
}
