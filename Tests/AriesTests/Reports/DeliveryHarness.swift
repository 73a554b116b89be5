import Aries
import Encoding

/// A ledger and a peer around a ``ReportDelivery``, on a clock that jumps from deadline to deadline. (A
/// class, because the test macros copy the values that they inspect.)
final class DeliveryHarness {
    static let ledger: Text = "0b6e2c54-93a1-4d6e-8f5a-5f1f0f6d1a11"

    var delivery: ReportDelivery
    var now = Instant.zero
    let settings: ReportSettings
    /// The ledger: position N is at N - 1. Every third entry is an intent.
    var entries: [ReportEntry] = []
    /// Entries up to here are no longer kept.
    var evicted = 0
    /// The cursor as the store has it.
    var cursor = 0
    /// Every action except reads, sends and pings, in order.
    var seen: [ReportDelivery.Action] = []
    /// The messages, in order, with their time.
    var messages: [(time: Instant, message: OutboundMessage)] = []
    var pings: [Instant] = []
    /// The peer at the other end of the connection.
    var peer = Peer()
    /// The message that the connection repeats until HTTP accepts it.
    var kept: OutboundMessage?
    var isPingKept = false
    /// Set when the actions at one moment never end.
    var isEndless = false

    struct Peer {
        /// Whether the agent of the handshake supports the protocol.
        var discloses = true
        /// Whether the peer answers; HTTP accepts messages in any case.
        var isAlive = true
        /// Whether HTTP accepts messages, and whether it accepts pings. The connection keeps a message that
        /// is not accepted until ``comeBack()``.
        var (isUp, takesPings) = (true, true)
        /// Whether records are stored and receipted.
        var stores = true
        /// Returns whether a message is refused with 413.
        var refuses: (OutboundMessage) -> Bool = { _ in false }
        /// Returns the code of the problem report that the peer sends in place of an answer although HTTP
        /// accepted the message, or nil.
        var problem: (OutboundMessage) -> Text? = { _ in nil }
        /// The head with which the peer answers; nil if it answers none.
        var head: ReportPoint? = DeliveryHarness.point(0)
        /// The head signed by this gate that the peer returns; nil if it returns none, or one signed with
        /// another key.
        var signed: ReportPoint?
        var stored: [Int: ReportEntry] = [:]
        /// Reports that arrived in basicmessages, by id, with the number of times.
        var reports: [Text: Int] = [:]
        /// Reports that were accepted while the agent was not alive.
        var lost: Set<Text> = []
        /// The ids of the reports in the order of first arrival.
        var order: [Text] = []
    }

    init(
        _ settings: ReportSettings = .init(), entries count: Int = 0, cursor: Int = 0, receipt: ReportPoint? = nil,
        isPast: Bool = false
    ) {
        self.settings = settings
        self.cursor = cursor
        for number in 0..<count { entries.append(Self.entry(number + 1)) }
        delivery = ReportDelivery(
            settings, end: Self.point(count), confirmed: cursor, receipt: receipt, isPast: isPast)
    }

    static func hash(_ position: Int, _ branch: UInt8 = 0) -> [UInt8] {
        [branch] + (0..<31).map { UInt8(truncatingIfNeeded: position >> (8 * min($0, 7))) }
    }

    static func point(_ position: Int, _ branch: UInt8 = 0) -> ReportPoint {
        ReportPoint(ledger: ledger, position: position, hash: hash(position, branch))
    }

    static func entry(_ position: Int) -> ReportEntry {
        let isIntent = position % 3 == 1
        let report: JSON = [
            "type": "verification-report/1.0", "id": id(position), "seq": .int(position),
            "time": "2026-01-02T03:04:05.678Z", "result": "accepted",
        ]
        return ReportEntry(
            position: position, hash: hash(position), body: Array("{\"v\":1,\"seq\":\(position),\"é\":\"\\\"\"}".utf8),
            report: isIntent ? nil : report)
    }

    static func id(_ position: Int) -> JSON { .text("report-\(position)") }

    /// Positions of entries that are reports.
    var reportPositions: [Int] { entries.filter { $0.report != nil }.map(\.position) }

    /// Appends entries to the ledger.
    func grow(_ count: Int, isUrgent: Bool = false) {
        for _ in 0..<count { entries.append(Self.entry(entries.count + 1)) }
        feed(.available(end: Self.point(entries.count), isUrgent: isUrgent))
    }

