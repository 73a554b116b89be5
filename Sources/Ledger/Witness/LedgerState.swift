import Crypto
package import Encoding

/// The figures of a ledger that are sealed with every commit and witnessed: all that is not an entry of the chain and yet changes
/// what a list, a proof or a report says. The cursors of the destinations stand beside it as a ``RowSum``.
package struct LedgerState: Hashable, Sendable {
    /// The ledger's id.
    package var ledger: Text
    /// Counts the commits that changed any of this; a lower one is an older state.
    package var revision: Int
    /// Where the chain ends.
    package var end: ChainPoint
    /// What is before the oldest entry kept.
    package var start: ChainPoint
    /// Reports lost that no outcome has told of yet.
    package var dropped: Int
    /// The last date heard.
    package var clock: Timestamp?
    /// ``SiteKey/digest(of:)`` of the key under which credentials are named; nil before there is one.
    package var siteKey: [UInt8]?
    /// ``digest(ofOpen:)`` of the intents without an outcome.
    package var open: [UInt8]

    /// A state of these parts.
    package init(
        ledger: Text, revision: Int, end: ChainPoint, start: ChainPoint, dropped: Int, clock: Timestamp?,
        siteKey: [UInt8]?, open: [UInt8]
    ) {
        (self.ledger, self.revision, self.end, self.start) = (ledger, revision, end, start)
        (self.dropped, self.clock, self.siteKey, self.open) = (dropped, clock, siteKey, open)
    }

    /// The SHA-256 hash of a list of open intents in their order, each with what was decided of it.
    package static func digest(ofOpen intents: some Collection<OpenIntent>) -> [UInt8] {
        var hash = SHA256()
        for intent in intents.sorted(by: { $0.position < $1.position }) {
            hash.update(data: figures([intent.position, intent.seq, intent.intent.utf8.count]))
            hash.update(data: Array(intent.intent.utf8))
            guard let decision = intent.decision else { continue }
            // No intent has that position: what follows is a decision, and a list without any has the hash that it
            // always had.
            hash.update(data: figures([.max, decision.slot, decision.bytes.count]) + decision.bytes)
        }
        return Array(hash.finalize())
    }

    private static func figures(_ figures: [Int]) -> [UInt8] {
        figures.reduce(into: []) { $0.appendBE(UInt64(clamping: $1)) }
    }

    /// The members of a statement about it, in their fixed order.
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

    /// The bytes that a seal binds: compact JSON, members in fixed order.
    var bytes: [UInt8] { JSON.object(JSONObject(members)).compactBytes }
}

extension ChainPoint {
    /// `count`, `hash` and `nextSeq` as a JSON object.
    package var json: JSON { ["count": .int(count), "hash": .text(hash.hex), "nextSeq": .int(nextSeq)] }

    init(_ fields: RecordFields) throws(RecordError) {
        guard let hash = ChainHash(try fields.hex("hash")) else { throw RecordError(member: "hash") }
        self.init(count: try fields.figure("count"), hash: hash, nextSeq: try fields.figure("nextSeq"))
    }

    /// Reads ``json`` back; nil when it is not such an object.
    package init?(json: JSON?) {
        guard let fields = try? RecordFields(json), let point = try? ChainPoint(fields) else { return nil }
        self = point
    }
}

extension SiteKey {
    /// By which a replaced key is noticed: the SHA-256 hash of the key and a label. It tells nothing of a random key.
    package static func digest(of key: [UInt8]) -> [UInt8] {
        Array(SHA256.hash(data: Array("gatehouse/site-key/1\u{0}".utf8) + key))
    }
}
