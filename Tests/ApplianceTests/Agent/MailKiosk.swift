import Aries
import Clocks
import Encoding
import Foundation
import HTTPTransport
import Ledger
import Mailboxes
import Settings
import Store
import Synchronization
import TestKit
import Testing

@testable import Courier

/// A kiosk with mailboxes, from its database to the network: a destination and a mailbox manager.
final class MailKiosk: Sendable {
    /// The parts that outlive the process: the folder, the peers in the network, and the receiver of notices.
    struct World: Sendable {
        let folder: URL
        /// The agent's invitation, which is in the kiosk's file.
        let invitation: JSON
        let exchange: any MessageExchange
        let notices: AgentNotices
        let leftovers: Leftovers

        init(_ name: String, _ invitation: JSON, _ exchange: any MessageExchange, _ leftovers: Leftovers) throws {
            folder = try leftovers.folder(name)
            (self.invitation, self.exchange, self.leftovers) = (invitation, exchange, leftovers)
            notices = AgentNotices()
            try Data(invitation.compactBytes).write(to: file)
        }

        fileprivate var file: URL { folder.appendingPathComponent("invitation") }
    }

    let store: Store
    let courier: CourierStore
    let life: Life
    /// The notices of this and of earlier runs.
    let notices: AgentNotices
    /// The client that fetches tokens and posts wake-ups.
    let http: HTTPExchange
    private let destination: Destination
    private let task: Task<Void, Never>
    private let isStopped = Atomic<Bool>(false)

    /// Starts a process, which ends after the test at the latest.
    init(
        _ world: World, _ choice: MailboxManager.Choice = .auto, reports: ReportSettings = Memory.settings,
        trial: Duration = .seconds(60), life: Life = Life(dyingAt: 0, behind: false),
        token: TokenSource? = nil, webhook: WebhookReceiver.Settings? = nil
    ) async throws {
        var permissive = HTTPExchange.Settings()
        permissive.allowsPlainHTTP = true
        let http = HTTPExchange(permissive)
        let store = try await Store.opened(in: world.folder)
        let courier = try await CourierStore.opened(besides: store)
        let (invitation, notices) = (world.invitation, world.notices)
        let exchange = MortalExchange(life: life, exchange: world.exchange)
        let mortal = Mortal(life, store, courier)
        var mediator = Mediator.Configuration(connection: .impatient, allowsPlainHTTP: true)
        mediator.limits.idle = .milliseconds(20)
        let mail = MailboxManager(
            choice,
            MailboxManager.Dependencies(
                exchange: exchange, store: mortal, settings: mediator, invitation: { _ in try Invitation(invitation) },
                token: { () throws(TokenSource.Failure) in try await token?.token(by: http) },
                longestTokenPause: token?.longestPause ?? .zero, webhook: webhook,
                webhookPause: .milliseconds(100),
                refused: Mortal(life, store, courier, invitations: StoredInvitations(withoutMailbox: courier)),
                clock: .system, spawner: .system, notice: { notices.add($0) }, pause: .milliseconds(10)))
        var link = AgentLink.Dependencies(
            exchange: exchange, store: mortal, outbox: mortal, reports: reports, clock: .system,
            mailbox: mail,
            asksForMailbox: { invitation in
                guard case .auto = mail.choice else { return false }
                return await mail.permits(invitation)
            }, observe: { notices.add($0) })
        link.allowsPlainHTTP = true
        let destination = Destination(
            files: [world.file.path],
            Destination.Dependencies(
                invitation: { _ throws(InvitationReader.Failure) in
                    do throws(InvitationError) {
                        return try Invitation(invitation)
                    } catch {
                        throw .invitation(error)
                    }
                }, link: link, settings: .impatient, invitations: mortal, mailboxes: mail, trial: trial,
                notice: { notices.add($0) }, pause: .milliseconds(10)),
            random: freshStream())
        (self.store, self.courier, self.life) = (store, courier, life)
        (self.notices, self.destination) = (notices, destination)
        self.http = http
        task = Task {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await mail.run() }
                group.addTask { await destination.run() }
            }
        }
        world.leftovers.add { await self.stop() }
    }

    func record(_ count: Int) async throws {
        try await store.record(count)
        await destination.wake()
    }

    var connections: [StoredConnection] { get async throws { try await courier.connections() } }

    var isDelivered: Bool { get async { await store.isDelivered } }

    /// The number of mailboxes.
    var mailboxes: Int {
        get async throws { try await connections.count { $0.destination == MailboxManagerCore.destination } }
    }

    /// Whether the agent reaches the destination's connection through the mailbox.
    var hasMailbox: Bool {
        get async throws {
            let present = await store.deliveries[DeliveryCursor.primary]?.connection
            let stored = try await connections
            guard stored.contains(where: { $0.destination == MailboxManagerCore.destination }),
                let way = stored.first(where: { $0.id == present && $0.destination == DeliveryCursor.primary })
            else { return false }
            let snapshot = try JSON.parse(way.snapshot)
            return snapshot["mailbox"] == true && snapshot["phase"] == "connected"
        }
    }

    func wait(
        _ what: String, at place: SourceLocation = #_sourceLocation, until isDone: () async throws -> Bool
    ) async throws {
        try await eventually(what, at: place, telling: { notices.all }, isDone: isDone)
    }

    /// Ends the process; a repeated call has no effect.
    func stop() async {
        guard !isStopped.exchange(true, ordering: .relaxed) else { return }
        task.cancel()
        await task.value
        await http.shutdown()
        await courier.close()
        await store.close()
    }
}