    /// Handles an event and carries out the resulting actions, until nothing is left to do at this time.
    func feed(_ event: ReportDelivery.Event) { feed([event]) }

    /// Handles events that arrive together, as with one answer of the peer's server.
    private func feed(_ first: [ReportDelivery.Event]) {
        var events = first
        var steps = 0
        while !events.isEmpty {
            steps += 1
            guard steps < 50_000 else {
                isEndless = true
                return
            }
            for action in delivery.handle(events.removeFirst(), at: now) { events += carryOut(action) }
        }
        if let deadline = delivery.deadline, deadline <= now { isEndless = true }
    }

    private func carryOut(_ action: ReportDelivery.Action) -> [ReportDelivery.Event] {
        switch action {
        case .read(let after, let count, _, let withReports):
            let found = entries.dropFirst(max(after, evicted)).prefix(count)
            return [
                .entries(
                    found.map {
                        ReportEntry(
                            position: $0.position, hash: $0.hash, body: $0.body, report: withReports ? $0.report : nil)
                    })
            ]
        case .look(let position):
            seen.append(action)
            return [.hash(position > evicted ? Self.hash(position) : nil, at: position)]
        case .send(let message):
            messages.append((now, message))
            return post(message)
        case .ping:
            pings.append(now)
            return ping()
        case .confirmed(let point, _):
            seen.append(action)
            cursor = point.position
            return []
        default:
            seen.append(action)
            return []
        }
    }

    private func ping() -> [ReportDelivery.Event] {
        isPingKept = !peer.isUp || !peer.takesPings
        guard !isPingKept else { return [] }
        let id = Text("ping-\(pings.count)")
        return [.pinged(id)] + (peer.isAlive ? [.pong(id)] : [])
    }

    /// Makes HTTP work again: the connection sends the message that it kept.
    func comeBack() {
        (peer.isUp, peer.takesPings) = (true, true)
        if isPingKept { feed(ping()) }
        if let kept { feed(post(kept)) }
    }

    private func post(_ message: OutboundMessage) -> [ReportDelivery.Event] {
        kept = peer.isUp ? nil : message
        guard peer.isUp else { return [] }
        if peer.refuses(message) { return [.failed(message.id, .refused(status: 413))] }
        var events: [ReportDelivery.Event] = [.sent(message.id)]
        let content = message.members.first { $0.name == "content" }?.value.string
        let json = content.flatMap { try? JSON.parse($0.string) }
        let reports = (json?["reports"]?.array ?? [json].compactMap(\.self)).compactMap { $0["id"]?.string }
        guard peer.isAlive else {
            peer.lost.formUnion(reports)
            return events
        }
        if let code = peer.problem(message) { return events + [.problem(code: code, thread: message.id)] }
        switch message.name {
        case "query": events.append(.disclosed(peer.discloses ? [VerificationReport.name] : []))
        case "head-query":
            if let head = peer.head { events.append(.head(head, signed: peer.signed)) }
        case "records":
            guard peer.stores, let records = try? ReportRecords(message.json(.didcomm)) else { break }
            for entry in records.entries { peer.stored[entry.position] = entry }
            let last = records.entries[records.entries.count - 1]
            events.append(
                .receipt(ReportPoint(ledger: records.ledger, position: last.position, hash: last.hash)))
        default:
            for id in reports {
                if peer.reports[id] == nil { peer.order.append(id) }
                peer.reports[id, default: 0] += 1
            }
        }
        return events
    }

    /// Advances the clock by `duration`, from deadline to deadline.
    func run(for duration: Duration) {
        let end = now.advanced(by: duration)
        var steps = 0
        while let deadline = delivery.deadline, deadline <= end, !isEndless {
            steps += 1
            if steps > 10_000 { isEndless = true }
            now = max(now, deadline)
            feed(.deadlineReached)
        }
        now = end
    }

    /// Ends the process and starts it again with the stored cursor.
    func restart() {
        delivery = ReportDelivery(settings, end: Self.point(entries.count), confirmed: cursor)
        feed(.connected)
    }

    /// The messages that carry entries or reports.
    var carriers: [OutboundMessage] {
        messages.map(\.message).filter { $0.name == "records" || $0.name == "message" }
    }

    /// The positions of each `records` message.
    var batches: [[Int]] {
        carriers.compactMap { try? ReportRecords($0.json(.didcomm)) }.map { $0.entries.map(\.position) }
    }
}
