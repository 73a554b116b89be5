import Aries
import DIDComm
import Encoding
import Foundation
import HTTPTransport
import Ledger
import Simulation
import Store
import TestKit
import Testing

@testable import Appliance

/// What links and mailbox said.
final class AgencyNotices: @unchecked Sendable {
    private let lock = NSLock()
    private var links: [AgentNotice] = []
    private var mail: [MailboxNotice] = []
    func add(_ notice: AgentNotice) { lock.withLock { links.append(notice) } }
    func add(_ notice: MailboxNotice) { lock.withLock { mail.append(notice) } }
    var messages: Int { lock.withLock { links.count { if case .message = $0 { true } else { false } } } }
    /// Where it was said last that the agency can wake the kiosk.
    var port: Int? {
        lock.withLock { mail.compactMap { if case .listens(let address) = $0 { address.port } else { nil } }.last }
    }
    var texts: [String] { lock.withLock { mail.map(\.text) } }
    var all: String { lock.withLock { "\(links.map(\.text)) \(mail.map(\.text))" } }
}

/// The network: an agency, and an agent that says everything by it.
actor AgencyNetwork: MessageExchange {
    private var agency: VirtualAgency
    private var agent: VirtualAgent
    private(set) var mediaTypes: Set<String> = []
    private var answersLongPolls = true
    private var takenWakeUps = 0

    init(_ dialect: AgencyDialect, sponsor: Verkey? = nil) throws {
        func secret() -> Secret { Secret((0..<32).map { _ in UInt8.random(in: 0...255) }) }
        guard let random = RandomStream(seed: secret()), let other = RandomStream(seed: secret()),
            let agency = VirtualAgency(
                dialect, url: "http://agency.test", seed: secret(), sponsor: sponsor, random: random),
            let agent = VirtualAgent(endpoint: "http://agent.test/", random: other)
        else { throw CancellationError() }
        self.agency = agency
        self.agent = agent
        self.agent.answersByMailbox = true
    }

    func post(_ body: [UInt8], to url: String) async throws(ExchangeError) -> [UInt8] {
        guard Text(url) == agent.endpoint else { throw .unreachable }
        defer { carry() }
        switch agent.handle(body, at: .zero) {
        case .accepted(let answer): return answer
        case .unreachable: throw .unreachable
        case .lost: throw .uncertain
        case .rejected: throw .refused(status: 400)
        }
    }

    func exchange(
        _ body: [UInt8]?, with url: String, as mediaType: String
    ) async throws(ExchangeError) -> MessageAnswer {
        if body != nil, url.hasSuffix("/agency/msg") { mediaTypes.insert(mediaType) }
        guard Text(url).hasPrefix(agency.url) else { throw .unreachable }
        guard answersLongPolls || !url.contains("/notifications") else { throw .refused(status: 404) }
        let answer: VirtualAgency.Answer =
            if url.hasSuffix("/notifications/ack") {
                agency.acknowledge(body ?? [])
            } else if url.contains("/notifications?") {
                agency.notifications()
            } else {
                body.map { agency.handle($0) } ?? agency.information()
            }
        guard let status = answer.status else { throw .uncertain }
        return MessageAnswer(status: status, body: answer.body)
    }

    /// What the agent posts goes to the agency.
    private func carry() {
        for post in agent.posts { _ = agency.handle(post.body) }
        agent.posts = []
    }

    func send(_ content: Text) {
        agent.send(content: content)
        carry()
    }

    /// The agent asks every kiosk whether the gate is open.
    func ask() {
        agent.send(
            Message.make(
                MessageType(.didcomm, Question.name, "question"), id: "question-1",
                [
                    .init("question_text", "open?"),
                    .init("valid_responses", [["text": "yes"], ["text": "no"]]),
                ]))
        carry()
    }

    /// How often it was answered.
    var answers: Int { agent.others.count { $0["~thread"]?["thid"] == "question-1" } }

    /// How often messages were asked for.
    var looks: Int { agency.log.count { $0.hasPrefix("GET_MSGS") } }
    func withAgency<Value: Sendable>(_ body: @Sendable (inout VirtualAgency) -> Value) -> Value { body(&agency) }
    /// The agency wakes nobody who asks for it.
    func endLongPolls() { answersLongPolls = false }
    /// What the agency posts to webhooks since it was looked at last.
    func takeWakeUps() -> [(url: Text, body: [UInt8])] {
        defer { takenWakeUps = agency.wakeUps.count }
        return Array(agency.wakeUps.dropFirst(takenWakeUps))
    }
    var party: AgencyParty { agency.party }
    var invitation: JSON { agent.invitation }
    var received: Int { agent.received.count }
    var repetitions: Int { agent.repetitions }
}

