import Aries
import DIDComm
import Encoding
import Mailboxes
import Settings

/// The decisions about the gate's mailbox: which mailbox is used, when one is made or dropped, and which connection
/// gets each message.
///
/// A value without clock, I/O or task. Its driver, ``MailboxManager``, carries out the actions and returns their
/// results as events.
struct MailboxManagerCore: Sendable {
    /// The server of the mailbox.
    enum Place: Sendable {
        /// The gate has no mailbox.
        case none
        /// The primary destination's own agent, if it grants a mailbox.
        case ownAgent
        /// The agent that made the invitation in the given file or at the given URL.
        case invitation(String)
        /// The configured agency.
        case agency
    }

    /// The reserved name of a destination under which mailboxes are stored among the connections.
    static let destination: Text = "mailbox"

    /// How long a message waits for the link of its connection. After that it is quarantined.
    private static let patience = Duration.seconds(60)

    /// A kind of step on the store: the loading of the mailbox, the creation of one, the storing of its state, the
    /// quarantine of a message, or the marking of an earlier mailbox for deletion.
    private enum StoreStep { case load, make, keep, quarantine, retire }

    private let place: Place
    private let pause: Duration
    /// The mailbox in use: its id, the invitation by which it was reached, and the use that connections make of it;
    /// nil if there is none.
    private(set) var mailbox: (id: Text, invitation: Invitation?, use: Use)?
    private(set) var isLoaded = false
    /// The ids of stored mailboxes older than the one in use. An interruption of an earlier run left them; they are
    /// to be deleted.
    private var older: [Text] = []
    /// The id of a stored mailbox that cannot be read or is not the configured one; nil if there is none. An operator
    /// must repair or delete it. Meanwhile no other mailbox is made.
    private var kept: Text?
    private var refused: [Text] = []
    private var isServing = false
    /// The last failure that the mailbox itself reported; nil after success.
    private var trouble: MailboxFailure?
    /// The ids of the connections whose links run.
    private var receivers: Set<Text> = []
    /// The messages that a link was passed and has not applied yet: the message's id, and the id of its connection.
    private var handedOver: [Text: Text] = [:]
    /// Messages for connections whose links do not run yet. After the time `until`, a message is quarantined with the
    /// given reason.
    private var early: [(message: MailboxMessage, until: Instant, reason: Text)] = []
    /// The file with the invitation to the mailbox; nil if the configuration names none.
    private var file: InvitationFile?
    private var reading: InvitationFile.Edition?
    private var tokens: TokenSearch
    private var lookAt: Instant?
    /// The kinds of steps on the store whose last attempt failed.
    private var failing: Set<StoreStep> = []
    private var retries: [(at: Instant, action: Action)] = []

    /// Creates a mailbox manager. `pause`: the time until a failed step is tried again, and the time between two
    /// checks. `longestTokenPause`: the longest wait between two attempts to get a token.
    init(_ place: Place, pause: Duration, longestTokenPause: Duration = .zero) {
        (self.place, self.pause) = (place, pause)
        tokens = TokenSearch(pause: pause, longest: longestTokenPause)
        if case .invitation(let path) = place { file = InvitationFile(path: path) }
    }

    /// The time at which ``Event/deadlineReached`` is due; nil if no action waits for a time.
    var deadline: Instant? {
        (retries.map(\.at) + early.map(\.until) + [lookAt].compactMap(\.self)).min()
    }

    /// Returns whether a connection through the mailbox may be made by the invitation with the id `invitation`. It
    /// may not if such a connection failed before, or if a stored mailbox is unusable. In the mailbox at the own
    /// agent, a connection that was deleted before its handshake was complete counts as failed.
    func permits(_ invitation: Text) -> Bool {
        guard kept == nil, !refused.contains(invitation) else { return false }
        guard case .ownAgent = place, let mailbox, case .tried = mailbox.use else { return true }
        return mailbox.invitation?.id != invitation
    }

    /// Whether the mailbox at the own agent must stay although no connection uses it. This is so until a connection
    /// through it has completed its handshake. It is also so if none could be made and the connection to the mailbox
    /// is to carry reports again.
    var isHeld: Bool {
        guard case .ownAgent = place, let mailbox else { return false }
        return mailbox.use != .connected || mailbox.invitation.map { refused.contains($0.id) } == true
    }

    /// Records that no connection through the mailbox could be made by the invitation with this id. Returns all such
    /// ids, to be stored.
    mutating func refuse(_ invitation: Text) -> [Text] {
        if !refused.contains(invitation) { refused = refused.suffix(63) + [invitation] }
        return refused
    }

    /// Handles one event. Returns the actions, to be carried out in order.
    mutating func handle(_ event: Event, at now: Instant) -> [Action] {
        let wasFailing = !failing.isEmpty
        let actions = take(event, at: now)
        if isLoaded { failing.remove(.load) }
        if mailbox == nil { failing.remove(.keep) }
        switch event {
        case .made: failing.subtract([.make, .keep])
        case .notMade(nil): failing.remove(.make)
        case .quarantined(_, _, nil): failing.remove(.quarantine)
        case .retired(_, nil): failing.remove(.retire)
        case .news(.stored, _): failing.remove(.keep)
        default: break
        }
        return wasFailing && failing.isEmpty ? actions + [.notice(.stored)] : actions
    }

