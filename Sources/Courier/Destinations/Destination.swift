import Aries
package import Encoding
import Observation
import Store

/// One destination in the running service: the connections that lead to it, and the invitations that may lead
/// to it.
///
/// The newest connection whose handshake is complete is the active one. The outbox notifies all other
/// connections, and these end. Notices report failures, each with its remedy.
actor Destination {
    /// The parts that a destination uses.
    struct Dependencies: Sendable {
        /// Reads an invitation from a file or a URL.
        var invitation: @Sendable (String) async throws(InvitationReader.Failure) -> Invitation
        /// The surroundings of the links that lead to this destination.
        var link: AgentLink.Dependencies
        /// The configuration of the connections of this destination.
        var settings: AgentConnection.Configuration
        /// Remembers the invitations that were accepted.
        var invitations: any InvitationMemory
        /// The mailbox that the connections use; nil if the gate has no mailbox.
        var mail: MailboxManager?
        /// How long a second connection through a mailbox may take before the gate gives it up.
        var trial = Duration.seconds(45)
        /// Receives every notice. It must not block.
        var notice: @Sendable (DestinationNotice) -> Void
        /// The time between two checks of the files.
        var pause = Duration.seconds(10)
    }

    private let files: [InvitationFile]
    let dependencies: Dependencies
    var links: [AgentLink] = []
    private var accepted: [Text] = []
    /// The trial connection through the mailbox and its deadline. The deadline is nil while the connection
    /// waits for its address.
    var trial: (link: AgentLink, until: Instant?)?
    /// Whether the stored connections are loaded. Before that a new connection could duplicate one of them.
    private(set) var isLoaded = false
    /// Invitations of commands that are being carried out, or whose result was not asked for yet.
    private var asides: [(invitation: Text, state: Connecting)] = []
    private let (running, newLinks) = AsyncStream.makeStream(of: AgentLink.self)

    init(files: [String], _ dependencies: Dependencies) {
        self.files = files.map { InvitationFile(path: $0) }
        self.dependencies = dependencies
    }

    /// Delivers until the task is cancelled.
    func run() async {
        while !Task.isCancelled, await !load() { await sleep() }
        await withDiscardingTaskGroup { group in
            group.addTask { await self.watch() }
            for await link in running {
                group.addTask {
                    let end = await link.run()
                    await self.finished(link, end)
                }
            }
            // A link that never ran would leave the callers of ``AgentLink/reuse(_:)`` waiting.
            for link in links { await link.letGo() }
        }
    }

    /// Wakes all links: an entry was recorded.
    func wake() async {
        for link in links { await link.wake() }
    }

    /// Reports a problem of the gate to the agent. Returns false if no link took the report although an
    /// invitation or a connection exists, so that a later attempt may succeed.
    @discardableResult
    func tell(code: Text, explanation: Text) async -> Bool {
        var isTaken = links.isEmpty && files.isEmpty
        for link in links where await link.tell(code: code, explanation: explanation) { isTaken = true }
        return isTaken
    }

    /// Starts the next attempts at once: the network is up again, or an operator asks.
    func retryNow() async {
        for link in links { await link.retryNow() }
    }

    // MARK: - Connections

    /// Loads the stored connections. Returns false if they cannot be read now.
    private func load() async -> Bool {
        if let mail = dependencies.mail, await !mail.load() { return false }
        do {
            let stored = try await AgentLinks.stored(dependencies.settings, dependencies.link)
            accepted = try await dependencies.invitations.accepted()
            for id in stored.unreadable { dependencies.notice(.unreadable(id)) }
            for link in stored.links where self.link(link.id) == nil { add(link) }
            try await resumeTrial()
            isLoaded = true
            return true
        } catch {
            dependencies.notice(.storeFailed("\(error)"))
            return false
        }
    }

    func add(_ link: AgentLink) {
        links.append(link)
        if link.wasEnded {
            dependencies.notice(.ended)
        } else {
            newLinks.yield(link)
        }
    }

    /// Handles the end of a link.
    private func finished(_ link: AgentLink, _ end: AgentLink.End) async {
        guard !Task.isCancelled else { return }
        links.removeAll { $0 === link }
        switch end {
        case .granted(let address, let state): await adopt(link, state, address)
        case .ended, .retired, .cancelled:
            if link.reception == .mailbox { await dependencies.mail?.close(link.id) }
        }
    }

    /// Connects by `invitation`, or finds the connection that it led to before. Returns false if it was
    /// accepted before and its connection no longer exists.
    private func accept(_ invitation: Invitation) async throws -> Bool {
        let found = try await find(invitation)
        if case .existing = found { return true }
        guard !accepted.contains(invitation.id) else { return false }
        try await carryOut(found, of: invitation)
        return true
    }

    /// Returns what an invitation leads to.
    private func find(_ invitation: Invitation) async throws -> AgentLinks.Found {
        var connected: Set<Text> = []
        for link in links where await link.isConnected { connected.insert(link.id) }
        // Read the list of links only now: the same invitation may have arrived twice while the links were
        // asked.
        return try AgentLinks.link(
            for: invitation, existing: links, connected: connected, dependencies.settings, dependencies.link)
    }

    /// Whether a connection has completed its handshake and was not ended by either side.
    var isConnected: Bool {
        get async {
            for link in links where await link.isConnected { return true }
            return false
        }
    }

    /// Carries out what an invitation offers. If the inviter is known, this takes as long as its answer may
    /// take, 45 s.
    private func carryOut(_ found: AgentLinks.Found, of invitation: Invitation) async throws {
        switch found {
        case .existing: return
        case .new(let link): return try await begin(link)
        case .known(let link):
            guard let isTaken = await link.reuse(invitation) else { throw Interrupted() }
            guard isTaken else {
                if links.contains(where: { $0.invitation.id == invitation.id }) { return }
                return try await begin(AgentLinks.new(invitation, dependencies.settings, dependencies.link))
            }
        case .asked(let link): await link.answer(invitation)
        case .once:
            let replies = try await AgentLinks.answerOnce(invitation, dependencies.settings, dependencies.link)
            dependencies.notice(.answeredOnce(replies: replies.count, refusals: replies.refusals))
        }
        try await use(invitation)
    }

    /// Stores a new link and starts it.
    private func begin(_ link: AgentLink) async throws {
        // Add the link at once, so that the same invitation does not lead to a second connection if it
        // arrives again meanwhile.
        links.append(link)
        do {
            // Store the connection first, then note that its invitation is used: a crash in between loses
            // nothing.
            try await link.keep()
            try await use(link.invitation)
        } catch {
            links.removeAll { $0 === link }
            throw error
        }
        newLinks.yield(link)
        await wake()
    }

    private func use(_ invitation: Invitation) async throws {
        accepted = accepted.filter { $0 != invitation.id }.suffix(63) + [invitation.id]
        try await dependencies.invitations.keep(accepted: accepted)
    }

    // MARK: - Commands

    /// The maximum number of connections of one destination, pending ones included.
    static let linksLimit = 8

    /// The result of an invitation that an operator gives.
    struct Connecting: Sendable {
        /// How the invitation is carried out.
        let way: InvitationReport.Way
        /// The id of the connection; nil if the invitation led to no connection.
        let id: Text?
        /// Whether the work continues after the answer to the operator. The same invitation given again
        /// returns the result.
        var isUnderWay = false
        /// Why the connection failed; nil if it did not fail.
        var failure: String?
    }

    /// Connects by an invitation that an operator gives, also by one that was accepted before and whose
    /// connection no longer exists.
    func connect(_ invitation: Invitation) async throws -> Connecting {
        guard isLoaded else { throw NotReady() }
        if let index = asides.firstIndex(where: { $0.invitation == invitation.id }) {
            let state = asides[index].state
            if !state.isUnderWay { asides.remove(at: index) }
            return state
        }
        let found = try await find(invitation)
        switch found {
        case .existing(let link): return Connecting(way: .known, id: link.id)
        case .new(let link):
            guard links.count < Self.linksLimit else { throw TooManyConnections() }
            try await begin(link)
            return Connecting(way: .new, id: link.id)
        case .known(let link): return aside(found, of: invitation, Connecting(way: .reuse, id: link.id))
        case .asked(let link): return aside(found, of: invitation, Connecting(way: .answer, id: link.id))
        case .once: return aside(found, of: invitation, Connecting(way: .once, id: nil))
        }
    }

    /// Carries out what depends on the peer's answer, and keeps the result until it is asked for.
    private func aside(_ found: AgentLinks.Found, of invitation: Invitation, _ begun: Connecting) -> Connecting {
        var begun = begun
        begun.isUnderWay = true
        asides = asides.suffix(Self.linksLimit - 1) + [(invitation.id, begun)]
        Task {
            var failure: String?
            do {
                try await carryOut(found, of: invitation)
            } catch {
                failure = Self.words(error)
            }
            guard let index = asides.firstIndex(where: { $0.invitation == invitation.id }) else { return }
            // If the inviter declined the reuse, a new connection was made, and the invitation now leads to
            // it.
            let made = links.last { $0.invitation.id == invitation.id }?.id
            asides[index].state = Connecting(
                way: made == nil ? begun.way : .new, id: made ?? begun.id, failure: failure)
        }
        return begun
    }

    /// Returns the link of the connection `id`; nil if no such link exists.
    func link(_ id: Text) -> AgentLink? { links.first { $0.id == id } }

    /// Ends the link of the connection `id`.
    func remove(_ id: Text) async {
        guard let link = link(id) else { return }
        let isConnected = await link.isConnected
        links.removeAll { $0 === link }
        await link.stop()
        await endTrial(of: link, hasSucceeded: isConnected)
    }

    /// Whether no connection leads to this destination and no connection is being made.
    var isEmpty: Bool { links.isEmpty }

    /// The maximum number of connections is reached.
    struct TooManyConnections: Error {}
    /// The stored connections are not loaded yet.
    struct NotReady: Error {}
    /// The connection over which the peer was asked ended before the peer answered.
    struct Interrupted: Error {}

    // MARK: - Invitations

    /// Reads the invitation files, at the start and after each change. A failure is tried again after growing
    /// pauses.
    private func watch() async {
        var files = files
        while !Task.isCancelled {
            for index in files.indices {
                guard let edition = files[index].due(at: dependencies.link.clock.now()) else { continue }
                do {
                    let isUsable = try await accept(try await dependencies.invitation(files[index].path))
                    files[index].succeeded(edition)
                    dependencies.notice(isUsable ? .invitationRead : .usedBefore(isConnected: !links.isEmpty))
                } catch {
                    files[index].failed(edition, at: dependencies.link.clock.now())
                    let reason = Self.words(error)
                    dependencies.notice(
                        .invitationFailed(file: files[index].path, reason: reason, isConnected: !links.isEmpty))
                }
            }
            await lookAtTrial()
            await sleep()
            if links.isEmpty, !files.isEmpty { dependencies.notice(.unconnected) }
        }
    }

    private static func words(_ error: any Error) -> String {
        switch error {
        case let error as InvitationReader.Failure: error.remedy
        case let error as AgentLinks.Failure: error.remedy
        case let error as StoreError: "\(error.text): \(error.remedy)"
        case is Interrupted: "the connection to its inviter has ended; the service retries"
        default: "\(error)"
        }
    }

    func sleep() async {
        await dependencies.link.clock.sleep(dependencies.link.clock.now().advanced(by: dependencies.pause))
    }
}

