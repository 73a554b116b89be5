package import Encoding

/// A position in a ledger together with the hash of the entry at it, which covers all earlier entries, too. Receipts,
/// heads and the cursors of destinations are such points.
package struct ReportPoint: Hashable, Sendable {
    /// The highest allowed position: 2^53. JSON parsers that use floating-point numbers represent integers exactly up
    /// to this number.
    package static let positionLimit = 1 << 53
    /// The size of a hash (SHA-256), in bytes.
    package static let hashBytes = 32
    /// The size of a signature (Ed25519), in bytes.
    package static let signatureBytes = 64
    /// The largest length of a ledger's id, in bytes. A UUID has 36.
    package static let ledgerBytes = 64

    /// The ledger's id.
    package var ledger: Text
    /// The position of the last entry that the point covers; 0 before the first entry.
    package var position: Int
    /// The hash of the entry at ``position``: ``hashBytes`` bytes.
    package var hash: [UInt8]
    /// The gate's signature over this point as the end of the ledger: ``signatureBytes`` bytes. Nil if the point is not
    /// signed.
    package var signature: [UInt8]?

    /// Creates a point from the values of its properties.
    package init(ledger: Text, position: Int, hash: [UInt8], signature: [UInt8]? = nil) {
        (self.ledger, self.position, self.hash, self.signature) = (ledger, position, hash, signature)
    }

    /// Reads the JSON member `head` of a message: `{position, hash}`, with a `signature` if the gate has signed it.
    init(head json: JSON?, of ledger: Text) throws(ReportError) {
        self.init(
            ledger: ledger, position: try Self.position(json?["position"]), hash: try Self.hash(json?["hash"]),
            signature: try Self.signature(json?["signature"]))
    }

    /// Reads `{ledger, position, hash}` from JSON and ignores further members. Each value is accepted in one spelling
    /// only.
    package init(_ json: JSON?) throws(ReportError) {
        self.init(
            ledger: try Self.ledger(json?["ledger"]), position: try Self.position(json?["position"]),
            hash: try Self.hash(json?["hash"]))
    }

    /// The JSON members of the point, with the ledger.
    var members: [JSONObject.Member] { [.init("ledger", .string(ledger))] + placeMembers }

    /// The JSON members of the point without the ledger, for messages that contain the ledger elsewhere.
    var placeMembers: [JSONObject.Member] {
        [.init("position", .int(position)), .init("hash", .text(Hex.encode(hash)))]
    }

    /// The point as the JSON member `head`, with the signature if there is one.
    var head: JSON {
        let signed: [JSONObject.Member] = signature.map { [.init("signature", .text(Hex.encode($0)))] } ?? []
        return .object(JSONObject(placeMembers + signed))
    }

    static func ledger(_ json: JSON?) throws(ReportError) -> Text {
        guard let ledger = json?.string, (1...ledgerBytes).contains(ledger.utf8.count) else {
            throw .malformed(member: "ledger")
        }
        return ledger
    }

    /// Reads a position from JSON: a whole number without sign, fraction, exponent or leading zeros.
    static func position(_ json: JSON?) throws(ReportError) -> Int {
        guard let number = json?.number else { throw .malformed(member: "position") }
        guard let position = number.int, (0...positionLimit).contains(position) else { throw .position }
        guard String(position).utf8.elementsEqual(number.text.utf8) else { throw .malformed(member: "position") }
        return position
    }

    /// Reads a hash from a JSON string of 64 lower-case hexadecimal digits.
    static func hash(_ json: JSON?) throws(ReportError) -> [UInt8] {
        guard let hash = digits(json, hashBytes) else { throw .malformed(member: "hash") }
        return hash
    }

    /// Reads a signature from a JSON string of 128 lower-case hexadecimal digits; nil if `json` is absent or null.
    private static func signature(_ json: JSON?) throws(ReportError) -> [UInt8]? {
        if json == nil || json == .null { return nil }
        guard let signature = digits(json, signatureBytes) else { throw .malformed(member: "signature") }
        return signature
    }

    private static func digits(_ json: JSON?, _ count: Int) -> [UInt8]? {
        guard let text = json?.string, text.utf8.count == 2 * count, let bytes = Hex.decode(text.string),
            Hex.encode(bytes).utf8.elementsEqual(text.utf8)
        else { return nil }
        return bytes
    }
}
