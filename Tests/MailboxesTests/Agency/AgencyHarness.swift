import Aries
import DIDComm
import Encoding
import Mailboxes
import VirtualKit

/// A mailbox at a virtual agency, with connections that store their messages durably, on a clock that jumps
/// from deadline to deadline. (A class, because the test macros copy the values that they inspect.)
final class AgencyHarness {
    var agency: VirtualAgency
    var mailbox: AgencyMailbox
    var settings: AgencySettings
    var now = Instant.zero
    /// The last persisted state, as a store keeps it.
    var stored: String?
    /// The connections, which survive a kill.
    var connections: [Text: Connection] = [:]
    /// Every action except posts, persists, addresses and messages, in order.
    var seen: [MailboxAction] = []
    /// Requests since the start, of all runs of the process.
    var requests = 0
    /// The kind of each request, by the agency's log; nil if the agency understood none.
    private(set) var asked: [Text?] = []
    /// The largest number of messages in one batch.
    var largestBatch = 0
    /// The step at which the process is killed, once. Every action and every result of a request is a step.
    var killAt: Int?
    /// The steps so far.
    var steps = 0
    /// The number of the request whose answer is lost, after the request took effect.
    var loseAt: Int?
    /// The state when an answer or the process was lost: the number of agents, and whether the stored mailbox
    /// knew its own agent.
    var atLoss: (agents: Int, knewAgent: Bool)?
    /// Descriptions of forbidden behaviour; empty if there was none.
    var broken: [String] = []
    /// How a driver applies messages; by default all are durable at once.
    var applies: (MailboxMessage) -> Bool = { _ in true }
    /// Whether the network is up.
    var isReachable = true
    /// Whether the store accepts writes.
    var isStoring = true
    /// The name of the requests that the agency answers with HTTP 500, whether or not they take effect.
    var failing: Text?
    /// The maximum size of an answer in bytes.
    var answerLimit = Int.max
    /// Whether refusals are reported without their bodies, as a simpler driver does.
    var hidesBodies = false
    /// An event that occurs, once, between a server's answer and its arrival; the mailbox is woken then.
    var meanwhile: (() -> Void)?
    private var isStored = true
    private let peer: KeyPair
    private var random = stream(99)
    private var names: [[UInt8]: Text] = [:]

    /// A driver's data about a connection.
    struct Connection {
        var key: KeyPair
        var earlier: [KeyPair] = []
        var address: MailboxAddress?
        /// The ids of the messages that are durable, in order.
        var durable: [Text] = []
        /// The number of messages that could not be read.
        var quarantined = 0
        /// The number of messages that arrived again.
        var repetitions = 0
        var failures: [MailboxFailure] = []
        var isClosing = false
        /// Whether the mailbox could remove the connection completely after it was closed.
        var isComplete: Bool?
    }

    private struct Killed: Error {}

    init(
        _ dialect: AgencyDialect, sponsor: KeyPair? = nil, change: (inout AgencySettings) -> Void = { _ in }
    ) throws {
        guard
            let agency = VirtualAgency(
                dialect, url: "https://agency.test", seed: Secret(Array("0000000000000000000000000Forward".utf8)),
                did: "VsKV7grR1BUE29mG2Fm2kX", sponsor: sponsor?.verkey, random: stream(50)),
            let peer = KeyPair(seed: Secret([UInt8](repeating: 77, count: 32)))
        else { throw InvitationError.badKey }
        var settings = AgencySettings(
            dialect, url: "https://agency.test/", agency: agency.party, needsToken: sponsor != nil)
        change(&settings)
        guard let mailbox = AgencyMailbox(settings, random: stream(51)) else { throw InvitationError.badKey }
        (self.settings, self.peer) = (settings, peer)
        self.mailbox = mailbox
        self.agency = agency
    }

    // MARK: The driver

    /// Handles an event and carries out the resulting actions, until nothing is left to do at this time.
    func feed(_ event: MailboxEvent) {
        do {
            try carryOut([event])
            if let deadline = mailbox.deadline, deadline <= now { broken.append("what is due is not done") }
        } catch {
            restart()
        }
    }

    private func step() throws {
        steps += 1
        guard steps == killAt else { return }
        noteLoss()
        throw Killed()
    }

    private func noteLoss() {
        let stage = stored.flatMap { try? JSON.parse($0) }?["stage"]
        atLoss = (agency.agents, stage == "ready")
    }

    private func carryOut(_ first: [MailboxEvent]) throws {
        var events = first
        while !events.isEmpty {
            let actions = mailbox.handle(events.removeFirst(), at: now)
            if actions.count > 600 { broken.append("\(actions.count) actions") }
            for action in actions {
                try step()
                switch action {
                case .persist(let snapshot):
                    isStored = isStoring
                    if isStoring { stored = snapshot.compactText }
                case .post(let id, let url, let body):
                    if url != "\(agency.url)/agency/msg" { broken.append("posted to \(url)") }
                    let result = try result(of: id) { agency.handle(body) }
                    if let meanwhile {
                        self.meanwhile = nil
                        meanwhile()
                        events.append(.fetch)
                    }
                    events.append(result)
                case .get(let id, let url):
                    if url != "\(agency.url)/agency" { broken.append("got \(url)") }
                    events.append(try result(of: id) { agency.information() })
                case .address(let address, let connection):
                    connections[connection]?.address = address
                    seen.append(action)
                case .failed(let failure, let connection):
                    seen.append(action)
                    guard let connection else { break }
                    connections[connection]?.failures.append(failure)
                    if failure == .keyTaken { events.append(renew(connection)) }
                case .closed(let connection, let isComplete):
                    connections[connection]?.isComplete = isComplete
                    seen.append(action)
                case .messages(let messages):
                    largestBatch = max(largestBatch, messages.count)
                    let uids = messages.filter(apply).map(\.uid)
                    if !uids.isEmpty { events.append(.applied(uids)) }
                case .reachability: seen.append(action)
                }
            }
        }
    }