/// Remembers which invitations were accepted, so that a file that stays in its place leads to one connection
/// only.
package protocol InvitationMemory: Sendable {
    /// Returns the ids of the invitations that were accepted, oldest first.
    func accepted() async throws -> [Text]
    /// Stores the ids.
    func keep(accepted: [Text]) async throws
}

/// An event of a destination outside its links.
enum DestinationNotice: Hashable, Sendable {
    /// The stored connection with the given id cannot be read.
    case unreadable(Text)
    /// The peer had ended the stored connection.
    case ended
    /// An invitation was read, and leads or has led to a connection.
    case invitationRead
    /// The invitation in `file` cannot be used. `reason`: the remedy, or the error. `isConnected`: whether
    /// the destination has a connection.
    case invitationFailed(file: String, reason: String, isConnected: Bool)
    /// An invitation without a lasting connection was answered. `replies`: the number of replies. `refusals`:
    /// how many of the replies refused the request.
    case answeredOnce(replies: Int, refusals: Int)
    /// An invitation was accepted before, and its connection no longer exists. This is no fault if another
    /// connection replaced it (`isConnected`).
    case usedBefore(isConnected: Bool)
    /// The destination has invitations, but no connection exists.
    case unconnected
    /// The connections could not be read from the store or written to it; the text is the reason.
    case storeFailed(String)

    /// A line for the log, with the remedy.
    var text: String {
        switch self {
        case .unreadable(let id):
            "the stored connection \(id) cannot be read: restore the key that seals it (agent.keyFile), or connect "
                + "again"
        case .ended: "the agent has ended the connection: ask its operator for a new invitation"
        case .invitationRead: "the invitation was read"
        case .invitationFailed(let file, let reason, _): "the invitation in \(file) cannot be used: \(reason)"
        case .answeredOnce(let replies, let refusals):
            "the invitation offers no lasting connection; \(replies) replies were sent, \(refusals) requests refused"
        case .usedBefore: "the invitation has been used, and its connection no longer exists: ask for a new one"
        case .unconnected: "there is no connection: connect with an invitation"
        case .storeFailed(let reason): "the connections could not be read or stored: \(reason)"
        }
    }
}
