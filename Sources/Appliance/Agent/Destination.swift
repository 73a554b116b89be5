import Aries
package import Encoding
import Store

/// One destination in the running service: the connections that lead there, and the invitations that may lead there yet.
///
/// The newest connection whose handshake is done is the way; the outbox says so to all others, which then end. What goes wrong is
/// told by notices, each with what is to be done.
actor Destination {
    /// The way to what a destination needs.
    struct Surroundings: Sendable {
        /// Reads an invitation from a file or a URL.
        var invitation: @Sendable (String) async throws(InvitationReader.Failure) -> Invitation
        /// What links need; its destination is this one.
        var link: AgentLink.Surroundings
        /// What a connection is to do.
        var settings: AgentConnection.Configuration
        /// Remembers which invitations were accepted.
        var invitations: any InvitationMemory
        /// The mailboxes; nil where there are none.
        var mail: MailRoom?
        /// How long a connection through a mailbox may take before it is given up.
        var trial = Duration.seconds(45)
        /// Told of what happens; must not block.
        var notice: @Sendable (DestinationNotice) -> Void
        /// How long to wait before files are looked at again.
        var pause = Duration.seconds(10)
    }

    private let files: [InvitationFile]
    let surroundings: Surroundings
    var links: [AgentLink] = []
    private var accepted: [Text] = []
    /// The connection through the mailbox that is tried, and until when; nil while it waits for its address.
    var trial: (link: AgentLink, until: Instant?)?
    /// Whether the stored connections are taken up: before that a new one could be one of them.
    private(set) var isLoaded = false
    /// Invitations of commands that are carried out, or were and nobody asked since.
    private var asides: [(invitation: Text, state: Connecting)] = []
    private let (running, newLinks) = AsyncStream.makeStream(of: AgentLink.self)

    init(files: [String], _ surroundings: Surroundings) {
        self.files = files.map { InvitationFile(path: $0) }
        self.surroundings = surroundings
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
            // One that never came to run would keep those waiting who ask it.
            for link in links { await link.letGo() }
        }
    }

    /// Something was recorded.
    func wake() async {
        for link in links { await link.wake() }
    }

    /// Tells the agent of a problem of the box. False: nobody took it, though there is an invitation or a connection, so that somebody
    /// may hear it later.
    @discardableResult
    func tell(code: Text, explanation: Text) async -> Bool {
        var isTaken = links.isEmpty && files.isEmpty
        for link in links where await link.tell(code: code, explanation: explanation) { isTaken = true }
        return isTaken
    }

    /// Do not wait for the next attempts: the network came back, or an operator asks.
    func retryNow() async {
        for link in links { await link.retryNow() }
    }

    // MARK: - Connections

    /// Takes up the stored connections; false when they cannot be read now.
    private func load() async -> Bool {
        if let mail = surroundings.mail, await !mail.load() { return false }
        do {
            let stored = try await AgentLinks.stored(surroundings.settings, surroundings.link)
            accepted = try await surroundings.invitations.accepted()
            for id in stored.unreadable { surroundings.notice(.unreadable(id)) }
            for link in stored.links where self.link(link.id) == nil { add(link) }
            try await resumeTrial()
            isLoaded = true
            return true
        } catch {
            surroundings.notice(.storeFailed("\(error)"))
            return false
        }
    }

    func add(_ link: AgentLink) {
        links.append(link)
        if link.wasEnded {
            surroundings.notice(.ended)
        } else {
            newLinks.yield(link)
        }
    }

    /// A link came to its end.
    private func finished(_ link: AgentLink, _ end: AgentLink.End) async {
        guard !Task.isCancelled else { return }
        links.removeAll { $0 === link }
        switch end {
        case .granted(let address, let state): await adopt(link, state, address)
        case .ended, .retired, .cancelled:
            if link.reception == .mailbox { await surroundings.mail?.close(link.id) }
        }
    }

    /// Connects by `invitation`, or finds the connection that it led to before. Returns false when it was accepted before and its
    /// connection is gone.
    private func accept(_ invitation: Invitation) async throws -> Bool {
        let found = try await find(invitation)
        if case .existing = found { return true }
        guard !accepted.contains(invitation.id) else { return false }
        try await carryOut(found, of: invitation)
        return true
    }

    /// What an invitation leads to.
    private func find(_ invitation: Invitation) async throws -> AgentLinks.Found {
        var connected: Set<Text> = []
        for link in links where await link.isConnected { connected.insert(link.id) }
        // The list as it is now: the same invitation may have come in two ways while the links were asked.
        return try AgentLinks.link(
            for: invitation, existing: links, connected: connected, surroundings.settings, surroundings.link)
    }

    /// Whether a handshake is done that nobody has ended.
    var isConnected: Bool {
        get async {
            for link in links where await link.isConnected { return true }
            return false
        }
    }

    /// Does what an invitation offers. With an inviter that is known this takes as long as that may take to answer, 45 s.
    private func carryOut(_ found: AgentLinks.Found, of invitation: Invitation) async throws {
        switch found {
        case .existing: return
        case .new(let link): return try await begin(link)
        case .known(let link):
            guard let isTaken = await link.reuse(invitation) else { throw Interrupted() }
            guard isTaken else {
                if links.contains(where: { $0.invitation.id == invitation.id }) { return }
                return try await begin(AgentLinks.new(invitation, surroundings.settings, surroundings.link))
            }
        case .asked(let link): await link.answer(invitation)
        case .once:
            let replies = try await AgentLinks.answerOnce(invitation, surroundings.settings, surroundings.link)
            surroundings.notice(.answeredOnce(replies: replies.count, refusals: replies.refusals))
        }
        try await use(invitation)
    }

    /// Stores a new link and lets it run.
    private func begin(_ link: AgentLink) async throws {
        // At once, so that the same invitation given twice meanwhile leads to no second one.
        links.append(link)
        do {
            // First the connection, then the note that its invitation is used: a crash in between costs nothing.
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
        try await surroundings.invitations.keep(accepted: accepted)
    }

    // MARK: - Commands

    /// Connections of one destination at most, those under way among them.
    static let linksLimit = 8

    /// What an invitation that an operator gives leads to.
    struct Connecting: Sendable {
        /// How it is carried out.
        enum Way: String, Sendable {
            /// A new connection is made.
            case new
            /// The invitation led to that connection before.
            case known
            /// The inviter is known: it is asked to go on over that connection.
            case reuse
            /// What the invitation asks is answered over that connection.
            case answer
            /// What it asks is answered once, without a connection.
            case once
        }

        let way: Way
        /// The connection; nil where there is none.
        let id: Text?
        /// Whether it goes on behind the answer: the same invitation given again tells how it went.
        var isUnderWay = false
        /// Why it did not succeed.
        var failure: String?
    }

    /// Connects by an invitation that an operator gives, also by one that was accepted before and whose connection is gone.
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

    /// Carries out what depends on the peer's answer, and keeps in mind how it went until somebody asks.
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
            // An inviter that did not want to go on has a new connection, which the invitation leads to by now.
            let made = links.last { $0.invitation.id == invitation.id }?.id
            asides[index].state = Connecting(
                way: made == nil ? begun.way : .new, id: made ?? begun.id, failure: failure)
        }
        return begun
    }

    /// The link of that connection; nil when there is none.
    func link(_ id: Text) -> AgentLink? { links.first { $0.id == id } }

    /// Ends the link of that connection.
    func remove(_ id: Text) async {
        guard let link = link(id) else { return }
        let isConnected = await link.isConnected
        links.removeAll { $0 === link }
        await link.stop()
        await endTrial(of: link, hasSucceeded: isConnected)
    }

    /// Whether nothing leads there, nor is on its way.
    var isEmpty: Bool { links.isEmpty }

    /// There are as many connections as there may be.
    struct TooManyConnections: Error {}
    /// The stored connections are not known yet.
    struct NotReady: Error {}
    /// The connection that was asked ended before its peer said anything.
    struct Interrupted: Error {}

    // MARK: - Invitations

    /// Reads the invitation files, at the start and whenever one was changed; what fails is tried again with growing pauses.
    private func watch() async {
        var files = files
        while !Task.isCancelled {
            for index in files.indices {
                guard let edition = files[index].due(at: surroundings.link.clock.now()) else { continue }
                do {
                    let isUsable = try await accept(try await surroundings.invitation(files[index].path))
                    files[index].succeeded(edition)
                    surroundings.notice(isUsable ? .invitationRead : .usedBefore(isConnected: !links.isEmpty))
                } catch {
                    files[index].failed(edition, at: surroundings.link.clock.now())
                    let reason = Self.words(error)
                    surroundings.notice(
                        .invitationFailed(file: files[index].path, reason: reason, isConnected: !links.isEmpty))
                }
            }
            await lookAtTrial()
            await sleep()
            if links.isEmpty, !files.isEmpty { surroundings.notice(.unconnected) }
        }
    }

    private static func words(_ error: any Error) -> String {
        switch error {
        case let error as InvitationReader.Failure: error.remedy
        case let error as AgentLinks.Failure: error.remedy
        case let error as StoreError: "\(error.text): \(error.remedy)"
        case is Interrupted: "the connection to its inviter ended meanwhile; it is tried again"
        default: "\(error)"
        }
    }

    func sleep() async {
        await surroundings.link.clock.sleep(surroundings.link.clock.now().advanced(by: surroundings.pause))
    }
}

