import Aries
import DIDComm
import Encoding
import Ledger
import Mailboxes
import Simulation
import Store
import Testing

@testable import Courier

/// A driver with a ledger, a store and a network that can fail, and a clock that jumps from deadline to deadline.
final class LinkWorld {
    var core: LinkCore
    var agent: VirtualAgent
    var now = Instant.zero
    var isStoreBroken = false
    /// Whether no confirmation can be stored.
    var isLedgerBroken = false
    /// Whether a newer connection is the active one.
    var isReplaced = false
    /// The number of entries of the ledger. Each has a report.
    var count = 0

    private(set) var confirmed = 0
    private var bodies: [[UInt8]] = []
    var posts: Int { bodies.count }
    private(set) var notices: [AgentNotice] = []
    private(set) var quarantined: [Text] = []
    private(set) var book: [MessageEntry] = []
    /// The results of answers to questions, and the last stored state.
    private(set) var fates: [String] = []
    private(set) var stored: JSON?
    /// The status with which the agent's server refuses everything.
    var refusal: Int?
    /// The actions for the mailbox and the store, in order.
    private(set) var trail: [String] = []
    /// Each answer of the core to whether the agent may grant a mailbox, oldest first.
    private(set) var asks: [Bool] = []
    /// The number of turns at one instant in which the core had no action.
    private(set) var spins = 0

    init(_ reception: AgentConnection.Reception = .returnRoute, delivers: Bool = true) throws {
        guard let agent = VirtualAgent(endpoint: "http://agent.test/", random: freshStream()) else {
            throw InvitationError.badKey
        }
        let connection = try AgentConnection(
            id: "c", invitation: try Invitation(agent.invitation), reception: reception,
            configuration: .init(label: "kiosk"), random: freshStream())
        self.agent = agent
        var policy = LinkCore.Policy(delivers: delivers, allowsPlainHTTP: true)
        policy.reports.limits.pingAfter = .milliseconds(2)
        core = LinkCore(connection, policy)
    }

    private static let ledger: Text = "ledger"

    private func point(_ position: Int) -> ReportPoint {
        ReportPoint(
            ledger: Self.ledger, position: position, hash: [UInt8](repeating: UInt8(position % 256), count: 32))
    }

    /// Events that arrive during the next posts, one during each.
    var arriving: [LinkCore.Event] = []
    /// The number of entries at which the ledger stops growing. Before that, each post adds an entry.
    var growth = 0

    func feed(_ event: LinkCore.Event) {
        core.take(event, at: now)
        settle()
    }

    /// Called during the post of the question for a mailbox.
    var duringQuestion: ((LinkWorld) -> Void)?
    /// Called after the result of that post.
    var afterQuestion: ((LinkWorld) -> Void)?

    /// Carries out what is due now.
    private func settle() {
        while true {
            let actions = core.decide(at: now, date: Timestamp(seconds: 1))
            for action in actions {
                let isQuestion = if case .post = action { core.mediation?.isUnderWay == true } else { false }
                if isQuestion { duringQuestion?(self) }
                if let result = carryOut(action) { core.take(result, at: now) }
                if isQuestion { afterQuestion?(self) }
            }
            if actions.isEmpty { return }
        }
    }

    /// Connects, and delivers what the ledger has.
    func connect() {
        feed(.start(question: nil))
        run(for: .seconds(30))
    }

    /// Starts again with an agent that grants a mailbox.
    func startWithGrant() {
        agent.mediation = VirtualMediation(
            seed: Secret([UInt8](repeating: 8, count: 32)), hasPickup: true)
        feed(.start(question: "mediation"))
    }

    /// Returns an envelope with a message that the agent starts. The agent leaves it for the gate, and gets again
    /// the message that completed the handshake, which it does not answer.
    func envelope(_ message: JSON) throws -> [UInt8] {
        agent.send(message)
        let complete = try #require(bodies.dropFirst().first)
        guard case .accepted(let body) = agent.handle(complete, at: now) else { return [] }
        return body
    }

