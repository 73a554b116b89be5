import Aries
import DIDComm
import Encoding
import Observation

/// The decisions of one destination: how each invitation is carried out, which connections lead to the destination,
/// which of them use the gate's mailbox, and when a connection through a mailbox is tried and given up.
///
/// A value without clock, I/O or task. Its driver, ``Destination``, carries out the actions and returns their results
/// as events. Not copyable: a copy would repeat the random stream.
struct DestinationCore: ~Copyable, Sendable {
    /// The settings of the destination.
    struct Policy: Sendable {
        /// The mailbox of the destination's connections.
        enum Mailbox: Sendable {
            /// They have none.
            case none
            /// The destination's own agent is asked for one over the first connection.
            case own
            /// All connections of the gate use one that is separate from their agents.
            case shared
        }

        var mailbox = Mailbox.none
        /// The invitation files, as paths or URLs.
        var files: [String] = []
        /// Whether reports are delivered. A command only makes connections: it replaces at most a pending one to the
        /// same inviter, and begins and ends no trial.
        var delivers = true
        /// How long a second connection through a mailbox may take before it is given up.
        var trial = Duration.seconds(45)
        /// The time between two looks at the files and at the trial, and until a failed step is tried again.
        var pause = Duration.seconds(10)
    }

    /// An invitation that is being carried out.
    struct Job: Sendable {
        let invitation: Invitation
        var way: InvitationReport.Way
        /// The connection that it leads to.
        var route: Text
        /// The pending connection to the same inviter that it replaces.
        var replaced: Text?
        /// The files that the invitation is from, and the operator's requests that wait for it.
        var files: [Int] = []
        var requests: [Int] = []
    }

    /// A second connection, through the mailbox, by an invitation that led to a connection already.
    struct Trial: Sendable {
        let id: Text
        let invitation: Invitation
        /// When it is given up; nil while the connection waits for its address.
        var until: Instant?
        var isEnding = false
    }

    /// The maximum number of connections of one destination, pending ones included; and of connections that only
    /// answered requests.
    static let (routesLimit, oneTimeLimit) = (8, 8)
    /// The number of accepted invitations that are remembered.
    private static let acceptedLimit = 64

    let policy: Policy
    var random: RandomStream
    var files: [InvitationFile]
    /// The edition of each file that is being read or carried out.
    var reading: [Int: InvitationFile.Edition] = [:]
    /// The connections, oldest first.
    var routes: [Route] = []
    /// The ids of the invitations that were accepted, oldest first.
    var accepted: [Text] = []
    /// The invitations that are being carried out, each once.
    var jobs: [Job] = []
    /// The results of operators' invitations that take time, kept until a command has asked for the result.
    var asides: [(invitation: Text, state: Connecting)] = []
    var trial: Trial?
    /// The connection of a trial that is being made.
    var starting: Route?
    private var retries: [(at: Instant, action: Action)] = []
    private var lookAt: Instant?
    private var hasLooked = false
    /// Whether the stored connections are loaded. Before that a new connection could duplicate one of them.
    private(set) var isLoaded = false
    /// Pending connections that a newer invitation of their inviter replaced, each with its successor.
    private(set) var replaced: [(old: Text, new: Text)] = []
    /// The ids of connections that were deleted, oldest first. One of them may have been read from the store before.
    private var deleted: [Text] = []

    /// Creates a destination. Nothing happens before ``Event/start``.
    init(_ policy: Policy, random: consuming RandomStream) {
        self.policy = policy
        files = policy.files.map { InvitationFile(path: $0) }
        self.random = random
    }

    /// Handles one event. The actions are to be carried out in order.
    mutating func handle(_ event: Event, at now: Instant) -> [Action] {
        switch event {
        case .start: [.load]
        case .loaded(let loaded): take(loaded, at: now)
        case .notLoaded(let reason): again(.load, reason, at: now)
        case .states(let states): take(states)
        case .looked(let editions): look(editions, at: now)
        case .read(let file, let result): read(file, result, at: now)
        case .connect(let invitation, let request): connect(invitation, request, at: now)
        case .made(let id, let failure): made(id, failure, at: now)
        case .reused(let invitation, let isTaken): reused(invitation, isTaken, at: now)
        case .answered(let invitation, let isTaken): answered(invitation, isTaken, at: now)
        case .noted(let invitation, let failure): noted(invitation, failure, at: now)
        case .ended(let id, let isGranted): ended(id, isGranted)
        case .adopted(let id, let reason): adopted(id, reason, at: now)
        case .trialBegun(let id, let start): trialBegun(id, start, at: now)
        case .gaveUp(let id, let result): gaveUp(id, result)
        case .discarded(_, nil): []
        case .discarded(let id, let reason?): again(.discard(id), reason, at: now)
        case .wentBack(.success(let routes)): wentBack(routes)
        case .wentBack(.failure(let failure)): again(.goBack, failure.line, at: now)
        case .remove(let id): remove(id)
        case .deadlineReached: due(at: now)
        }
    }

    /// When ``Event/deadlineReached`` is due; nil if only other events have an effect.
    var deadline: Instant? { (retries.map(\.at) + [lookAt].compactMap(\.self)).min() }

    /// The connections to which reports can go, and those that have ended.
    var lasting: [Route] { routes.filter { !$0.isOneTime } }

    /// The connections to which reports can go.
    var live: [Route] { lasting.filter { $0.end == nil } }

