import Aries
import Encoding
import HTTPTransport
import Ledger
import Mailboxes
import Store
import Synchronization
import Testing

@testable import Courier

/// A run of a process that dies at a write, before or after it: from then on nothing is stored or posted.
final class Life: Sendable {
    private let state: Mutex<(writes: Int, isDead: Bool)>
    private let last: Int
    private let isBehind: Bool

    /// Dies at the `last` write; 0: never.
    init(dyingAt last: Int, behind isBehind: Bool) {
        (self.last, self.isBehind) = (last, isBehind)
        state = Mutex((0, false))
    }

    var isDead: Bool { state.withLock { $0.isDead } }
    var writes: Int { state.withLock { $0.writes } }

    /// Repeats a run that dies at each write in turn, before and after it, until there is no further write.
    /// Returns the number of writes.
    static func eachDeath(
        _ live: (_ last: Int, _ behind: Bool) async throws -> (writes: Int, died: Bool)
    ) async throws -> Int {
        let whole = try await live(0, false)
        #expect(!whole.died)
        var (last, deaths) = (0, 1)
        while deaths > 0 {
            try #require(last < 3 * whole.writes, "a life that never ends")
            (last, deaths) = (last + 1, 0)
            for behind in [false, true] where try await live(last, behind).died { deaths += 1 }
        }
        return last - 1
    }

    func write<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
        let isLast = try state.withLock { state in
            if state.isDead { throw CancellationError() }
            state.writes += 1
            if state.writes == last { state.isDead = true }
            return state.writes == last
        }
        if isLast, !isBehind { throw CancellationError() }
        let result = try await body()
        if isLast { throw CancellationError() }
        return result
    }
}

/// The two databases as a run sees them: they store nothing after the run's death.
struct Mortal: ConnectionStore, Outbox, InvitationMemory {
    let life: Life
    let courier: CourierStore
    private let outbox: StoredOutbox
    private let invitations: StoredInvitations

    /// `invitations`: by default the invitations that the primary destination accepted.
    init(_ life: Life, _ store: Store, _ courier: CourierStore, invitations: StoredInvitations? = nil) {
        (self.life, self.courier) = (life, courier)
        outbox = StoredOutbox(store, courier, DeliveryCursor.primary)
        self.invitations = invitations ?? StoredInvitations(courier, DeliveryCursor.primary)
    }

    func loadConnections() async throws -> [StoredConnection] { try await courier.loadConnections() }
    func loadHandled() async throws -> [[UInt8]] { try await courier.loadHandled() }
    func hash(of ledger: Text, at position: Int) async throws -> [UInt8]? {
        try await outbox.hash(of: ledger, at: position)
    }
    func giveUp(_ ledger: Text, over connection: Text) async throws {
        try await life.write { try await outbox.giveUp(ledger, over: connection) }
    }
    func hasSigned(_ head: ReportPoint) -> Bool { outbox.hasSigned(head) }
    func accepted() async throws -> [Text] { try await invitations.accepted() }
    func end(after position: Int, over connection: Text) async throws -> (end: ReportPoint, isUrgent: Bool)? {
        try await outbox.end(after: position, over: connection)
    }
    func entries(
        of ledger: Text, after position: Int, limit: Int, bytes: Int, reports: Bool, over connection: Text
    ) async throws -> [ReportEntry]? {
        try await outbox.entries(
            of: ledger, after: position, limit: limit, bytes: bytes, reports: reports, over: connection)
    }
    func keepConnection(
        _ id: Text, to destination: Text, _ snapshot: [UInt8], handled: [[UInt8]], messages: [MessageEntry],
        answers: [AnswerChange]
    ) async throws {
        try await life.write {
            try await courier.keepConnection(
                id, to: destination, snapshot, handled: handled, messages: messages, answers: answers)
        }
    }
    func forgetConnection(_ id: Text) async throws {
        try await life.write { try await courier.forgetConnection(id) }
    }
    func retireConnection(_ id: Text) async throws {
        try await life.write { try await courier.retireConnection(id) }
    }
    func quarantine(_ message: MailboxMessage, reason: Text) async throws {
        try await life.write { try await courier.quarantine(message, reason: reason) }
    }
    func takeOver(by connection: Text) async throws -> OutboxState? {
        try await life.write { try await outbox.takeOver(by: connection) }
    }
    func confirm(
        _ point: ReportPoint, isReceipt: Bool, passedOver: [Int], over connection: Text, handled: [[UInt8]]
    ) async throws -> [Text] {
        try await life.write {
            try await outbox.confirm(
                point, isReceipt: isReceipt, passedOver: passedOver, over: connection, handled: handled)
        }
    }
    func keep(accepted: [Text]) async throws {
        try await life.write { try await invitations.keep(accepted: accepted) }
    }
}

/// A network that a dead process cannot reach.
struct MortalExchange: MessageExchange {
    let life: Life
    let exchange: any MessageExchange

    func post(_ body: [UInt8], to url: String) async throws(ExchangeError) -> [UInt8] {
        guard !life.isDead else { throw .cancelled }
        let answer = try await exchange.post(body, to: url)
        guard !life.isDead else { throw .cancelled }
        return answer
    }

    func exchange(
        _ body: [UInt8]?, with url: String, as mediaType: String
    ) async throws(ExchangeError) -> MessageAnswer {
        guard !life.isDead else { throw .cancelled }
        let answer = try await exchange.exchange(body, with: url, as: mediaType)
        guard !life.isDead else { throw .cancelled }
        return answer
    }
}
