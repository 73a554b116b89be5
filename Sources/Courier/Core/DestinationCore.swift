import Aries
import DIDComm
import Encoding
import Observation

/// The decisions of one destination: how each invitation is carried out, which connections the destination has, which
/// of them use the gate's mailbox, and when the trial of a connection through a mailbox begins and ends.
///
/// A value without clock, I/O or task. Its driver, ``Destination``, carries out the actions and returns their results
/// as events. The type is not copyable: a copy would repeat the random stream.
struct DestinationCore: ~Copyable, Sendable {
    /// The settings of the destination.
    struct Policy: Sendable {
        /// The mailbox of the destination's connections.
        enum Mailbox: Sendable {
            /// The connections use no mailbox.
            case none
            /// The connections use a mailbox at the destination's own agent, which is asked for one over the first
            /// connection.
            case own
            /// All connections of the gate use one mailbox at another agent or agency.
            case shared
        }

        var mailbox = Mailbox.none
        /// The invitation files, as paths or URLs.
        var files: [String] = []
        /// Whether reports are delivered. If false, as in a command, the destination only makes connections: it
        /// replaces at most a pending connection to the same inviter, and begins and ends no trial.
        var delivers = true
        /// The time limit for the handshake of a second connection, through a mailbox.
        var trial = Duration.seconds(45)
        /// The time between two checks of the files and of the trial, and the time until a failed step is tried
        /// again.
        var pause = Duration.seconds(10)
    }

    /// An invitation that is being carried out.
    struct Job: Sendable {
        let invitation: Invitation
        var way: InvitationReport.Way
        /// The id of the connection that the invitation leads to.
        var route: Text
        /// The id of the pending connection to the same inviter that is replaced; nil if there is none.
        var replaced: Text?
        /// The numbers of the files that contain the invitation, and of the operator's requests that wait for its
        /// result.
        var files: [Int] = []
        var requests: [Int] = []
    }

    /// A trial: a second connection, through the mailbox, by an invitation that has led to a connection already.
    struct Trial: Sendable {
        let id: Text
        let invitation: Invitation
        /// The time at which the trial ends without success; nil while the address of the connection is not known.
        var until: Instant?
        var isEnding = false
    }

    /// The maximum number of connections of one destination, including pending ones; and the maximum number of
    /// connections that only answer requests.
    static let (routesLimit, oneTimeLimit) = (8, 8)
    /// The number of accepted invitations whose ids are stored. Beyond it the oldest id is removed.
    private static let acceptedLimit = 64

    let policy: Policy
    var random: RandomStream
    var files: [InvitationFile]
    /// The edition of each file that is being read or whose invitation is being carried out, by the file's number.
    var reading: [Int: InvitationFile.Edition] = [:]
    /// The connections, oldest first.
    var routes: [Route] = []
    /// The ids of the invitations that were accepted, oldest first.
    var accepted: [Text] = []
    /// The invitations that are being carried out, each once.
    var jobs: [Job] = []
    /// The results of invitations that take time, until the operator asks for them.
    var asides: [(invitation: Text, state: Connecting)] = []
    var trial: Trial?
    /// The connection of a trial that is not stored yet; nil if there is none.
    var starting: Route?
    private var retries: [(at: Instant, action: Action)] = []
    private var lookAt: Instant?
    private var hasLooked = false
    /// Whether a failure of the store was reported, and its end was not.
    private var hasStoreFailed = false
    /// Whether the stored connections are loaded. Before that no connection is made, because it could duplicate a
    /// stored one.
    private(set) var isLoaded = false
    /// Pending connections that a newer invitation of the same inviter replaced, each with the connection that
    /// replaced it.
    private(set) var replaced: [(old: Text, new: Text)] = []
    /// The ids of connections that were deleted, oldest first. A read of the store that began earlier may still
    /// return one of them.
    private var deleted: [Text] = []

    /// Creates a destination. It does nothing before ``Event/start``.
    init(_ policy: Policy, random: consuming RandomStream) {
        self.policy = policy
        files = policy.files.map { InvitationFile(path: $0) }
        self.random = random
    }

    /// Handles one event. Returns the actions, to be carried out in order.
    mutating func handle(_ event: Event, at now: Instant) -> [Action] {
        let actions = take(event, at: now)
        if actions.contains(where: { if case .notice(.storeFailed) = $0 { true } else { false } }) {
            hasStoreFailed = true
        } else if hasStoreFailed, retries.isEmpty, event.endsStoreFailure {
            hasStoreFailed = false
            return actions + [.notice(.stored)]
        }
        return actions
    }

    private mutating func take(_ event: Event, at now: Instant) -> [Action] {
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

    /// The time at which ``Event/deadlineReached`` is due; nil if no action waits for a time.
    var deadline: Instant? { (retries.map(\.at) + [lookAt].compactMap(\.self)).min() }

    /// The connections except those that only answer requests, including connections that have ended.
    var lasting: [Route] { routes.filter { !$0.isOneTime } }

    /// The connections over which reports can be sent, now or after their handshake.
    var live: [Route] { lasting.filter { $0.end == nil } }

    /// Whether a connection that is to be removed is still stored, because the store fails. Meanwhile no other
    /// connection is made.
    var hasLeftover: Bool { retries.contains { if case .discard = $0.action { true } else { false } } }

    /// Returns whether the active connection `id` can carry reports: it exists and has not ended. Returns nil if that
    /// is not known yet: the stored connections are not loaded, or the trial of its successor is in progress.
    func isConnected(by id: Text?) -> Bool? {
        guard isLoaded else { return nil }
        if live.contains(where: { $0.id == id }) { return true }
        return trial == nil && starting == nil ? false : nil
    }

    func route(_ id: Text) -> Route? { routes.first { $0.id == id } }

    /// Returns the id of the connection that replaced the pending connection `id`; nil if none did.
    func successor(of id: Text) -> Text? { replaced.last { $0.old == id }?.new }

    mutating func noteReplaced(_ old: Text, by new: Text) {
        replaced = replaced.suffix(Self.acceptedLimit - 1) + [(old, new)]
    }

    /// Makes the connection to the mailbox carry reports again. Until it is loaded, its invitation would lead to
    /// another connection, so ``isLoaded`` is false meanwhile.
    mutating func goBack() -> [Action] {
        isLoaded = false
        return [.goBack]
    }

    private mutating func wentBack(_ routes: [Route]) -> [Action] {
        isLoaded = true
        return add(routes)
    }

    /// Repeats an action after a pause. Reports the reason of the failure, if one is given.
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
            // If the connection has ended meanwhile, this state is out of date.
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

    /// Creates a connection for an invitation. It uses the gate's mailbox if that is at another agent or agency.
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

    /// Removes a connection that is deleted, and ignores it if the store still returns it.
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
            // The deletion is no evidence that the invitation cannot be used, so the first connection carries reports
            // again.
            return [.stop(id)] + (route?.isConnected != true && policy.mailbox == .own ? goBack() : [])
        }
        // If this was the only connection by its invitation, a trial by that invitation ends, too.
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

    /// Adds an invitation to the accepted ones. Returns all ids to store.
    mutating func accept(_ invitation: Text) -> [Text] {
        accepted = accepted.filter { $0 != invitation }.suffix(Self.acceptedLimit - 1) + [invitation]
        return accepted
    }
}