    private mutating func take(_ event: Event, at now: Instant) -> [Action] {
        switch event {
        case .loaded(let mailboxes, let refused): return load(mailboxes, refused)
        case .tookUp(let id, let invitation, let use):
            isLoaded = true
            defer { older = [] }
            return self.use(id, invitation, use) + older.map { .retire($0) }
        case .unusable(let id, let isOther):
            // Do not delete the stored mailbox: its keys are the only access to the messages that wait there.
            (kept, isLoaded) = (id, true)
            return [.notice(isOther ? .otherMailbox : .unreadable)]
        case .notTakenUp(let failure): return failed(.load, failure)
        case .start: return look(at: now)
        case .looked(let edition): return read(edition, at: now)
        case .read(let result): return read(result, at: now)
        case .made(let id, let invitation):
            if let edition = reading { file?.succeeded(edition) }
            reading = nil
            return use(id, invitation, .unused)
        case .notMade(let failure): return notMade(failure, at: now)
        case .token(let result): return take(result)
        case .open(let id): return open(id)
        case .connected(let id):
            mailbox?.use = .connected
            return pass(.connected(connection: id))
        case .fetch: return pass(.fetch)
        case .applied(let uids): return applied(uids)
        case .leave(let id): return leave(id)
        case .close(let id): return leave(id) + pass(.close(connection: id))
        case .news(let news, let id): return mailbox?.id == id ? take(news, of: id, at: now) : []
        case .quarantined(let message, let reason, let failure):
            guard let failure else { return [.notice(.quarantined(reason))] + applied([message.uid]) }
            early.append((message, now.advanced(by: pause), reason))
            return failed(.quarantine, failure)
        case .drop: return mailbox.map { receivers.isEmpty ? [.askNeed($0.id)] : [] } ?? []
        case .needed(let id, let isNeeded): return needed(id, isNeeded, at: now)
        case .remove(let id): return remove(id)
        case .released(let id):
            guard mailbox?.id == id else { return [] }
            (mailbox, handedOver, early, isServing, trouble) = (nil, [:], [], false, nil)
            return []
        case .retired(let id, let failure):
            guard let failure else { return [.notice(.replaced(id))] }
            retries.append((now.advanced(by: pause), .retire(id)))
            return failed(.retire, failure)
        case .retryNow:
            tokens.retryNow()
            return pass(.retryNow)
        case .deadlineReached: return due(at: now)
        }
    }

    private mutating func due(at now: Instant) -> [Action] {
        let late = early.filter { $0.until <= now }.map { Action.quarantine($0.message, $0.reason) }
        early.removeAll { $0.until <= now }
        let again = retries.filter { $0.at <= now }.map(\.action)
        retries.removeAll { $0.at <= now }
        return late + again + (lookAt.map { $0 <= now } == true ? look(at: now) : [])
    }

    private func pass(_ event: MailboxEvent) -> [Action] { mailbox == nil ? [] : [.pass(event)] }

    // MARK: - Choice of the mailbox

    private mutating func load(_ mailboxes: [Text], _ refused: [Text]) -> [Action] {
        self.refused = refused
        if case .none = place {
            isLoaded = true
            return []
        }
        // Use the newest mailbox. An interruption of an earlier run may have left older ones.
        guard let last = mailboxes.last else {
            isLoaded = true
            return []
        }
        older = Array(mailboxes.dropLast())
        return [.takeUp(last)]
    }

    /// Uses a mailbox, and deletes the one that was in use before.
    private mutating func use(_ id: Text, _ invitation: Invitation?, _ use: Use) -> [Action] {
        let old = mailbox?.id
        (mailbox, isServing, trouble) = ((id, invitation, use), false, nil)
        guard let old, old != id else { return [] }
        return [.stop(old), .retire(old)]
    }

    /// Stops using the mailbox if no connection needs it. If the store cannot be read, asks again later.
    private mutating func needed(_ id: Text, _ isNeeded: Bool?, at now: Instant) -> [Action] {
        guard mailbox?.id == id, receivers.isEmpty, !isHeld, isNeeded != true else { return [] }
        guard isNeeded != nil else {
            retries.append((now.advanced(by: pause), .askNeed(id)))
            return []
        }
        mailbox = nil
        return [.stop(id), .retire(id), .notice(.dropped)]
    }

    private mutating func remove(_ id: Text) -> [Action] {
        if kept == id {
            kept = nil
            return [.notice(.dropped)]
        }
        guard mailbox?.id == id else { return [] }
        mailbox = nil
        return [.stop(id), .notice(.dropped)]
    }

