package import Encoding

/// A point in a ledger, with the hash that binds all entries up to it. A receipt confirms a point, a head
/// states a point, and a destination's cursor is a point.
package struct ReportPoint: Hashable, Sendable {
    /// The highest allowed position: 2^53. Up to this number every JSON parser keeps integers exactly.
    package static let positionLimit = 1 << 53
    /// The size of a hash (SHA-256), in bytes.
    package static let hashBytes = 32
    /// The size of a signature (Ed25519), in bytes.
    package static let signatureBytes = 64
    /// The longest ledger id, in bytes; a UUID has 36.
    package static let ledgerBytes = 64

    /// The ledger's id.
    package var ledger: Text
    /// The position of the last entry up to this point. The position is 0 before the first entry.
    package var position: Int
    /// The hash of the entry at ``position``, ``hashBytes`` bytes.
    package var hash: [UInt8]
    /// The gate's signature of this point as the ledger's end, ``signatureBytes`` bytes; nil: it is not
    /// signed.
    package var signature: [UInt8]?

    /// Creates a point from the values of its properties.
    package init(ledger: Text, position: Int, hash: [UInt8], signature: [UInt8]? = nil) {
        (self.ledger, self.position, self.hash, self.signature) = (ledger, position, hash, signature)
    }

    /// Reads a `head`: `{position, hash}`, and a `signature` if it was signed.
    init(head json: JSON?, of ledger: Text) throws(ReportError) {
        self.init(
            ledger: ledger, position: try Self.position(json?["position"]), hash: try Self.hash(json?["hash"]),
            signature: try Self.signature(json?["signature"]))
    }

    /// Reads `{ledger, position, hash}`. Further members are ignored. The three members have exactly one
    /// spelling.
    package init(_ json: JSON?) throws(ReportError) {
        self.init(
            ledger: try Self.ledger(json?["ledger"]), position: try Self.position(json?["position"]),
            hash: try Self.hash(json?["hash"]))
    }

    /// The members of a message.
    var members: [JSONObject.Member] { [.init("ledger", .string(ledger))] + placeMembers }

    /// The JSON members of the point without the ledger, for messages that state the ledger once.
    var placeMembers: [JSONObject.Member] {
        [.init("position", .int(position)), .init("hash", .text(Hex.encode(hash)))]
    }

    /// The point as a `head`, with the signature.
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

    /// Reads a position from JSON: a whole number without sign, fraction, exponent and leading zeros.
    static func position(_ json: JSON?) throws(ReportError) -> Int {
        guard let number = json?.number else { throw .malformed(member: "position") }
        guard let position = number.int, (0...positionLimit).contains(position) else { throw .position }
        guard String(position).utf8.elementsEqual(number.text.utf8) else { throw .malformed(member: "position") }
        return position
    }

    /// Reads 64 lower-case hexadecimal digits.
    static func hash(_ json: JSON?) throws(ReportError) -> [UInt8] {
        guard let hash = digits(json, hashBytes) else { throw .malformed(member: "hash") }
        return hash
    }

    /// Reads 128 lower-case hexadecimal digits; nil if there is no signature.
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
