package import Encoding

/// A part of the ledger as JSON lines, which can be verified without the ledger. The first line contains the starting
/// point, then each entry has a line. The last line contains the end point, the newest statement of the witness, and a
/// signature over starting point, end point and statement. The points commit to the entries by their hashes.
package enum LedgerExport {
    static let firstType: Text = "gatehouse/export/1"
    static let lastType: Text = "gatehouse/export-end/1"

    /// Returns the first line of an export that begins after the point `start`.
    package static func first(ledger: Text, start: ChainPoint) -> JSON {
        ["type": .string(firstType), "ledger": .string(ledger), "start": start.json]
    }

    /// Returns the line of one entry, with its position, its hash and its unchanged record.
    package static func line(_ entry: LedgerEntry) -> JSON {
        [
            "position": .int(entry.position), "hash": .text(entry.hash.hex),
            "record": (try? JSON.parse(entry.body)) ?? .null,
        ]
    }

    /// Returns the last line of an export. `key`: the key that signs it; without a key the export proves only that it
    /// is complete. `head`: the newest statement of the witness; nil if there is none.
    package static func last(
        ledger: Text, start: ChainPoint, end: ChainPoint, head: SignedHead?, key: WitnessKey?
    ) -> JSON {
        var object = statement(ledger, start, end, head?.json)
        let signature = key.flatMap { $0.sign(JSON.object(object).compactBytes) }
        object["key"] = signature == nil ? .null : key.map { .text(Hex.encode($0.publicKey)) } ?? .null
        object["signature"] = signature.map { .text(Hex.encode($0)) } ?? .null
        return .object(object)
    }

    static func statement(_ ledger: Text, _ start: ChainPoint, _ end: ChainPoint, _ head: JSON?) -> JSONObject {
        [
            "type": .string(lastType), "ledger": .string(ledger), "start": start.json, "end": end.json,
            "head": head ?? .null,
        ]
    }
}

/// Verifies an export, line by line, without database or network.
package struct ExportVerifier: Sendable {
    /// The result of verifying an export.
    package struct Result: Sendable {
        /// The result of verifying the chain of entries.
        package var report: ChainReport
        /// The Ed25519 key that signed the export; nil for an unsigned export.
        package var signer: [UInt8]?
        /// The witness's statement in the export, whose signature was verified; nil if the export contains none.
        package var head: SignedHead?
    }

    private var ledger: Text = ""
    private var start: ChainPoint?
    private var verifier: ChainVerifier?
    private var last: JSON?

    /// Creates a verifier for one export.
    package init() {}

    /// Reads the next line, without its line end. Throws if the line is not valid at this place of the export.
    package mutating func add(line: [UInt8]) throws(RecordError) {
        guard let json = try? JSON.parse(line), last == nil else { throw RecordError(member: "") }
        guard verifier != nil else {
            let fields = try RecordFields(json)
            guard try fields.text("type") == LedgerExport.firstType, let start = ChainPoint(json: json["start"]) else {
                throw RecordError(member: "type")
            }
            ledger = try fields.text("ledger")
            verifier = ChainVerifier(ledger: ledger, start: start)
            self.start = start
            return
        }
        if json["type"]?.string == LedgerExport.lastType {
            last = json
            return
        }
        let fields = try RecordFields(json)
        guard let hash = ChainHash(try fields.hex("hash")), let record = json["record"] else {
            throw RecordError(member: "hash")
        }
        verifier?.add(
            LedgerEntry(position: try fields.int("position"), hash: hash, body: record.compactBytes))
    }

    /// Ends the input. Throws if the last line is missing or does not match the first, or if its signature is wrong.
    package consuming func finish() throws(RecordError) -> Result {
        guard let verifier, let start, let last else { throw RecordError(member: "end") }
        let fields = try RecordFields(last)
        guard let end = ChainPoint(json: last["end"]), ChainPoint(json: last["start"]) == start,
            try fields.text("ledger") == ledger
        else { throw RecordError(member: "end") }
        var result = Result(report: verifier.finish(end: end))
        if let head = last["head"], !head.isNull {
            result.head = try SignedHead(bytes: head.compactBytes)
        }
        if try !fields.isNull("signature") {
            let key = try fields.hex("key")
            let statement = JSON.object(LedgerExport.statement(ledger, start, end, last["head"]))
            guard WitnessKey.isSigned(statement.compactBytes, try fields.hex("signature"), by: key) else {
                throw RecordError(member: "signature")
            }
            result.signer = key
        }
        return result
    }
}