/// Remembers which invitations were accepted, so that a file that stays where it is leads to one connection.
package protocol InvitationMemory: Sendable {
    /// The ids of invitations that were accepted, oldest first.
    func accepted() async throws -> [Text]
    /// Keeps them.
    func keep(accepted: [Text]) async throws
}

/// What happens with a destination beside its links.
enum DestinationNotice: Sendable {
    /// A stored connection cannot be read.
    case unreadable(Text)
    /// The peer had ended the stored connection.
    case ended
    /// An invitation was read, and leads or has led to a connection.
    case invitationRead
    /// The invitation of that file cannot be used, and what to do about it.
    case invitationFailed(file: String, reason: String, isConnected: Bool)
    /// An invitation without a lasting connection was answered: so many replies, of which so many refused what was asked.
    case answeredOnce(replies: Int, refusals: Int)
    /// An invitation was accepted before, and its connection is gone; where another one took its place all is well.
    case usedBefore(isConnected: Bool)
    /// There is no connection, though there are invitations.
    case unconnected
    /// The stored connections could not be read.
    case storeFailed(String)

    /// A line for the log, with the remedy.
    var text: String {
        switch self {
        case .unreadable(let id):
            "the stored connection \(id) cannot be read: put back the key that seals it (agent.keyFile), or connect anew"
        case .ended: "the agent has ended the connection: ask its operator for a new invitation"
        case .invitationRead: "the invitation was read"
        case .invitationFailed(let file, let reason, _): "the invitation in \(file) cannot be used: \(reason)"
        case .answeredOnce(let replies, let refusals):
            "the invitation offers no lasting connection; \(replies) replies were sent, \(refusals) requests refused"
        case .usedBefore: "the invitation was used before, and its connection is gone: ask for a new one"
        case .unconnected: "there is no connection: connect with an invitation"
        case .storeFailed(let reason): "the connections could not be read: \(reason)"
        }
    }
}
