import Aries
import Clocks
import Courier
import Encoding
import Foundation
import HTTPTransport
import Ledger
import Mailboxes
import Store

/// A store and an outbox in memory whose operations a test can make fail.
final class Memory: ConnectionStore, Outbox, InvitationMemory, @unchecked Sendable {
    struct Broken: Error {}

    private let lock = NSLock()
    private var connections: [StoredConnection] = []
    private var handled: [[UInt8]] = []
    private var used: [Text] = []
    private var head = LedgerHead(ledger: "ledger", point: .genesis(ledger: "ledger"))
    private var ledger: [LedgerEntry] = []
    private var cursor = DeliveryCursor(DeliveryCursor.primary)
    private var seen: [AgentNotice] = []
    private var book: [MessageEntry] = []
    private var isBroken = false
    private var isOutboxBroken = false
    private var looksToFail = 0
    private var loadsUntilFailure: Int?

    /// The number of unconfirmed reports.
    var pending: Int {
        lock.withLock { ledger.count { $0.position > cursor.confirmed && Report.json(of: $0, in: "ledger") != nil } }
    }
    var notices: [AgentNotice] { lock.withLock { seen } }
    var present: Text? { lock.withLock { cursor.connection } }
    var kept: [StoredConnection] { lock.withLock { connections } }
    /// The message book.
    var messages: [MessageEntry] { lock.withLock { book } }

    func setBroken(_ isBroken: Bool) { lock.withLock { self.isBroken = isBroken } }
    func setBroken(outbox isBroken: Bool) { lock.withLock { isOutboxBroken = isBroken } }
    /// Makes the next `count` reads of the ledger's end fail.
    func failLooks(_ count: Int) { lock.withLock { looksToFail = count } }
    /// Makes one read of the handled messages fail, after `count` further ones.
    func failLoad(after count: Int) { lock.withLock { loadsUntilFailure = count } }
    func observe(_ notice: AgentNotice) { lock.withLock { seen.append(notice) } }

    /// Settings with which reports are sent, and asked about, without a wait.
    static var settings: ReportSettings {
        var settings = ReportSettings()
        (settings.limits.pingAfter, settings.limits.answer) = (.milliseconds(2), .milliseconds(200))
        return settings
    }

    /// Returns the id of the report with that number, from 0.
    static func id(_ number: Int) -> Text { Text("report-\(number)") }

    func queue(_ count: Int) throws {
        let stamp = RecordStamp(
            kiosk: "k", boot: "b", time: WallTime(utc: Timestamp(seconds: 1), provenance: .rtc), monotonic: .zero)
        try lock.withLock {
            for _ in 0..<count {
                let visit = Self.id(head.point.nextSeq - 1)
                ledger.append(try head.appendIntent(visit, stamp: stamp))
                let outcome = Outcome(.accepted, gate: .shut, software: Outcome.Software(name: "s", version: "1"))
                ledger.append(try head.appendOutcome(visit, outcome, stamp: stamp).entry)
            }
        }
    }

    func loadConnections() async throws -> [StoredConnection] { lock.withLock { connections } }

    func keepConnection(
        _ id: Text, to destination: Text, _ snapshot: [UInt8], handled: [[UInt8]], messages: [MessageEntry],
        answers: [AnswerChange]
    ) async throws {
        try lock.withLock {
            if isBroken { throw Broken() }
            let stored = StoredConnection(id: id, destination: destination, snapshot: snapshot)
            if let index = connections.firstIndex(where: { $0.id == id }) {
                connections[index] = stored
            } else {
                connections.append(stored)
            }
            self.handled += handled
            book += messages
        }
    }

    func loadHandled() async throws -> [[UInt8]] {
        try lock.withLock {
            if let left = loadsUntilFailure {
                loadsUntilFailure = left > 0 ? left - 1 : nil
                if left == 0 { throw Broken() }
            }
            return handled
        }
    }
    func forgetConnection(_ id: Text) async throws { lock.withLock { connections.removeAll { $0.id == id } } }
    func retireConnection(_ id: Text) async throws { try await forgetConnection(id) }
    func quarantine(_ message: MailboxMessage, reason: Text) async throws {}

