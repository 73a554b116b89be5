package import Encoding
import Foundation
import GRDB
import Ledger

// Connections, the keys of handled messages, and the settings about invitations.
extension CourierStore {
    /// Stores the state of a connection to a destination, sealed. `snapshot` is in a format that only the owner of
    /// the connection interprets. `handled`: the keys of the inbound messages that led to this state. They are stored
    /// in the same transaction, so each of these messages is applied once or not at all. `messages`: new entries for
    /// the message book. `answers`: the results of answers to questions in the message book. Stores nothing for a
    /// deleted connection, whose link may still be running.
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

    /// Removes a connection and closes its open questions.
    package func forgetConnection(_ id: Text) async throws(StoreError) {
        try await write { db in
            try db.execute(sql: "DELETE FROM connection WHERE id = ?", arguments: [id.string])
            try Self.closeQuestions(of: id, db)
        } committed: {
            self.noteDeletion(of: id)
        }
    }

    /// Removes all connections to `destinations`, including those that only answer requests. Call this function
    /// before ``Store/forgetDestinations(except:)``: after that call the ledger's database no longer contains the
    /// names of these destinations.
    package func forgetConnections(to destinations: [Text]) async throws(StoreError) {
        guard !destinations.isEmpty else { return }
        _ = try await write { db in
            var gone: [Text] = []
            for destination in destinations {
                let place: StatementArguments = [destination.string, Self.requestsName(of: destination).string]
                gone += try Row.fetchAll(
                    db, sql: "SELECT id FROM connection WHERE destination IN (?, ?)", arguments: place
                ).map { try $0.text("id") }
                try db.execute(sql: "DELETE FROM connection WHERE destination IN (?, ?)", arguments: place)
            }
            for id in gone { try Self.closeQuestions(of: id, db) }
            return gone
        } committed: { gone in
            for id in gone { self.noteDeletion(of: id) }
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
    /// deletion. Returns nil if `connection` does not lead to the destination or is itself marked for deletion.
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

    /// Returns the name under which the connections are stored that only answer the requests of an invitation for
    /// `destination`. Such a connection carries no report and replaces no other connection.
    package static func requestsName(of destination: Text) -> Text { Text("\(destination)/requests") }

    // MARK: - Handled messages

    /// Records keys of handled inbound messages. They become durable with the next stored state of a connection, or
    /// as soon as ``StoreOptions/confirmationsTogether`` keys are recorded. If the program ends before that, such a
    /// message may be applied twice.
    package func noteHandled(_ keys: [[UInt8]]) async throws(StoreError) {
        unwritten = (unwritten + keys.filter { !unwritten.contains($0) }).suffix(options.handledMessages / 10)
        if unwritten.count >= options.confirmationsTogether { try await writeHandled([]) { _ in } }
    }

    /// Runs `work` in a transaction. The same transaction stores `keys`, keys of handled messages, and the keys that
    /// are not written yet.
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

    /// Returns the keys of the last handled inbound messages, oldest first, at most `limit`.
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

    /// The purpose of a stored list of the ids of invitations.
    package enum InvitationList: Hashable, Sendable {
        /// The invitations that a destination accepted.
        case accepted(by: Text)
        /// The invitations through which no mailbox can be reached.
        case withoutMailbox

        fileprivate var setting: Text {
            switch self {
            case .accepted(let destination): Text("\(AgentTables.accepted)\(destination)")
            case .withoutMailbox: AgentTables.withoutMailbox
            }
        }
    }

    /// Returns a stored list in the format of its owner; nil if it was never stored.
    package func invitations(_ list: InvitationList) async throws(StoreError) -> [UInt8]? {
        try await read { db in try Store.setting(list.setting, db) }
    }

    /// Stores a list in the format of its owner, in place of the list for the same purpose.
    package func saveInvitations(_ list: InvitationList, _ value: [UInt8]) async throws(StoreError) {
        try await write { db in try Store.save(list.setting, value, db) }
    }
}
