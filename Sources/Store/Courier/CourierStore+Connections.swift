package import Encoding
import Foundation
import GRDB
import Ledger

// Connections, the keys of handled messages, and settings.
extension CourierStore {
    /// Stores the state of a connection to a destination, sealed. Only the owner of the connection can interpret the
    /// bytes. `handled`: keys of the inbound messages that led to this state. The keys are stored in the same
    /// transaction, so a message is applied once or not at all. `messages`: the entries for the message book.
    /// `answers`: the results of answers to questions in the book. The state of a deleted connection is not stored: the
    /// owner of the connection may still be running.
    package func saveConnection(
        _ id: Text, _ snapshot: [UInt8], to destination: Text = DeliveryCursor.primary, handled: [[UInt8]] = [],
        messages: [MessageEntry] = [], answers: [AnswerChange] = []
    ) async throws(StoreError) {
        let sealed = try sealing.seal(snapshot, for: .connection(id: id, destination: destination))
        try await writeHandled(handled) { db in
            guard !self.isDeleted(id) else { return }
            try db.execute(
                sql: """
                    INSERT INTO connection (id, snapshot, destination, number, made)
                    VALUES (?, ?, ?, (SELECT ifnull(max(number), 0) + 1 FROM connection),
                        CAST(strftime('%s', 'now') AS INTEGER))
                    ON CONFLICT (id) DO UPDATE SET snapshot = excluded.snapshot, destination = excluded.destination
                    """, arguments: [id.string, Data(sealed), destination.string])
            try Self.add(messages, db)
            try Self.change(answers, of: id, db)
        }
    }

    /// Removes a connection.
    package func forgetConnection(_ id: Text) async throws(StoreError) {
        try await write { db in
            try db.execute(sql: "DELETE FROM connection WHERE id = ?", arguments: [id.string])
            try Self.closeQuestions(of: id, db)
        } committed: {
            self.noteDeletion(of: id)
        }
    }

    /// Removes all connections to `destinations`, also those that only answer requests. Call this function before
    /// ``Store/forgetDestinations(except:)``: the destinations are known there until that call.
    package func forgetConnections(to destinations: [Text]) async throws(StoreError) {
        guard !destinations.isEmpty else { return }
        try await write { db in
            for destination in destinations {
                let place: StatementArguments = [destination.string, Self.requestsName(of: destination).string]
                let gone = try Row.fetchAll(
                    db, sql: "SELECT id FROM connection WHERE destination IN (?, ?)", arguments: place)
                for row in gone { try Self.closeQuestions(of: try row.text("id"), db) }
                try db.execute(sql: "DELETE FROM connection WHERE destination IN (?, ?)", arguments: place)
            }
        }
    }

    /// Returns the stored connections, the oldest of each destination first.
    package func connections() async throws(StoreError) -> [StoredConnection] {
        let sealing = sealing
        return try await read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM connection ORDER BY number, id").map { row in
                let (id, destination) = (try row.text("id"), try row.text("destination"))
                let stored = try row.bytes("snapshot")
                let opened = try? sealing.open(stored, for: .connection(id: id, destination: destination))
                let made = try row.integer("made")
                let deleting = try row.integer("deleting")
                return StoredConnection(
                    id: id, destination: destination, snapshot: opened ?? [],
                    made: made > 0 ? Timestamp(seconds: made) : nil, isDeleting: deleting != 0,
                    tellsPeer: deleting == Self.isTold)
            }
        }
    }

    /// Returns the ids of the connections to `destination` that are newer than `connection` and not marked for
    /// deletion; nil if `connection` itself is no such connection to the destination.
    package func newer(than connection: Text, to destination: Text) async throws(StoreError) -> Set<Text>? {
        try await read { db in
            let live = try Row.fetchAll(
                db, sql: "SELECT id, number FROM connection WHERE destination = ? AND deleting = 0",
                arguments: [destination.string]
            ).map { (id: try $0.text("id"), number: try $0.figure("number")) }
            guard let own = live.first(where: { $0.id == connection }) else { return nil }
            return Set(live.filter { $0.number > own.number }.map(\.id))
        }
    }

    /// Returns the name for connections that only answer the requests of an invitation for `destination`. No report
    /// goes over such a connection, and none replaces another.
    package static func requestsName(of destination: Text) -> Text { Text("\(destination)/requests") }

    // MARK: - Handled messages

    /// Remembers keys of inbound messages. The keys become durable with the next state of a connection, or when
    /// ``StoreOptions/confirmationsTogether`` keys wait. A message whose key is not durable may be applied twice.
    package func noteHandled(_ keys: [[UInt8]]) async throws(StoreError) {
        unwritten = (unwritten + keys.filter { !unwritten.contains($0) }).suffix(options.handledMessages / 10)
        if unwritten.count >= options.confirmationsTogether { try await writeHandled([]) { _ in } }
    }

    /// Runs `work`. The same transaction stores the keys of inbound messages in `keys`, and the keys that still wait.
    func writeHandled(
        _ keys: [[UInt8]], _ work: @escaping @Sendable (Database) throws -> Void
    ) async throws(StoreError) {
        let (ring, earlier) = (options.handledMessages, unwritten)
        try await write { db in
            try work(db)
            try Self.remember(earlier + keys, ring, db)
        }
        unwritten.removeAll { earlier.contains($0) }
    }

    /// Returns the keys of the last applied inbound messages, oldest first, at most `limit`.
    package func handledMessages(last limit: Int) async throws(StoreError) -> [[UInt8]] {
        let kept = try await read { db in
            try Row.fetchAll(
                db, sql: "SELECT key FROM handled_message ORDER BY number DESC LIMIT ?", arguments: [limit]
            ).map { try $0.bytes("key") }
        }
        return (kept.reversed() + unwritten).suffix(limit)
    }

    private static func remember(_ keys: [[UInt8]], _ ring: Int, _ db: Database) throws {
        guard !keys.isEmpty else { return }
        for key in keys {
            try db.execute(sql: "INSERT OR IGNORE INTO handled_message (key) VALUES (?)", arguments: [Data(key)])
        }
        try db.execute(
            sql: "DELETE FROM handled_message WHERE number <= (SELECT max(number) FROM handled_message) - ?",
            arguments: [ring])
    }

    // MARK: - Invitations

    /// The list of the ids of invitations to store.
    package enum InvitationList: Hashable, Sendable {
        /// The invitations that a destination accepted.
        case accepted(by: Text)
        /// The invitations by which no mailbox can be reached.
        case withoutMailbox

        fileprivate var setting: Text {
            switch self {
            case .accepted(let destination): Text("\(AgentTables.accepted)\(destination)")
            case .withoutMailbox: AgentTables.withoutMailbox
            }
        }
    }

    /// Returns a stored list, as the bytes that its owner gave; nil if it was never stored.
    package func invitations(_ list: InvitationList) async throws(StoreError) -> [UInt8]? {
        try await read { db in try Store.setting(list.setting, db) }
    }

    /// Stores a list, as bytes that only its owner interprets.
    package func saveInvitations(_ list: InvitationList, _ value: [UInt8]) async throws(StoreError) {
        try await write { db in try Store.save(list.setting, value, db) }
    }
}