    func run(for time: Duration) {
        let end = now.advanced(by: time)
        while let deadline = core.deadline, deadline <= end {
            if deadline <= now { spins += 1 }
            guard spins < 100 else { return }
            now = max(now, deadline)
            settle()
        }
        now = end
    }

    private var storeFailure: LinkCore.StoreFailure? { isStoreBroken ? .init(CancellationError()) : nil }

    private func carryOut(_ action: LinkCore.Action) -> LinkCore.Event? {
        switch action {
        case .keep(let snapshot, _, let messages, let answers):
            if storeFailure == nil {
                trail.append("keep")
                stored = snapshot
                book += messages
                fates += answers.map { "\($0.uid): \($0.status) \($0.result)" }
            }
            return .kept(storeFailure)
        case .post(let id, _, let body):
            bodies.append(body)
            if !arriving.isEmpty { core.take(arriving.removeFirst(), at: now) }
            if count < growth {
                count += 1
                core.take(.wake, at: now)
            }
            trail.append("post")
            defer { if agent.others.last.map(isProblem) == true { trail.append("problem") } }
            return post(id, body)
        case .open: return .ask(.address(MailboxAddress(endpoint: "http://mail.test/", routingKeys: []), for: key))
        case .connected: trail.append("connected")
        case .applied(let uids): trail += uids.map { "release \($0)" }
        case .takeOver:
            let state = OutboxState(end: point(count), confirmed: confirmed)
            return .tookOver(.success(isReplaced ? nil : state))
        case .lookAtEnd: return .end(.success(end))
        case .examine(let answer, _):
            let found: (LinkCore.LedgerEnd, isSigned: Bool)? = end.map { ($0, isSigned: false) }
            return .examined(answer, .success(found))
        case .read(_, let position, let limit, _, _):
            let entries = (position..<min(count, position + limit)).map { entry($0 + 1) }
            return .entries(.success(isReplaced ? nil : entries))
        case .readHash(_, let position): return .hash(.success(point(position).hash), at: position)
        case .confirm(let confirmation, _):
            guard !isLedgerBroken else { return .confirmed(.failure(.init(CancellationError()))) }
            confirmed = confirmation.point.position
            return .confirmed(.success([]))
        case .quarantine(let message, _):
            if storeFailure == nil { quarantined.append(message.uid) }
            return .quarantined(storeFailure)
        case .giveUp: return .gaveUp(nil)
        case .notice(let notice): notices.append(notice)
        case .asksForMailbox(let isAsking): asks.append(isAsking)
        case .fetch, .reused, .unsent: break
        }
        return nil
    }

    private func isProblem(_ message: JSON) -> Bool {
        message["@type"]?.string?.hasSuffix("problem-report") == true
    }

    private var key: Verkey { core.connection.verkey }
    private var end: LinkCore.LedgerEnd? { isReplaced ? nil : .init(point: point(count), isUrgent: false) }

    private func entry(_ position: Int) -> ReportEntry {
        ReportEntry(
            position: position, hash: point(position).hash, body: Array("{}".utf8),
            report: ["id": .text("report-\(position)"), "seq": .int(position)])
    }

    private func post(_ id: AgentConnection.ExchangeID, _ body: [UInt8]) -> LinkCore.Event {
        if let refusal { return .failed(id, ExchangeFailure(status: refusal)) }
        return switch agent.handle(body, at: now) {
        case .accepted(let answer): .answered(id, body: answer)
        case .unreachable: .failed(id, .unreachable)
        case .lost: .failed(id, .uncertain)
        case .rejected: .failed(id, .refused(status: 400))
        }
    }

    func count(_ matches: (AgentNotice) -> Bool) -> Int { notices.count(where: matches) }
    var failures: Int { count { if case .storeFailed = $0 { true } else { false } } }
}