    /// Whether a connection that is to be deleted is still stored, because the store fails. No other one is made
    /// meanwhile.
    var hasLeftover: Bool { retries.contains { if case .discard = $0.action { true } else { false } } }

    func route(_ id: Text) -> Route? { routes.first { $0.id == id } }

    /// Returns the connection that replaced the pending connection `id`.
    func successor(of id: Text) -> Text? { replaced.last { $0.old == id }?.new }

    mutating func noteReplaced(_ old: Text, by new: Text) {
        replaced = replaced.suffix(Self.acceptedLimit - 1) + [(old, new)]
    }

    /// Makes the connection that leads to the mailbox deliver again. Until it is loaded, its own invitation would lead
    /// to a second connection.
    mutating func goBack() -> [Action] {
        isLoaded = false
        return [.goBack]
    }

    private mutating func wentBack(_ routes: [Route]) -> [Action] {
        isLoaded = true
        return add(routes)
    }

    /// Reports a failure, and makes the action due again after a pause.
    mutating func again(_ action: Action, _ reason: String?, at now: Instant) -> [Action] {
        retries.append((now.advanced(by: policy.pause), action))
        return reason.map { [.notice(.storeFailed($0))] } ?? []
    }

    private mutating func due(at now: Instant) -> [Action] {
        var actions = retries.filter { $0.at <= now }.map(\.action)
        retries.removeAll { $0.at <= now }
        if let due = lookAt, due <= now {
            lookAt = nil
            actions.append(.look)
        }
        return actions
    }

    // MARK: - Connections

    private mutating func take(_ loaded: Loaded, at now: Instant) -> [Action] {
        (accepted, isLoaded) = (loaded.accepted, true)
        let notices = loaded.unreadable.map { Action.notice(.unreadable($0)) }
        return notices + add(loaded.routes) + resumeTrial(loaded, at: now) + [.look]
    }

    private mutating func take(_ states: [RouteState]) -> [Action] {
        for state in states {
            // The state of a connection that has ended meanwhile is an earlier one.
            guard let index = routes.firstIndex(where: { $0.id == state.id && $0.end == nil }) else { continue }
            (routes[index].isConnected, routes[index].hasAddress) = (state.isConnected, state.hasAddress)
        }
        return []
    }

    mutating func add(_ new: [Route]) -> [Action] {
        new.filter { route($0.id) == nil }.map { route in
            guard !deleted.contains(route.id) else { return .stop(route.id) }
            routes.append(route)
            switch route.end {
            case nil: return .start(route.id)
            case .ended: return .notice(.ended)
            case .failed: return .notice(.neverAnswered)
            }
        }
    }

    /// Creates a connection for an invitation, with the mailbox of another inviter if there is one.
    mutating func newRoute(_ invitation: Invitation) -> Route {
        let usesMailbox = policy.mailbox == .shared && !invitation.handshakes.isEmpty
        return Route(id: newID(), invitation: invitation, reception: usesMailbox ? .mailbox : .returnRoute)
    }

    mutating func newID() -> Text { Text(RandomUUID.text(random.draw(16)) ?? "") }

    private mutating func ended(_ id: Text, _ isGranted: Bool) -> [Action] {
        guard let index = routes.firstIndex(where: { $0.id == id }) else { return [] }
        if isGranted { return [.adopt(id)] }
        (routes[index].end, routes[index].isConnected) = (.ended, false)
        return routes[index].reception == .mailbox ? [.close(id)] : []
    }

    /// Forgets a connection that is deleted. The connection does not come back.
    mutating func forget(_ id: Text) {
        routes.removeAll { $0.id == id }
        deleted = deleted.suffix(Self.acceptedLimit - 1) + [id]
    }

    private mutating func remove(_ id: Text) -> [Action] {
        let route = route(id)
        let isTrial = trial?.id == id || starting?.id == id
        forget(id)
        retries.removeAll { if case .adopt(id) = $0.action { true } else { false } }
        if isTrial {
            (trial, starting) = (nil, nil)
            // The deletion says nothing about the invitation.
            return [.stop(id)] + (route?.isConnected != true && policy.mailbox == .own ? goBack() : [])
        }
        // The invitation of a deleted connection leads to no other one.
        guard let begun = starting, begun.invitation.id == route?.invitation.id, route?.end == nil,
            !live.contains(where: { $0.invitation.id == begun.invitation.id })
        else { return [.stop(id)] }
        starting = nil
        retries.removeAll { if case .beginTrial = $0.action { true } else { false } }
        return [.stop(id), .discard(begun.id)]
    }

    // MARK: - Files

    private mutating func look(_ editions: [InvitationFile.Edition], at now: Instant) -> [Action] {
        defer { hasLooked = true }
        lookAt = now.advanced(by: policy.pause)
        guard isLoaded else { return [] }
        var actions: [Action] = []
        for (file, edition) in zip(files.indices, editions)
        where reading[file] == nil && files[file].isDue(edition, at: now) {
            reading[file] = edition
            actions.append(.read(file: file))
        }
        actions += lookAtTrial(at: now)
        if hasLooked, reading.isEmpty, starting == nil, lasting.isEmpty, !files.isEmpty {
            actions.append(.notice(.unconnected))
        }
        return actions
    }

    /// Remembers an invitation as accepted. Returns the ids to store.
    mutating func accept(_ invitation: Text) -> [Text] {
        accepted = accepted.filter { $0 != invitation }.suffix(Self.acceptedLimit - 1) + [invitation]
        return accepted
    }
}
