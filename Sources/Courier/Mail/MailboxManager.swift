import Aries
import Clocks
import DIDComm
import Encoding
import HTTPTransport
import Mailboxes
import Settings
import Store

/// Runs the mailboxes and passes their messages on: carries out the actions of its ``MailboxManagerCore``. All
/// messages from mailboxes pass through this type.
///
/// A mailbox is stored among the connections, under the reserved destination ``MailboxManagerCore/destination``.
actor MailboxManager: MailboxAccess {
    /// The mailbox that the configuration names.
    enum Choice: Sendable {
        /// The mailbox at the primary destination's own agent, if the agent grants one.
        case auto
        /// The gate has no mailbox.
        case none
        /// A mailbox at the agent that made the invitation in the given file or at the given URL. All destinations
        /// use it.
        case invitation(String)
        /// A mailbox at the given agency. All destinations use it.
        case agency(AgencySettings)

        fileprivate var place: MailboxManagerCore.Place {
            switch self {
            case .auto: .ownAgent
            case .none: .none
            case .invitation(let path): .invitation(path)
            case .agency: .agency
            }
        }
    }

    struct Dependencies: Sendable {
        /// Posts messages to the mailbox's server.
        var exchange: any MessageExchange
        /// Stores mailboxes, and quarantines messages that cannot be read.
        var store: any ConnectionStore
        var settings: Mediator.Configuration
        /// Reads the invitation of ``Choice/invitation(_:)``.
        var invitation: @Sendable (String) async throws -> Invitation
        /// Returns the sponsor's token for an agency that requires one; nil if there is none.
        var token: @Sendable () async throws(TokenSource.Failure) -> ProvisionToken? = {
            () throws(TokenSource.Failure) in nil
        }
        /// The longest wait between two attempts to get a token.
        var longestTokenPause = Duration.zero
        /// The settings of the server for the agency's notifications that a message waits; nil if the gate receives
        /// none.
        var webhook: WebhookReceiver.Settings?
        /// Whether the gate receives the agency's notifications. A command does not: it fetches messages when it
        /// expects an answer.
        var isWoken = true
        /// The minimum time between two fetches that the agency's notifications cause.
        var webhookPause = Duration.seconds(2)
        /// The memory of the invitations by which no connection through a mailbox could be made.
        var refused: any InvitationMemory
        var clock: Clock
        /// Starts the tasks that cannot be child tasks.
        var spawner: Spawner
        /// Receives every notice. The closure must not block.
        var notice: @Sendable (MailboxNotice) -> Void
        /// The time until a failed step is tried again.
        var pause = Duration.seconds(10)
    }

    nonisolated let choice: Choice
    private let dependencies: Dependencies
    private var core: MailboxManagerCore
    /// The mailboxes that run, by their id.
    private var links: [Text: any RunningMailbox] = [:]
    private var receivers: [Text: (receiver: any MailReceiver, key: KeyPair)] = [:]
    private var loading: Task<Void, Never>?
    private let nap = Wakeup()
    private let (running, started) = AsyncStream.makeStream(of: (any RunningMailbox).self)

    init(_ choice: Choice, _ dependencies: Dependencies) {
        (self.choice, self.dependencies) = (choice, dependencies)
        core = MailboxManagerCore(
            choice.place, pause: dependencies.pause, longestTokenPause: dependencies.longestTokenPause)
    }

    /// Runs the mailbox in use, and any mailbox that replaces it, until the task is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.watch() }
            if case .agency(let settings) = choice, settings.dialect.hasLongPoll, dependencies.isWoken {
                let waker = AgencyWaker(
                    exchange: dependencies.exchange, question: { await self.longPoll }, fetch: { await self.fetch() },
                    clock: dependencies.clock)
                group.addTask { await waker.run() }
            }
            if case .agency = choice, let webhook = dependencies.webhook, dependencies.isWoken {
                let waker = WebhookWaker(
                    settings: webhook, fetch: { await self.fetch() }, clock: dependencies.clock,
                    notice: dependencies.notice, pause: dependencies.webhookPause)
                group.addTask { await waker.run() }
            }
            for await mailbox in running { group.addTask { await mailbox.run() } }
        }
    }

    private func watch() async {
        let clock = dependencies.clock
        while !Task.isCancelled, await !load() { try? await clock.sleep(for: dependencies.pause) }
        await take(.start)
        while !Task.isCancelled {
            if let deadline = core.deadline, deadline <= clock.now() {
                await take(.deadlineReached)
            } else {
                await nap.sleep(until: core.deadline, clock)
            }
        }
    }

    // MARK: - Events

    private func take(_ event: MailboxManagerCore.Event) async {
        for action in core.handle(event, at: dependencies.clock.now()) { await perform(action) }
        nap.end()
    }

    private var mailbox: (any RunningMailbox)? { core.mailbox.flatMap { links[$0.id] } }

    private func perform(_ action: MailboxManagerCore.Action) async {
        switch action {
        case .takeUp(let id): await take(await takeUp(id))
        case .stop(let id): await links.removeValue(forKey: id)?.stop()
        case .retire(let id):
            await take(.retired(id, await failure { try await self.dependencies.store.retireConnection(id) }))
        case .look(let path): await take(.looked(InvitationFile.Edition(of: path)))
        case .read(let path):
            do {
                await take(.read(.success(try await dependencies.invitation(path))))
            } catch {
                await take(.read(.failure(ConnectFailure(error))))
            }
        case .connect(let invitation): await connect(invitation)
        case .provision: await provision()
        case .fetchToken: await take(.token(await token()))
        case .open(let id): if let key = receivers[id]?.key { await mailbox?.take(.open(connection: id, key: key)) }
        case .pass(let event): await mailbox?.take(event)
        case .give(let address, let id):
            if let entry = receivers[id] { await entry.receiver.take(address, for: entry.key.verkey) }
        case .refuse(let id): if let entry = receivers[id] { await entry.receiver.refuse(entry.key.verkey) }
        case .hand(let message, let id): await receivers[id]?.receiver.take(message)
        case .quarantine(let message, let reason):
            let failure = await failure { try await self.dependencies.store.quarantine(message, reason: reason) }
            await take(.quarantined(message, reason: reason, failure))
        case .askNeed(let id): await take(.needed(id, try? await isNeeded()))
        case .notice(let notice): dependencies.notice(notice)
        }
    }

    private func failure(_ work: () async throws -> Void) async -> ConnectFailure? {
        do {
            try await work()
            return nil
        } catch {
            return ConnectFailure(error)
        }
    }

    // MARK: - Choice of the mailbox

    /// Loads the stored mailbox. Simultaneous callers share one attempt. Returns false if the store cannot be read
    /// now.
    func load() async -> Bool {
        if core.isLoaded { return true }
        if let loading {
            await loading.value
        } else {
            let task = dependencies.spawner.start("the stored mailbox") { await self.takeUpStored() }
            loading = task
            await task.value
            loading = nil
        }
        return core.isLoaded
    }

    private func takeUpStored() async {
        do {
            let refused = try await dependencies.refused.accepted()
            let stored = try await dependencies.store.loadConnections().filter {
                $0.destination == MailboxManagerCore.destination && !$0.isDeleting
            }
            await take(.loaded(mailboxes: stored.map(\.id), refused: refused))
        } catch {
            await take(.notTakenUp(ConnectFailure(error)))
        }
    }

    /// Runs a stored mailbox. Makes it delete the keys of connections that are no longer stored, because these
    /// connections were deleted.
    private func takeUp(_ id: Text) async -> MailboxManagerCore.Event {
        let all: [StoredConnection]
        do {
            all = try await dependencies.store.loadConnections()
        } catch {
            return .notTakenUp(ConnectFailure(error))
        }
        // The mailbox was deleted meanwhile. The next attempt loads the content of the store again.
        guard let stored = all.first(where: { $0.id == id && !$0.isDeleting }) else { return .notTakenUp(nil) }
        do {
            let known = Set(all.map(\.id))
            let snapshot = try JSON.parse(stored.snapshot)
            let gone: Set<Text>
            var (invitation, use) = (nil as Invitation?, MailboxManagerCore.Use.connected)
            // Each kind of mailbox is a type of its own, so the call is written once for each.
            switch (choice, snapshot["kind"]?.string) {
            case (.agency(let settings), AgencyMailbox.kind?):
                let agency = try AgencyMailbox(
                    restoring: snapshot, settings, random: AgentLinks.randomStream())
                gone = agency.connections.subtracting(known)
                begin(id: id, agency)
            case (_, AgencyMailbox.kind?), (.agency, Mediator.kind?): throw SnapshotError.otherAgency
            default:
                let mediator = try Mediator(
                    restoring: snapshot, configuration: dependencies.settings, random: AgentLinks.randomStream())
                gone = mediator.connections.subtracting(known)
                invitation = mediator.invitation
                use = mediator.isUsed ? .connected : mediator.connections.isEmpty ? .unused : .tried
                begin(mediator)
            }
            for name in gone { await links[id]?.take(.close(connection: name)) }
            return .tookUp(id, invitation: invitation, use: use)
        } catch let error as AgentLinks.Failure {
            return .notTakenUp(ConnectFailure(error))
        } catch {
            return .unusable(id, isOther: error as? SnapshotError == .otherAgency)
        }
    }

    private func begin(_ mediator: consuming Mediator) { begin(id: mediator.id, mediator) }

    /// The parameter `id` is `consuming` and precedes the mailbox: otherwise Swift 6.2 borrows the id from the
    /// mailbox that is consumed, and does not compile the call.
    private func begin<Value: Mailbox & ~Copyable>(id: consuming Text, _ mailbox: consuming Value) {
        let id = id
        let link = MailboxLink(
            mailbox, id: id, connections: receivers.map { ($0.key, $0.value.key) },
            MailboxDependencies(
                exchange: dependencies.exchange, store: dependencies.store, clock: dependencies.clock,
                spawner: dependencies.spawner, tell: { [weak self] in await self?.take(.news($0, of: id)) }))
        links[id] = link
        started.yield(link)
    }

    /// The long poll with which the agency is asked for new messages; nil if there is no agency to ask.
    private var longPoll: AgencyLongPoll? {
        get async { await (mailbox as? MailboxLink<AgencyMailbox>)?.longPoll }
    }

    /// The invitation by which the mailbox in use was reached; nil if there was none.
    var invitation: Invitation? { core.mailbox?.invitation }

    /// Whether the mailbox at the own agent must stay although no connection uses it (``MailboxManagerCore/isHeld``).
    var isHeld: Bool { core.isHeld }

    /// Returns whether a connection through the mailbox may be made by `invitation`.
    func permits(_ invitation: Invitation) -> Bool { core.permits(invitation.id) }

    /// Makes the connection with the state `state` the connection to the mailbox, because its agent has granted
    /// `address`. Deletes the mailbox that was in use before.
    func adopt(_ id: Text, state: JSON, address: MailboxAddress) async throws {
        let mediator = try Mediator(
            over: state, address: address, configuration: dependencies.settings, random: AgentLinks.randomStream())
        try await install(mediator)
        dependencies.notice(.adopted)
    }

    /// Stores a mediator and runs it, in place of the mailbox in use.
    private func install(_ mediator: consuming Mediator) async throws {
        let (id, invitation) = (mediator.id, mediator.invitation)
        // Stop a mailbox with the same id first: otherwise it could overwrite the new state with its old state.
        await links[id]?.stop()
        try await dependencies.store.keepConnection(
            id, to: MailboxManagerCore.destination, mediator.snapshot.compactBytes, handled: [])
        begin(mediator)
        await take(.made(id, invitation: invitation))
    }

    private func connect(_ invitation: Invitation) async {
        do {
            var random = try AgentLinks.randomStream()
            let id = try AgentLinks.newID(&random)
            try await install(
                Mediator(id: id, invitation: invitation, configuration: dependencies.settings, random: random))
        } catch {
            await take(.notMade(ConnectFailure(error)))
        }
    }

    /// Makes a mailbox at the agency. If one is stored, makes none: an operator must repair or delete the stored one.
    private func provision() async {
        guard case .agency(let settings) = choice else { return }
        do {
            let kept = try await dependencies.store.loadConnections()
            guard !kept.contains(where: { $0.destination == MailboxManagerCore.destination }), core.mailbox == nil
            else { return await take(.notMade(nil)) }
            var random = try AgentLinks.randomStream()
            let id = try AgentLinks.newID(&random)
            guard let agency = AgencyMailbox(settings, random: random) else { return await take(.notMade(nil)) }
            try await dependencies.store.keepConnection(
                id, to: MailboxManagerCore.destination, agency.snapshot.compactBytes, handled: [])
            begin(id: id, agency)
            await take(.made(id, invitation: nil))
        } catch {
            await take(.notMade(ConnectFailure(error)))
        }
    }

    private func token() async -> Result<ProvisionToken?, TokenSource.Failure> {
        do throws(TokenSource.Failure) {
            return .success(try await dependencies.token())
        } catch {
            return .failure(error)
        }
    }

    /// Returns whether a stored connection receives messages through a mailbox, even if its link does not run yet.
    private func isNeeded() async throws -> Bool {
        try await dependencies.store.loadConnections().contains { stored in
            guard stored.destination != MailboxManagerCore.destination, !stored.isDeleting else { return false }
            // A connection that cannot be read now may use a mailbox.
            guard let snapshot = try? JSON.parse(stored.snapshot) else { return true }
            return snapshot["mailbox"] == true
        }
    }

    /// Records that no connection through the mailbox could be made by `invitation`. No further one is tried by it.
    func refuse(_ invitation: Invitation) async throws {
        try await dependencies.refused.keep(accepted: core.refuse(invitation.id))
        dependencies.notice(.givenUp)
    }

    /// Ends the mailbox. The connection to the mailbox becomes a connection to `destination` again.
    func release(to destination: Text) async throws {
        guard let id = core.mailbox?.id else { return }
        await links[id]?.stop()
        let stored = try await dependencies.store.loadConnections().last {
            $0.id == id && $0.destination == MailboxManagerCore.destination
        }
        if let stored, let state = try JSON.parse(stored.snapshot)["connection"] {
            try await dependencies.store.keepConnection(stored.id, to: destination, state.compactBytes, handled: [])
        }
        links[id] = nil
        await take(.released(id))
    }

    /// Stops using the mailbox if no connection needs it any more.
    func drop() async { await take(.drop) }

    /// Stops using the mailbox with the id `id`, which is being deleted.
    func remove(_ id: Text) async { await take(.remove(id)) }

    /// Makes the next attempts now.
    func retryNow() async { await take(.retryNow) }

    // MARK: - Requests of connections

    func open(_ receiver: any MailReceiver, key: KeyPair) async {
        receivers[receiver.id] = (receiver, key)
        await take(.open(receiver.id))
    }

    func connected(_ connection: Text) async { await take(.connected(connection)) }

    func fetch() async { await take(.fetch) }

    func applied(_ uids: [Text]) async { await take(.applied(uids)) }

    func leave(_ connection: Text) async {
        await take(.leave(connection))
        receivers[connection] = nil
    }

    func close(_ connection: Text) async {
        await take(.close(connection))
        receivers[connection] = nil
    }
}
