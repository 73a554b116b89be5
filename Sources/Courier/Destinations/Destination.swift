import Aries
import Clocks
import DIDComm
import Encoding
import Ledger
import Store

/// Runs one destination: carries out the actions of its ``DestinationCore``, and runs the links of its connections.
///
/// The active connection is the newest one that has completed its handshake. When another link next asks the outbox,
/// the outbox returns nil and that link ends. Notices report all events; the notice of a failure contains the remedy.
actor Destination {
    /// The parts that a destination uses.
    struct Dependencies: Sendable {
        /// Reads an invitation from a file or a URL.
        var invitation: @Sendable (String) async throws(InvitationReader.Failure) -> Invitation
        /// The dependencies of the links of this destination.
        var link: AgentLink.Dependencies
        /// The configuration of the connections of this destination.
        var settings: AgentConnection.Configuration
        /// Remembers the invitations that were accepted.
        var invitations: any InvitationMemory
        /// The mailbox that the connections use; nil if the gate has no mailbox.
        var mailboxes: MailboxManager?
        /// The time limit for the handshake of a second connection, through a mailbox.
        var trial = Duration.seconds(45)
        /// Receives every notice. The closure must not block.
        var notice: @Sendable (DestinationNotice) -> Void
        /// The time between two checks of the files.
        var pause = Duration.seconds(10)
    }

    /// The work of one child task.
    private enum Work: Sendable {
        case run(AgentLink)
        case carryOut(DestinationCore.Action)
    }

    private let dependencies: Dependencies
    private var core: DestinationCore
    private var links: [AgentLink] = []
    /// The mailboxes that were granted and are not in use yet, by the id of their connection, with the state and the
    /// notes of that connection.
    private var grants: [Text: (address: MailboxAddress, state: JSON, notes: LinkStatus)] = [:]
    private var replies: [Int: CheckedContinuation<Result<Connecting, ConnectFailure>, Never>] = [:]
    private var lastRequest = 0
    private var hasEnded = false
    private let nap = Wakeup()
    private let (work, begun) = AsyncStream.makeStream(of: Work.self)

    private var clock: Clock { dependencies.link.clock }
    private var mailboxes: MailboxManager? { dependencies.mailboxes }

    /// Creates a destination with the invitation files `files`. `random`: a stream that no other code uses.
    init(files: [String], _ dependencies: Dependencies, random: consuming RandomStream) {
        self.dependencies = dependencies
        core = DestinationCore(Self.policy(files, dependencies), random: random)
    }

    private static func policy(_ files: [String], _ dependencies: Dependencies) -> DestinationCore.Policy {
        var policy = DestinationCore.Policy(
            files: files, delivers: dependencies.link.outbox != nil, trial: dependencies.trial,
            pause: dependencies.pause)
        switch dependencies.mailboxes?.choice {
        case .invitation, .agency: policy.mailbox = .shared
        case .auto where dependencies.link.destination == DeliveryCursor.primary: policy.mailbox = .own
        case .auto, .none?, nil: policy.mailbox = .none
        }
        return policy
    }

    /// Runs the destination until the task is cancelled.
    func run() async {
        await take(.start)
        await withDiscardingTaskGroup { group in
            group.addTask { await self.watchDeadlines() }
            for await work in work { group.addTask { await self.carryOut(work) } }
            // A link that never ran must end the waiting of the callers of ``AgentLink/reuse(_:)``.
            for link in links { await link.letGo() }
        }
        hasEnded = true
        for reply in replies.values { reply.resume(returning: .failure(.notReady)) }
        replies = [:]
    }

    // MARK: - Requests

    /// Carries out an invitation that an operator gives. Returns its state or result.
    func connect(_ invitation: Invitation) async throws(ConnectFailure) -> Connecting {
        guard core.isLoaded, !hasEnded else { throw .notReady }
        await refresh()
        lastRequest += 1
        let request = lastRequest
        let result: Result<Connecting, ConnectFailure> = await withCheckedContinuation { continuation in
            if hasEnded { return continuation.resume(returning: .failure(.notReady)) }
            replies[request] = continuation
            begin(.connect(invitation, request: request))
        }
        return try result.get()
    }

    /// Wakes all links: an entry was recorded, or another connection may have become the active one.
    func wake() async {
        for link in links { await link.wake() }
    }

    /// Sends a problem report about the gate to the agent. Returns false if no link accepted the report although an
    /// invitation or a connection exists. The caller may then try again later.
    @discardableResult
    func tell(code: Text, explanation: Text) async -> Bool {
        let lasting = links.filter { !$0.isOneTime }
        var isTaken = lasting.isEmpty && core.policy.files.isEmpty
        for link in lasting where await link.tell(code: code, explanation: explanation) { isTaken = true }
        return isTaken
    }

    /// Makes the next attempts now: the network works again, or an operator asks for it.
    func retryNow() async {
        for link in links { await link.retryNow() }
    }

    /// Ends the link of the connection `id`, which is being deleted. Returns whether it was a connection that can
    /// carry reports.
    @discardableResult
    func remove(_ id: Text) async -> Bool {
        await refresh()
        let isLasting = core.lasting.contains { $0.id == id }
        await take(.remove(id))
        return isLasting
    }

    /// Returns the link of the connection `id`; nil if no such link exists.
    func link(_ id: Text) -> AgentLink? { links.first { $0.id == id } }

    /// Returns the notes of the connection `id`. They stay available while a mailbox that was granted over the
    /// connection is put into use. Nil if the connection has no link.
    func notes(of id: Text) -> LinkStatus? { link(id)?.notes ?? grants[id]?.notes }

    /// Returns the id of the connection that replaced the pending connection `id` after a newer invitation of the
    /// same inviter; nil if none did.
    func successor(of id: Text) -> Text? { core.successor(of: id) }

    /// Whether the stored connections are loaded.
    var isLoaded: Bool { core.isLoaded }

    /// Whether the destination has no connection, and none is being made.
    var isEmpty: Bool { core.lasting.isEmpty }

    /// Returns whether the active connection `id` can carry reports; nil if that is not known yet
    /// (``DestinationCore/isConnected(by:)``).
    func isConnected(by id: Text?) -> Bool? { core.isConnected(by: id) }

    /// Whether one of the connections that can carry reports has completed its handshake and has not ended.
    var isConnected: Bool {
        get async {
            for link in links where !link.isOneTime {
                if await link.isConnected { return true }
            }
            return false
        }
    }

    // MARK: - Events

    private func watchDeadlines() async {
        while !Task.isCancelled {
            if let deadline = core.deadline, deadline <= clock.now() {
                await take(.deadlineReached)
            } else {
                await nap.sleep(until: core.deadline, clock)
            }
        }
    }

    /// Handles an event without waiting for the actions that take time.
    private func begin(_ event: DestinationCore.Event) {
        for action in core.handle(event, at: clock.now()) where !performNow(action) { begun.yield(.carryOut(action)) }
        nap.end()
    }

    private func take(_ event: DestinationCore.Event) async {
        for action in core.handle(event, at: clock.now()) where !performNow(action) {
            // Wait until the link is stopped: the caller relies on it that the link stores nothing more.
            if case .stop(let id) = action { await stop(id) } else { begun.yield(.carryOut(action)) }
        }
        nap.end()
    }

    /// Passes the present states of the links to the core.
    private func refresh() async {
        var states: [DestinationCore.RouteState] = []
        for link in links { states.append(await link.routeState) }
        begin(.states(states))
    }

    /// Carries out an action that takes no time. Returns false, and does nothing, for any other action.
    private func performNow(_ action: DestinationCore.Action) -> Bool {
        switch action {
        case .start(let id): if let link = link(id) { begun.yield(.run(link)) }
        case .reply(let request, let result): replies.removeValue(forKey: request)?.resume(returning: result)
        case .notice(let notice): dependencies.notice(notice)
        default: return false
        }
        return true
    }

    private func carryOut(_ work: Work) async {
        switch work {
        case .run(let link):
            let end = await link.run()
            guard !Task.isCancelled else { return }
            links.removeAll { $0 === link }
            guard case .granted(let address, let state) = end else {
                return await take(.ended(link.id, isGranted: false))
            }
            // Do not store the state of a connection that was deleted meanwhile, because it contains the connection's
            // keys.
            if core.route(link.id) != nil { grants[link.id] = (address, state, link.notes) }
            await take(.ended(link.id, isGranted: true))
        case .carryOut(let action):
            guard let event = await result(of: action), !Task.isCancelled else { return }
            await refresh()
            await take(event)
        }
    }

    private func stop(_ id: Text) async {
        grants[id] = nil
        guard let link = link(id) else { return }
        links.removeAll { $0 === link }
        await link.stop()
    }

    // MARK: - Actions

    /// Carries out an action and returns its result; nil if the action has no result.
    private func result(of action: DestinationCore.Action) async -> DestinationCore.Event? {
        switch action {
        case .load: await load()
        case .look: .looked(core.policy.files.map(InvitationFile.Edition.init(of:)))
        case .read(let file): await read(file)
        case .make(let route, let accepted): await make(route, accepted)
        case .ask(let id, let invitation): .reused(invitation.id, await link(id)?.reuse(invitation))
        case .answer(let id, let invitation): .answered(invitation.id, await link(id)?.answer(invitation) ?? false)
        case .note(let accepted, let invitation):
            .noted(invitation, await failure { try await self.dependencies.invitations.keep(accepted: accepted) })
        case .adopt(let id): await adopt(id)
        case .beginTrial(let route): await beginTrial(route)
        case .giveUp(let id, let invitation): await giveUp(id, invitation)
        case .goBack: await goBack()
        default: await finish(action)
        }
    }

    /// Carries out an action that neither makes nor tries a connection. Returns its result; nil if the action has
    /// none.
    private func finish(_ action: DestinationCore.Action) async -> DestinationCore.Event? {
        switch action {
        case .stop(let id): await stop(id)
        case .discard(let id):
            await stop(id)
            let failure = await failure { try await self.dependencies.link.store.forgetConnection(id) }
            if failure == nil { await mailboxes?.close(id) }
            return .discarded(id, failure?.line)
        case .close(let id): await mailboxes?.close(id)
        case .disown(let id): await mailboxes?.remove(id)
        case .wake: await wake()
        default: break
        }
        return nil
    }

    private func failure(_ work: () async throws -> Void) async -> ConnectFailure? {
        do {
            try await work()
            return nil
        } catch {
            return ConnectFailure(error)
        }
    }

    private func load() async -> DestinationCore.Event {
        if let mailboxes, await !mailboxes.load() { return .notLoaded(nil) }
        do {
            let accepted = try await dependencies.invitations.accepted()
            let (routes, unreadable) = try await stored()
            return .loaded(
                .init(
                    routes: routes, unreadable: unreadable, accepted: accepted, mailbox: await mailboxes?.invitation,
                    isMailboxHeld: await mailboxes?.isHeld ?? false))
        } catch {
            return .notLoaded("\(error)")
        }
    }

    /// Creates the links of those stored connections that have none. If a read fails, adds no link at all: the next
    /// attempt would otherwise regard the added links as running.
    private func stored() async throws -> (routes: [DestinationCore.Route], unreadable: [Text]) {
        let usesMailbox = core.policy.mailbox == .shared
        var (found, unreadable): ([AgentLink], [Text]) = ([], [])
        for place in [dependencies.link, forRequests] {
            let stored = try await AgentLinks.stored(dependencies.settings, place, usesMailbox: usesMailbox)
            found += stored.links
            unreadable += stored.unreadable
        }
        let new = found.filter { link($0.id) == nil && core.route($0.id) == nil }
        links += new
        var routes: [DestinationCore.Route] = []
        for link in new { routes.append(await link.route) }
        return (routes, unreadable)
    }

    /// The dependencies of links that only answer the requests of an invitation. They deliver no reports, and their
    /// problems are no faults of the destination.
    private var forRequests: AgentLink.Dependencies {
        var place = dependencies.link
        place.destination = CourierStore.requestsName(of: place.destination)
        place.outbox = nil
        place.observe = { [notice = dependencies.notice] in notice(.ofRequests($0)) }
        return place
    }

    private func read(_ file: Int) async -> DestinationCore.Event {
        do {
            return .read(file: file, .success(try await dependencies.invitation(core.policy.files[file])))
        } catch {
            return .read(file: file, .failure(ConnectFailure(error)))
        }
    }

    /// Creates the link of a new connection, and stores the connection.
    private func keep(_ route: DestinationCore.Route) async throws {
        let link = try AgentLinks.new(
            route.invitation, id: route.id, reception: route.reception, dependencies.settings,
            route.isOneTime ? forRequests : dependencies.link)
        links.append(link)
        do {
            try await link.keep()
        } catch {
            links.removeAll { $0 === link }
            throw error
        }
    }

    private func make(_ route: DestinationCore.Route, _ accepted: [Text]) async -> DestinationCore.Event {
        do {
            try await keep(route)
            try await dependencies.invitations.keep(accepted: accepted)
            return .made(route.id, nil)
        } catch {
            await stop(route.id)
            try? await dependencies.link.store.forgetConnection(route.id)
            return .made(route.id, ConnectFailure(error))
        }
    }

    private func adopt(_ id: Text) async -> DestinationCore.Event? {
        guard let mailboxes, let grant = grants[id] else { return nil }
        let failure = await failure { try await mailboxes.adopt(id, state: grant.state, address: grant.address) }
        if failure == nil { grants[id] = nil }
        return .adopted(id, failure?.line)
    }

    private func beginTrial(_ route: DestinationCore.Route) async -> DestinationCore.Event {
        // The mailbox at the own agent may have been deleted meanwhile.
        let present = await mailboxes?.invitation?.id
        guard let mailboxes, await mailboxes.permits(route.invitation),
            core.policy.mailbox == .shared || present == route.invitation.id
        else { return .trialBegun(route.id, .denied) }
        let failure = await failure { try await self.keep(route) }
        return .trialBegun(route.id, failure.map { .failed($0.line) } ?? .begun)
    }

    private func giveUp(_ id: Text, _ invitation: Invitation) async -> DestinationCore.Event {
        if let link = link(id), await !link.stopUnlessConnected() { return .gaveUp(id, .kept) }
        await stop(id)
        let failure = await failure {
            try await self.mailboxes?.refuse(invitation)
            try await self.dependencies.link.store.forgetConnection(id)
            await self.mailboxes?.close(id)
        }
        return .gaveUp(id, failure.map { .failed($0.line) } ?? .deleted)
    }

    private func goBack() async -> DestinationCore.Event {
        do {
            try await mailboxes?.release(to: dependencies.link.destination)
            return .wentBack(.success(try await stored().routes))
        } catch {
            return .wentBack(.failure(ConnectFailure(error)))
        }
    }
}
