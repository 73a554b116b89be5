import Crypto
package import Encoding

/// The figures of a ledger that are sealed at every commit and recorded by the witness: the values outside the chain on
/// which a list, a proof or a report depends. The cursors of the destinations are covered separately (``RowSum``).
package struct LedgerState: Hashable, Sendable {
    /// The id of the ledger.
    package var ledger: Text
    /// The number of commits that changed one of these figures. Of two states of a ledger, the one with the lower
    /// number is older.
    package var revision: Int
    /// The point after the last entry.
    package var end: ChainPoint
    /// The point before the oldest entry in the database; entries up to it were evicted.
    package var start: ChainPoint
    /// The number of lost reports that no outcome has stated yet.
    package var dropped: Int
    /// The last date of the clock that was saved; nil if there is none.
    package var clock: Timestamp?
    /// ``SiteKey/digest(of:)`` of the site key; nil if there is no site key yet.
    package var siteKey: [UInt8]?
    /// ``digest(ofOpen:)`` of the intents without an outcome.
    package var open: [UInt8]

    /// Creates a state from the values of its properties.
    package init(
        ledger: Text, revision: Int, end: ChainPoint, start: ChainPoint, dropped: Int, clock: Timestamp?,
        siteKey: [UInt8]?, open: [UInt8]
    ) {
        (self.ledger, self.revision, self.end, self.start) = (ledger, revision, end, start)
        (self.dropped, self.clock, self.siteKey, self.open) = (dropped, clock, siteKey, open)
    }

    /// Returns the SHA-256 hash over a set of open intents, in the order of their positions, each with its decision.
    package static func digest(ofOpen intents: some Collection<OpenIntent>) -> [UInt8] {
        var hash = SHA256()
        for intent in intents.sorted(by: { $0.position < $1.position }) {
            hash.update(data: figures([intent.position, intent.seq, intent.intent.utf8.count]))
            hash.update(data: Array(intent.intent.utf8))
            guard let decision = intent.decision else { continue }
            // The position `.max`, which no intent has, marks a decision. So a list without decisions has the same hash
            // as in earlier versions.
            hash.update(data: figures([.max, decision.slot, decision.bytes.count]) + decision.bytes)
        }
        return Array(hash.finalize())
    }

    private static func figures(_ figures: [Int]) -> [UInt8] {
        figures.reduce(into: []) { $0.appendBE(UInt64(clamping: $1)) }
    }

    /// The JSON members that describe the state in a statement, in a fixed order.
    var members: [JSONObject.Member] {
        [
            .init("ledger", .string(ledger)), .init("count", .int(end.count)), .init("hash", .text(end.hash.hex)),
            .init("nextSeq", .int(end.nextSeq)), .init("revision", .int(revision)), .init("start", start.json),
            .init("dropped", .int(dropped)), .init("clock", clock.map { .text($0.rfc3339) } ?? .null),
            .init("siteKey", siteKey.map { .text(Hex.encode($0)) } ?? .null),
            .init("open", .text(Hex.encode(open))),
        ]
    }

    init(_ fields: RecordFields) throws(RecordError) {
        guard let start = try fields.object("start") else { throw RecordError(member: "start") }
        self.init(
            ledger: try fields.text("ledger"), revision: try fields.figure("revision"), end: try ChainPoint(fields),
            start: try ChainPoint(start), dropped: try fields.figure("dropped"),
            clock: try fields.isNull("clock") ? nil : fields.timestamp("clock"),
            siteKey: try fields.isNull("siteKey") ? nil : fields.hex("siteKey"),
            open: try fields.hex("open"))
    }

    /// The bytes that a seal covers: compact JSON with its members in a fixed order.
    var bytes: [UInt8] { JSON.object(JSONObject(members)).compactBytes }
}

extension ChainPoint {
    /// The point as a JSON object with `count`, `hash` and `nextSeq`.
    package var json: JSON { ["count": .int(count), "hash": .text(hash.hex), "nextSeq": .int(nextSeq)] }

    init(_ fields: RecordFields) throws(RecordError) {
        guard let hash = ChainHash(try fields.hex("hash")) else { throw RecordError(member: "hash") }
        self.init(count: try fields.figure("count"), hash: hash, nextSeq: try fields.figure("nextSeq"))
    }

    /// Reads a point from its JSON form (``json``); nil for any other JSON.
    package init?(json: JSON?) {
        guard let fields = try? RecordFields(json), let point = try? ChainPoint(fields) else { return nil }
        self = point
    }
}

extension SiteKey {
    /// Returns the SHA-256 hash of a label and the bytes of a site key. It shows whether the key was replaced, and
    /// reveals nothing about the key, which is random.
    package static func digest(of key: [UInt8]) -> [UInt8] {
        Array(SHA256.hash(data: Array("gatehouse/site-key/1\u{0}".utf8) + key))
    }
}
