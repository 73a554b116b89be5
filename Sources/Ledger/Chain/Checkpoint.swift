package import Encoding

/// A statement about the whole ledger up to one entry, small enough to be signed and left with a witness (the cloud
/// agent).
///
/// The chain alone cannot show that its *end* was cut off together with the stored end. Whoever holds a checkpoint can:
/// every later state of the ledger must contain it (``ChainVerifier`` takes a list).
package struct Checkpoint: Hashable, Sendable {
    /// The ledger's id.
    package var ledger: Text
    /// Where it stood.
    package var point: ChainPoint
    /// The date of the statement.
    package var time: WallTime

    /// A checkpoint of these parts.
    package init(ledger: Text, point: ChainPoint, time: WallTime) {
        self.ledger = ledger
        self.point = point
        self.time = time
    }

    /// The bytes to sign: compact JSON, members in fixed order.
    package var bytes: [UInt8] {
        let json: JSON = [
            "type": "gatehouse/checkpoint/1", "ledger": .string(ledger), "count": .int(point.count),
            "hash": .text(point.hash.hex), "nextSeq": .int(point.nextSeq), "time": .text(time.utc.recordText),
            "clock": .text(time.provenance.rawValue),
        ]
        return json.compactBytes
    }

    /// Reads ``bytes`` back; throws when the member it names is missing or of the wrong form.
    package init(bytes: [UInt8]) throws(RecordError) {
        guard let json = try? JSON.parse(bytes) else { throw RecordError(member: "") }
        let fields = try RecordFields(json)
        guard try fields.text("type") == "gatehouse/checkpoint/1" else { throw RecordError(member: "type") }
        guard let hash = ChainHash(Hex.decode(try fields.text("hash").string) ?? []) else {
            throw RecordError(member: "hash")
        }
        guard let provenance = WallTime.Provenance(rawValue: try fields.text("clock").string) else {
            throw RecordError(member: "clock")
        }
        self.init(
            ledger: try fields.text("ledger"),
            point: ChainPoint(count: try fields.int("count"), hash: hash, nextSeq: try fields.int("nextSeq")),
            time: WallTime(utc: try fields.timestamp("time"), provenance: provenance))
    }
}