/// A kiosk: its database, its destination and its mail room.
final class AgencyKiosk: Sendable {
    let store: Store
    let notices: AgencyNotices
    private let destination: Destination
    private let task: Task<Void, Never>
    /// Fetches tokens; posts wake-ups.
    let http: HTTPExchange

    init(
        _ folder: URL, _ network: AgencyNetwork, _ settings: AgencySettings, token: TokenSource? = nil,
        webhook: WebhookReceiver.Settings? = nil
    ) async throws {
        let notices = AgencyNotices()
        var permissive = HTTPExchange.Settings()
        permissive.allowsPlainHTTP = true
        let http = HTTPExchange(permissive)
        let store = try await Store.open(folder.appendingPathComponent("ledger.db").path)
        try await store.destination(DeliveryCursor.primary)
        var limits = AgentConnection.Limits()
        (limits.firstRetry, limits.longestRetry) = (.milliseconds(2), .milliseconds(10))
        (limits.firstLook, limits.longestLook) = (.milliseconds(5), .milliseconds(50))
        let connection = AgentConnection.Configuration(
            label: "kiosk", limits: limits, rules: RequestRules(answers: [.init(question: "open?", response: "yes")]))
        let invitation = await network.invitation
        let mail = MailRoom(
            .agency(settings),
            MailRoom.Surroundings(
                exchange: network, store: store,
                settings: Mediator.Configuration(connection: connection, allowsPlainHTTP: true),
                invitation: { _ in try Invitation(invitation) },
                token: { () throws(TokenSource.Failure) in try await token?.token(by: http) },
                longestTokenPause: token?.longestPause ?? .zero, webhook: webhook,
                refused: StoredInvitations(withoutMailbox: store), clock: .system(),
                notice: { notices.add($0) }, pause: .milliseconds(10)))
        var link = AgentLink.Surroundings(
            exchange: network, store: store, outbox: StoredOutbox(store, DeliveryCursor.primary),
            reports: Memory.settings, postbox: mail, asksForMailbox: { _ in false },
            observe: { notices.add($0) })
        (link.allowsPlainHTTP, link.reception) = (true, .mailbox)
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
                }, link: link, settings: connection,
                invitations: StoredInvitations(store, DeliveryCursor.primary), mail: mail,
                notice: { _ in }, pause: .milliseconds(10)))
        (self.store, self.destination, self.notices, self.http) = (store, destination, notices, http)
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

    var isDelivered: Bool {
        get async { await store.deliveries[DeliveryCursor.primary]?.confirmed == store.head.point.count }
    }

    var mailboxes: Int {
        get async throws { try await store.connections().count { $0.destination == MailRoom.destination } }
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
        await http.shutdown()
        await store.close()
    }
}

/// A folder that goes with the test.
func withAgencyFolder(_ body: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("agency-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder)
}

/// The agency of `network`, asked every 20 ms.
func agencySettings(
    _ dialect: AgencyDialect, _ network: AgencyNetwork, needsToken: Bool = false
) async -> AgencySettings {
    var settings = AgencySettings(
        dialect, url: "http://agency.test", agency: await network.party, needsToken: needsToken)
    settings.limits.poll = .milliseconds(20)
    (settings.limits.firstRetry, settings.limits.refusedRetry) = (.milliseconds(5), .milliseconds(50))
    settings.limits.longestRetry = .milliseconds(50)
    return settings
}

/// A token of that sponsor.
func sponsorToken(_ sponsor: KeyPair, _ nonce: Text) -> JSON {
    let time = Text("2026-01-01T00:00:00+00:00")
    let signature = sponsor.sign(Array("\(nonce)\(time)kioskgate".utf8))
    return [
        "sponseeId": "kiosk", "sponsorId": "gate", "nonce": .string(nonce), "timestamp": .string(time),
        "sig": .text(Base64.encode(signature, .standard)), "sponsorVerKey": .string(sponsor.verkey.base58),
    ]
}