    /// Begins to get what the configured mailbox still needs: its invitation, the mailbox itself, or a token.
    private mutating func look(at now: Instant) -> [Action] {
        lookAt = now.advanced(by: pause)
        switch place {
        case .none, .ownAgent:
            lookAt = nil
            return []
        case .invitation(let path):
            return kept == nil && reading == nil && (mailbox == nil || !isServing) ? [.look(path)] : []
        case .agency:
            return (mailbox == nil ? [.provision] : []) + (tokens.begin(at: now) ? [.fetchToken] : [])
        }
    }

    private mutating func read(_ edition: InvitationFile.Edition, at now: Instant) -> [Action] {
        guard let file, reading == nil, file.isDue(edition, at: now) else { return [] }
        reading = edition
        return [.read(file.path)]
    }

    private mutating func read(_ result: Result<Invitation, ConnectFailure>, at now: Instant) -> [Action] {
        switch result {
        case .failure(let failure): return notMade(failure, at: now)
        case .success(let invitation):
            guard mailbox?.invitation?.match(invitation) == .sameInvitation else { return [.connect(invitation)] }
            if let edition = reading { file?.succeeded(edition) }
            reading = nil
            return []
        }
    }

    private mutating func notMade(_ failure: ConnectFailure?, at now: Instant) -> [Action] {
        if let edition = reading {
            file?.failed(edition, at: now)
            reading = nil
            return failure.map { [.notice(.invitationFailed($0.line))] } ?? []
        }
        return failed(.make, failure)
    }

    private mutating func take(_ result: Result<ProvisionToken?, TokenSource.Failure>) -> [Action] {
        switch result {
        case .success(let token): tokens.take(token).map { pass(.token($0.json)) } ?? []
        case .failure(let failure): tokens.take(failure) ? [.notice(.tokenFailed(failure))] : []
        }
    }

    // MARK: - Connections

    private mutating func open(_ id: Text) -> [Action] {
        if case .none = place { return [.give(.queue, to: id)] }
        receivers.insert(id)
        if mailbox?.use == .unused { mailbox?.use = .tried }
        let waiting = early.filter { $0.message.connection == id }.map(\.message)
        early.removeAll { $0.message.connection == id }
        return (mailbox == nil ? [] : [.open(id)]) + waiting.map { hand($0) }
    }

    private mutating func applied(_ uids: [Text]) -> [Action] {
        guard !uids.isEmpty else { return [] }
        for uid in uids { handedOver[uid] = nil }
        return pass(.applied(uids))
    }

    /// Releases the messages that the link of the connection was passed and has not applied.
    private mutating func leave(_ id: Text) -> [Action] {
        receivers.remove(id)
        return applied(handedOver.filter { $0.value == id }.map(\.key).sorted())
    }

    private mutating func hand(_ message: MailboxMessage) -> Action {
        handedOver[message.uid] = message.connection
        return .hand(message, to: message.connection)
    }

    // MARK: - Events of the mailbox

    private mutating func take(_ news: MailboxNews, of id: Text, at now: Instant) -> [Action] {
        switch news {
        case .address(let address, let name):
            let notices: [Action] = isServing ? [] : [.notice(.serves)]
            (isServing, trouble) = (true, nil)
            tokens.end()
            return notices + (receivers.contains(name) ? [.give(address, to: name)] : [])
        case .failed(.keyTaken, let name?): return receivers.contains(name) ? [.refuse(name)] : []
        case .failed(let failure, _):
            // The next address that the mailbox reports shows that the mailbox works again.
            (isServing, trouble) = (false, failure)
            if failure == .needsToken { tokens.want() }
            return [.notice(.failed(failure))]
        case .closed(_, let isComplete):
            // The agent of the mailbox was replaced, or has ended the connection that used the mailbox.
            guard case .ownAgent = place, receivers.isEmpty else { return [.notice(.closed(isComplete: isComplete))] }
            return [.notice(.closed(isComplete: isComplete)), .askNeed(id)]
        case .messages(let messages): return messages.flatMap { deliver($0, at: now) }
        case .reachability(let failure):
            // The mailbox's server accepts messages again, but an earlier failure of the mailbox itself remains.
            let other = failure == nil ? trouble : nil
            return [.notice(.reachability(failure))] + (other.map { [.notice(.failed($0))] } ?? [])
        case .storeFailed(let reason): return failed(.keep, reason)
        case .stored: return []
        }
    }

    /// Notes the failure of a step on the store; nil: the step was not needed.
    private mutating func failed(_ step: StoreStep, _ failure: ConnectFailure?) -> [Action] {
        failure.map { failed(step, $0.line) } ?? []
    }

    private mutating func failed(_ step: StoreStep, _ reason: String) -> [Action] {
        failing.insert(step)
        return [.notice(.storeFailed(reason))]
    }

    private mutating func deliver(_ message: MailboxMessage, at now: Instant) -> [Action] {
        if receivers.contains(message.connection) { return [hand(message)] }
        if message.connection.isEmpty { return [.quarantine(message, "unknown")] }
        early.append((message, now.advanced(by: Self.patience), "nobody"))
        return []
    }
}