    private func result(
        of id: AgentConnection.ExchangeID, _ request: () -> VirtualAgency.Answer
    ) throws -> MailboxEvent {
        guard isStored else { return .failed(id, .notStored) }
        requests += 1
        if requests > 3000 { throw Killed() }
        if requests == loseAt { agency.faults.lostAnswers += 1 }
        if !isReachable { return .failed(id, .unreachable) }
        let before = agency.log.count
        let answer = request()
        asked.append(agency.log.count > before ? agency.log.last : nil)
        let isFailing = agency.log.count > before && agency.log.last == failing
        now = now.advanced(by: answer.delay)
        checkOrder()
        if answer.status == nil { noteLoss() }
        try step()
        switch isFailing ? 500 : answer.status {
        case nil: return .failed(id, .uncertain)
        case 200? where answer.body.count > answerLimit: return .failed(id, .tooLarge)
        case 200?: return .answered(id, body: answer.body)
        case let status?:
            if hidesBodies { return .failed(id, status >= 500 ? .uncertain : .refused(status: status)) }
            return .rejected(id, status: status, body: answer.body)
        }
    }

    /// Checks that no message is marked as reviewed at the agency before it is durable here.
    private func checkOrder() {
        for message in agency.messages where message.status == "MS-106" {
            guard let name = names[message.payload.compactBytes] else { continue }
            let isDurable = connections.values.contains { $0.durable.contains(name) || $0.isClosing }
            if !isDurable { broken.append("\(name) is released before it is durable") }
        }
    }

    /// Makes a message durable, in its connection or in quarantine.
    private func apply(_ message: MailboxMessage) -> Bool {
        guard applies(message), let connection = connections[message.connection] else { return false }
        guard let content = try? Envelope.unpack(message.envelope, with: [connection.key] + connection.earlier),
            content.sender == peer.verkey, let id = (try? JSON.parse(content.plaintext))?["@id"]?.string
        else {
            connections[message.connection]?.quarantined += 1
            return true
        }
        if connection.durable.contains(id) {
            connections[message.connection]?.repetitions += 1
        } else {
            connections[message.connection]?.durable.append(id)
        }
        return true
    }

    private func renew(_ connection: Text) -> MailboxEvent {
        if let key = KeyPair(seed: random.drawSecret(32)) { connections[connection]?.key = key }
        return .open(connection: connection, key: connections[connection]?.key ?? peer)
    }

    /// Restarts the process with the stored state.
    func restart() {
        (killAt, isStored) = (nil, true)
        let seed = UInt8(truncatingIfNeeded: 100 + steps)
        if let stored, let snapshot = try? JSON.parse(stored) {
            do {
                mailbox = try AgencyMailbox(restoring: snapshot, settings, random: stream(seed))
            } catch {
                broken.append("\(error)")
                return
            }
        } else if let fresh = AgencyMailbox(settings, random: stream(seed)) {
            mailbox = fresh
        }
        start()
    }

    /// Starts the mailbox and opens the existing connections.
    func start() {
        feed(.start)
        for (name, connection) in connections.sorted(by: { $0.key < $1.key }) where connection.isComplete == nil {
            if connection.isClosing {
                feed(.close(connection: name))
            } else {
                feed(.open(connection: name, key: connection.key))
            }
        }
    }

    /// Advances the clock by `time`, from deadline to deadline.
    func run(for time: Duration) {
        let end = now.advanced(by: time)
        while let deadline = mailbox.deadline, deadline <= end {
            if requests > 3000 {
                broken.append("asks without end")
                return
            }
            now = max(now, deadline)
            feed(.deadlineReached)
        }
        now = max(now, end)
    }

    // MARK: Events

    /// Opens a new connection, or another key of an existing one.
    func open(_ name: Text) {
        guard let key = KeyPair(seed: random.drawSecret(32)) else { return }
        if let old = connections[name] {
            connections[name]?.earlier.append(old.key)
            connections[name]?.key = key
        } else {
            connections[name] = Connection(key: key)
        }
        feed(.open(connection: name, key: key))
    }

    /// Closes the connection, which is not used any more.
    func close(_ name: Text) {
        connections[name]?.isClosing = true
        feed(.close(connection: name))
    }

    /// Leaves a message of the peer for a connection; returns false if the agency does not accept it.
    @discardableResult
    func send(_ id: Text, to name: Text, for key: KeyPair? = nil, at other: MailboxAddress? = nil) -> Bool {
        guard let connection = connections[name], let address = other ?? connection.address else { return false }
        let key = (key ?? connection.key).verkey
        let message: JSON = ["@id": .string(id)]
        let envelope = Envelope.pack(message.compactBytes, to: [key], from: peer, random: &random)
        names[envelope.compactBytes] = id
        guard let wrapped = try? Envelope.wrap(envelope, to: key, via: address.routingKeys, random: &random) else {
            return false
        }
        let faults = agency.faults
        agency.faults = .init()
        defer { agency.faults = faults }
        return agency.handle(wrapped.compactBytes).status == 200
    }

    /// The kiosk's agent at the agency.
    var agent: AgencyParty? { mailbox.agent }

    /// The long poll of the kiosk's agent.
    var longPoll: AgencyLongPoll? { mailbox.longPoll }

    /// How often the mailbox reported an address.
    var addresses: Int { seen.count { if case .address = $0 { true } else { false } } }

    /// The failures of the mailbox itself, in order.
    var failures: [MailboxFailure] {
        seen.compactMap { if case .failed(let failure, nil) = $0 { failure } else { nil } }
    }
}