    private var end: ReportPoint {
        ReportPoint(ledger: "ledger", position: head.point.count, hash: head.point.hash.bytes)
    }

    func takeOver(by connection: Text) async throws -> OutboxState? {
        lock.withLock {
            func number(_ id: Text?) -> Int { connections.firstIndex { $0.id == id } ?? -1 }
            guard number(connection) >= number(cursor.connection) else { return nil }
            cursor.takeOver(by: connection)
            return OutboxState(end: end, confirmed: cursor.confirmed)
        }
    }

    func end(after position: Int, over connection: Text) async throws -> (end: ReportPoint, isUrgent: Bool)? {
        try lock.withLock {
            if looksToFail > 0 {
                looksToFail -= 1
                throw Broken()
            }
            return cursor.connection == connection ? (end, false) : nil
        }
    }

    func entries(
        of ledger: Text, after position: Int, limit: Int, bytes: Int, reports: Bool, over connection: Text
    ) async throws -> [ReportEntry]? {
        lock.withLock {
            guard cursor.connection == connection else { return nil }
            return self.ledger.dropFirst(position).prefix(limit).map {
                ReportEntry(
                    position: $0.position, hash: $0.hash.bytes, body: $0.body,
                    report: reports ? Report.json(of: $0, in: "ledger") : nil)
            }
        }
    }

    func hash(of ledger: Text, at position: Int) async throws -> [UInt8]? {
        lock.withLock { self.ledger.first { $0.position == position }?.hash.bytes }
    }

    func hasSigned(_ head: ReportPoint) -> Bool { false }
    func giveUp(_ ledger: Text, over connection: Text) async throws {}

    func confirm(
        _ point: ReportPoint, isReceipt: Bool, passedOver: [Int], over connection: Text, handled: [[UInt8]]
    ) async throws -> [Text] {
        try lock.withLock {
            if isOutboxBroken { throw Broken() }
            self.handled += handled
            guard cursor.connection == connection, cursor.confirm(upTo: point.position, end: head.point) else {
                return []
            }
            let replaced = connections.prefix { $0.id != connection }.map(\.id)
            connections.removeFirst(replaced.count)
            return replaced
        }
    }

    func accepted() async throws -> [Text] { lock.withLock { used } }
    func keep(accepted: [Text]) async throws { lock.withLock { used = accepted } }
}

/// An exchange that never answers and ends only when it is cancelled.
struct HangingExchange: MessageExchange {
    func post(_ body: [UInt8], to url: String) async throws(ExchangeError) -> [UInt8] {
        let (silence, end) = AsyncStream.makeStream(of: Void.self)
        for await _ in silence {}
        end.finish()
        throw .cancelled
    }
}

/// Invitation files on the disk, without symbolic links.
final class InvitationFiles: @unchecked Sendable {
    private let lock = NSLock()
    private var contents: [String: JSON] = [:]
    func write(_ path: String, _ invitation: JSON) throws {
        lock.withLock { contents[path] = invitation }
        // A new file, not a new content: on a quick machine two contents may have the same time of change.
        try Data(invitation.compactBytes).write(to: URL(fileURLWithPath: path), options: .atomic)
    }
    func read(_ path: String) throws(InvitationReader.Failure) -> Invitation {
        guard let json = lock.withLock({ contents[path] }) else { throw .file(path: path) }
        do { return try Invitation(json) } catch { throw .invitation(error) }
    }
}

/// Several agents, each at its own address.
struct Exchanges: MessageExchange {
    private let all: [VirtualAgentExchange]

    init(_ all: [VirtualAgentExchange]) { self.all = all }

    func post(_ body: [UInt8], to url: String) async throws(ExchangeError) -> [UInt8] {
        for exchange in all where await exchange.endpoint == Text(url) {
            return try await exchange.post(body, to: url)
        }
        throw .unreachable
    }
}

extension AgentLink {
    /// Runs the link for a minute. Returns whether its handshake is complete then.
    func connect(by clock: Clock) async throws -> Bool {
        async let _ = run()
        try await clock.sleep(for: .seconds(60))
        return isConnected
    }
}
