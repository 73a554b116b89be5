import Aries
import DIDComm
import Encoding
import HTTPTransport
import Mailboxes
import Settings
import Store

/// The one place through which messages of mailboxes pass. It knows the present mailbox, and which connection
/// gets each message.
///
/// A mailbox is stored among the connections, under the reserved destination ``destination``.
actor MailboxManager: MailboxAccess {
    /// The mailbox that is to be used.
    enum Choice: Sendable {
        /// The mailbox of the primary destination's own agent, if the agent grants one.
        case auto
        /// The gate has no mailbox.
        case none
        /// A mailbox at the agent that made the invitation in the given file or URL. All destinations use
        /// this mailbox.
        case invitation(String)
        /// A mailbox at the given agency. All destinations use this mailbox.
        case agency(AgencySettings)
    }

    /// The dependencies of a mailbox manager.
    struct Dependencies: Sendable {
        /// Posts messages to the mailbox's server.
        var exchange: any MessageExchange
        /// Stores mailboxes, and messages that cannot be read.
        var store: any ConnectionStore
        /// The configuration of mediators.
        var settings: Mediator.Configuration
        /// Reads the invitation of ``Choice/invitation(_:)``.
        var invitation: @Sendable (String) async throws -> Invitation
        /// Returns the sponsor's token for an agency that requires one; nil if no token is available.
        var token: @Sendable () async throws(TokenSource.Failure) -> ProvisionToken? = {
            () throws(TokenSource.Failure) in nil
        }
        /// The longest wait between two attempts to get a token.
        var longestTokenPause = Duration.zero
        /// The address at which the agency reports that a message arrived; nil if the gate receives no such
        /// reports.
        var webhook: WebhookReceiver.Settings?
        /// The minimum time between two fetches that the agency's reports trigger.
        var webhookPause = Duration.seconds(2)
        /// Remembers the invitations by which no connection through a mailbox could be made.
        var refused: any InvitationMemory
        /// The clock.
        var clock: AgentClock
        /// Receives every notice. It must not block.
        var notice: @Sendable (MailboxNotice) -> Void
        /// The time until a failed step is tried again.
        var pause = Duration.seconds(10)
    }

    /// The reserved name under which mailboxes are kept.
    static let destination: Text = "mailbox"
    /// How long messages wait for a connection that does not run yet.
    private static let patience = Duration.seconds(60)

    nonisolated let choice: Choice
    private let dependencies: Dependencies
    private var mailbox: (any RunningMailbox)?
    private var receivers: [Text: (receiver: any MailReceiver, key: KeyPair)] = [:]
    /// Messages that were handed over and are not applied yet: message id → connection id.
    private var handedOver: [Text: Text] = [:]
    /// Messages for connections that do not run yet, each with the time until which it is kept.
    private var early: [(message: MailboxMessage, until: Instant)] = []
    private var refused: [Text] = []
    private var isLoaded = false
    private var loading: Task<Bool, Never>?
    /// The id of a stored mailbox that cannot be used; nil if there is none. An operator has to repair or
    /// delete it. No other mailbox is made meanwhile.
    private var kept: Text?
    private var isServing = false
    /// The file of the invitation to the mailbox, with the state from which the time of the next read
    /// follows.
    private var source: InvitationFile?
    private var tokens: TokenSearch
    /// The last failure that the mailbox itself reported.
    private var trouble: MailboxFailure?
    private let (running, started) = AsyncStream.makeStream(of: (any RunningMailbox).self)

    init(_ choice: Choice, _ dependencies: Dependencies) {
        (self.choice, self.dependencies) = (choice, dependencies)
        tokens = TokenSearch(pause: dependencies.pause, longest: dependencies.longestTokenPause)
        if case .invitation(let text) = choice { source = InvitationFile(path: text) }
    }

    /// Runs the mailbox in use, even when another one replaces it, until the task is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.watch() }
            if case .agency(let settings) = choice, settings.dialect.hasLongPoll {
                let waker = AgencyWaker(
                    exchange: dependencies.exchange, question: { await self.longPoll }, fetch: { await self.fetch() },
                    clock: dependencies.clock)
                group.addTask { await waker.run() }
            }
            if case .agency = choice, let webhook = dependencies.webhook {
                let waker = WebhookWaker(
                    settings: webhook, fetch: { await self.fetch() }, clock: dependencies.clock,
                    notice: dependencies.notice, pause: dependencies.webhookPause)
                group.addTask { await waker.run() }
            }
            for await mailbox in running { group.addTask { await mailbox.run() } }
        }
    }

    // MARK: - Which mailbox

    /// Loads the stored mailbox, once for all callers. Returns false if nothing can be read now.
    func load() async -> Bool {
        if isLoaded { return true }
        if let loading { return await loading.value }
        let task = Task { await takeUpStored() }
        loading = task
        isLoaded = await task.value
        loading = nil
        return isLoaded
    }

    private func takeUpStored() async -> Bool {
        do {
            refused = try await dependencies.refused.accepted()
            let all = try await dependencies.store.loadConnections()
            let stored = all.filter { $0.destination == Self.destination && !$0.isDeleting }
            if case .none = choice { return true }
            guard let last = stored.last else { return true }
            await takeUp(last, Set(all.map(\.id)))
            // Use the newest mailbox. Retire earlier mailboxes that a crash left.
            if mailbox != nil { for old in stored.dropLast() { try await retire(old.id) } }
            return true
        } catch {
            dependencies.notice(.storeFailed("\(error)"))
            return false
        }
    }

    /// Begins to use a stored mailbox. Asks the mailbox to close each connection that it still has and that
    /// is not among `known`, because that connection was deleted.
    private func takeUp(_ stored: StoredConnection, _ known: Set<Text>) async {
        guard mailbox == nil else { return }
        do {
            let snapshot = try JSON.parse(stored.snapshot)
            let gone: Set<Text>
            // Each kind of mailbox has its own type, so the call is written once for each.
            switch (choice, snapshot["kind"]?.string) {
            case (.agency(let settings), AgencyMailbox.kind?):
                let agency = try AgencyMailbox(
                    restoring: snapshot, settings, random: AgentLinks.randomStream())
                gone = agency.connections.subtracting(known)
                begin(id: stored.id, invitation: nil, agency)
            case (_, AgencyMailbox.kind?), (.agency, Mediator.kind?): throw SnapshotError.otherAgency
            default:
                let mediator = try Mediator(
                    restoring: snapshot, configuration: dependencies.settings, random: AgentLinks.randomStream())
                gone = mediator.connections.subtracting(known)
                begin(mediator)
            }
            for name in gone { await mailbox?.take(.close(connection: name)) }
        } catch {
            // Keep the stored mailbox: its keys are the only access to the messages that wait there.
            kept = stored.id
            if case SnapshotError.otherAgency = error {
                dependencies.notice(.otherMailbox)
            } else {
                dependencies.notice(.unreadable)
            }
        }
    }

    private func begin(_ mediator: consuming Mediator) {
        begin(id: mediator.id, invitation: mediator.invitation, mediator)
    }

    /// Name and invitation are `consuming` parameters before the mailbox: otherwise Swift 6.2 borrows them
    /// from the mailbox that is consumed, and does not compile the call.
    private func begin<Box: Mailbox & ~Copyable>(
        id: consuming Text, invitation: consuming Invitation?, _ box: consuming Box
    ) {
        let (id, invitation) = (id, invitation)
        let link = MailboxLink(
            box, id: id, invitation: invitation, connections: receivers.map { ($0.key, $0.value.key) },
            MailboxDependencies(
                exchange: dependencies.exchange, store: dependencies.store, clock: dependencies.clock,
                tell: { [weak self] in await self?.take($0, of: id) }))
        (mailbox, isServing, trouble) = (link, false, nil)
        started.yield(link)
    }

    /// How an agency is asked to report a new message; nil while it cannot be asked.
    private var longPoll: AgencyLongPoll? {
        get async { await (mailbox as? MailboxLink<AgencyMailbox>)?.longPoll }
    }

    /// The invitation by which the present mailbox was reached; nil if no invitation was used.
    var invitation: Invitation? { mailbox?.invitation ?? nil }

    /// Returns whether a connection through the mailbox may be made by `invitation`: no such connection
    /// failed before, and no unusable mailbox is stored.
    func permits(_ invitation: Invitation) -> Bool { kept == nil && !refused.contains(invitation.id) }

    /// Whether connections to all destinations use one mailbox that is separate from their agents.
    nonisolated var isForAll: Bool {
        switch choice {
        case .invitation, .agency: true
        case .auto, .none: false
        }
    }

    /// Makes the connection with the state `state` lead to the mailbox, because the connection's agent
    /// granted `address`. Retires an earlier mailbox.
    func adopt(_ id: Text, state: JSON, address: MailboxAddress) async throws {
        let mediator = try Mediator(
            over: state, address: address, configuration: dependencies.settings, random: AgentLinks.randomStream())
        try await install(mediator)
        dependencies.notice(.adopted)
    }

    /// Stores a mediator and starts it, in place of the present mailbox.
    private func install(_ mediator: consuming Mediator) async throws {
        let (id, old) = (mediator.id, mailbox)
        // An earlier mailbox of the same id must not overwrite the new state with its old state.
        if old?.id == id { await old?.stop() }
        try await dependencies.store.keepConnection(
            id, to: Self.destination, mediator.snapshot.compactBytes, handled: [])
        begin(mediator)
        guard let old, old.id != id else { return }
        await old.stop()
        try await retire(old.id)
    }

    /// Records that no connection through the mailbox could be made by `invitation`. None is tried by it
    /// again.
    func refuse(_ invitation: Invitation) async throws {
        if !refused.contains(invitation.id) { refused = refused.suffix(63) + [invitation.id] }
        try await dependencies.refused.keep(accepted: refused)
        dependencies.notice(.givenUp)
    }

    /// Ends the mailbox. The connection that led to it leads to `destination` again.
    func release(to destination: Text) async throws {
        guard let mailbox else { return }
        await mailbox.stop()
        let stored = try await dependencies.store.loadConnections().last {
            $0.id == mailbox.id && $0.destination == Self.destination
        }
        if let stored, let state = try JSON.parse(stored.snapshot)["connection"] {
            try await dependencies.store.keepConnection(stored.id, to: destination, state.compactBytes, handled: [])
        }
        self.mailbox = nil
        (handedOver, early, isServing, trouble) = ([:], [], false, nil)
    }

    /// Stops using the mailbox if no connection uses it any more.
    func drop() async throws {
        guard let mailbox, receivers.isEmpty, try await !isNeeded(), self.mailbox?.id == mailbox.id else { return }
        self.mailbox = nil
        await mailbox.stop()
        try await retire(mailbox.id)
        dependencies.notice(.dropped)
    }

    /// Retires a connection that is no longer used: the peer that keeps the mailbox is notified, then the
    /// connection is deleted.
    private func retire(_ id: Text) async throws {
        try await dependencies.store.retireConnection(id)
        dependencies.notice(.replaced(id))
    }

    /// Whether a connection is reached through a mailbox, connections that do not run yet included.
    private func isNeeded() async throws -> Bool {
        try await dependencies.store.loadConnections().contains { stored in
            guard stored.destination != Self.destination, !stored.isDeleting else { return false }
            // A connection that cannot be read now may be a mailbox's connection.
            guard let snapshot = try? JSON.parse(stored.snapshot) else { return true }
            return snapshot["mailbox"] == true
        }
    }

    /// Stops using the mailbox `id`, which is being deleted.
    func remove(_ id: Text) async {
        if kept == id {
            kept = nil
            return dependencies.notice(.dropped)
        }
        guard let mailbox, mailbox.id == id else { return }
        self.mailbox = nil
        await mailbox.stop()
        dependencies.notice(.dropped)
    }

    /// Starts the next attempts at once.
    func retryNow() async {
        tokens.retryNow()
        await mailbox?.take(.retryNow)
    }

    /// Makes the mailbox that the configuration names, and quarantines messages whose connection has not
    /// started in time.
    private func watch() async {
        while !Task.isCancelled, await !load() { await sleep() }
        while !Task.isCancelled {
            switch choice {
            case .invitation: await connect()
            case .agency(let settings): await provision(settings)
            case .auto, .none: break
            }
            let now = dependencies.clock.now()
            let late = early.filter { now >= $0.until }
            early.removeAll { now >= $0.until }
            for entry in late { await setAside(entry.message, "nobody") }
            await sleep()
        }
    }

    /// Reads the invitation to the mailbox if no mailbox is in use and the invitation's file is due.
    private func connect() async {
        let now = dependencies.clock.now()
        guard kept == nil, mailbox == nil || !isServing, let source, let edition = source.due(at: now) else { return }
        do {
            let invitation = try await dependencies.invitation(source.path)
            self.source?.succeeded(edition)
            if let known = mailbox?.invitation, known.match(invitation) == .sameInvitation { return }
            var random = try AgentLinks.randomStream()
            let id = try AgentLinks.newID(&random)
            try await install(
                Mediator(id: id, invitation: invitation, configuration: dependencies.settings, random: random))
        } catch {
            self.source?.failed(edition, at: now)
            dependencies.notice(.invitationFailed((error as? InvitationReader.Failure)?.remedy ?? "\(error)"))
        }
    }

    /// Makes the mailbox at an agency. Makes none if a mailbox exists, or if an unusable mailbox is stored
    /// that the operator has to repair or delete. Passes the mailbox a token if it needs one.
    private func provision(_ settings: AgencySettings) async {
        do {
            if mailbox == nil {
                let kept = try await dependencies.store.loadConnections()
                guard !kept.contains(where: { $0.destination == Self.destination }), mailbox == nil else { return }
                var random = try AgentLinks.randomStream()
                let id = try AgentLinks.newID(&random)
                guard let agency = AgencyMailbox(settings, random: random) else { return }
                try await dependencies.store.keepConnection(
                    id, to: Self.destination, agency.snapshot.compactBytes, handled: [])
                begin(id: id, invitation: nil, agency)
            }
        } catch {
            return dependencies.notice(.storeFailed("\(error)"))
        }
        guard tokens.begin(at: dependencies.clock.now()) else { return }
        do throws(TokenSource.Failure) {
            guard let token = tokens.take(try await dependencies.token()) else { return }
            await mailbox?.take(.token(token.json))
        } catch {
            if tokens.take(error) { dependencies.notice(.tokenFailed(error)) }
        }
    }

    private func sleep() async {
        await dependencies.clock.sleep(dependencies.clock.now().advanced(by: dependencies.pause))
    }

    // MARK: - Requests of connections

    func open(_ receiver: any MailReceiver, key: KeyPair) async {
        if case .none = choice { return await receiver.take(.queue, for: key.verkey) }
        receivers[receiver.id] = (receiver, key)
        await mailbox?.take(.open(connection: receiver.id, key: key))
        let waiting = early.filter { $0.message.connection == receiver.id }.map(\.message)
        early.removeAll { $0.message.connection == receiver.id }
        for message in waiting { await hand(message, to: receiver) }
    }

    func fetch() async { await mailbox?.take(.fetch) }

    func applied(_ uids: [Text]) async {
        for uid in uids { handedOver[uid] = nil }
        await mailbox?.take(.applied(uids))
    }

    func leave(_ connection: Text) async {
        receivers[connection] = nil
        await applied(handedOver.filter { $0.value == connection }.map(\.key))
    }

    func close(_ connection: Text) async {
        await leave(connection)
        await mailbox?.take(.close(connection: connection))
    }

    // MARK: - News of the mailbox

    private func take(_ news: MailboxNews, of id: Text) async {
        guard mailbox?.id == id else { return }
        switch news {
        case .address(let address, let name):
            if !isServing { dependencies.notice(.serves) }
            (isServing, trouble) = (true, nil)
            tokens.end()
            guard let entry = receivers[name] else { return }
            await entry.receiver.take(address, for: entry.key.verkey)
        case .failed(.keyTaken, let name?):
            guard let entry = receivers[name] else { return }
            await entry.receiver.refuse(entry.key.verkey)
        case .failed(let failure, _):
            // The next address that the mailbox reports will show that it works again.
            (isServing, trouble) = (false, failure)
            if failure == .needsToken { tokens.want() }
            dependencies.notice(.failed(failure))
        case .closed(_, let isComplete):
            dependencies.notice(.closed(isComplete: isComplete))
            // The agent that keeps the mailbox was replaced, or has ended the connection that used it.
            if case .auto = choice { try? await drop() }
        case .messages(let messages):
            for message in messages { await deliver(message) }
        case .reachability(let failure):
            dependencies.notice(.reachability(failure))
            // A server that accepts messages does not resolve another failure of the mailbox.
            if failure == nil, let trouble { dependencies.notice(.failed(trouble)) }
        case .storeFailed(let reason): dependencies.notice(.storeFailed(reason))
        }
    }

    private func deliver(_ message: MailboxMessage) async {
        if let entry = receivers[message.connection] {
            await hand(message, to: entry.receiver)
        } else if message.connection.isEmpty {
            await setAside(message, "unknown")
        } else {
            early.append((message, dependencies.clock.now().advanced(by: Self.patience)))
        }
    }

    private func hand(_ message: MailboxMessage, to receiver: any MailReceiver) async {
        handedOver[message.uid] = receiver.id
        await receiver.take(message)
    }

    /// Quarantines a message that no connection can read, and releases it.
    private func setAside(_ message: MailboxMessage, _ reason: Text) async {
        do {
            try await dependencies.store.quarantine(message, reason: reason)
            dependencies.notice(.quarantined(reason))
            await applied([message.uid])
        } catch {
            dependencies.notice(.storeFailed("\(error)"))
            early.append((message, dependencies.clock.now().advanced(by: dependencies.pause)))
        }
    }
}
