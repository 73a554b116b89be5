package import Encoding

/// The statement of the witness about the whole ledger after one commit. It is small enough to be signed, logged and
/// given to other parties. They can compare the ledger with it: every later state of the ledger must contain the state
/// that it describes.
package struct HeadStatement: Hashable, Sendable {
    /// The figures of the ledger at the time of the statement.
    package var state: LedgerState
    /// The digest of ``state`` and the destinations' cursors (``WitnessKey/digest(of:_:)``).
    package var digest: [UInt8]
    /// The number of the statement. A later statement has a higher number.
    package var number: Int
    /// A fault of the ledger that the running service found, in words; nil if there is none. With a fault, the next
    /// start of the service begins a new ledger.
    package var finding: Text?

    /// Creates a statement from the values of its properties.
    package init(state: LedgerState, digest: [UInt8], number: Int, finding: Text? = nil) {
        (self.state, self.digest, self.number, self.finding) = (state, digest, number, finding)
    }

    /// The checkpoint for comparing a ledger with this statement.
    package var checkpoint: Checkpoint {
        Checkpoint(ledger: state.ledger, count: state.end.count, hash: state.end.hash)
    }

    /// The bytes that are signed: compact JSON with its members in a fixed order.
    package var bytes: [UInt8] { json.compactBytes }

    /// The JSON value of ``bytes``.
    package var json: JSON {
        .object(
            JSONObject(
                [.init("type", .string(Self.type))] + state.members + [
                    .init("state", .text(Hex.encode(digest))), .init("statement", .int(number)),
                    .init("finding", finding.map(JSON.string) ?? .null),
                ]))
    }

    private static let type: Text = "gatehouse/head/1"

    init(_ json: JSON?) throws(RecordError) {
        let fields = try RecordFields(json)
        guard try fields.text("type") == Self.type else { throw RecordError(member: "type") }
        self.init(
            state: try LedgerState(fields), digest: try fields.hex("state"), number: try fields.figure("statement"),
            finding: try fields.isNull("finding") ? nil : fields.text("finding"))
    }
}

/// A statement with its signature. It is stored in the witness file, printed by `gatehouse ledger head --json`, and
/// sent to other parties that act as witnesses.
package struct SignedHead: Hashable, Sendable {
    /// The statement that the signature covers.
    package let head: HeadStatement
    /// The Ed25519 public key of the signature, 32 bytes. A verifier must compare it with the gate's key from another
    /// source.
    package let key: [UInt8]
    private let signature: [UInt8]

    /// Signs a statement; nil only if the cryptographic library fails.
    package init?(_ head: HeadStatement, by key: WitnessKey) {
        guard let signature = key.sign(head.bytes) else { return nil }
        (self.head, self.key, self.signature) = (head, key.publicKey, signature)
    }

    /// Reads a signed statement from its bytes. Throws if a member is missing or malformed, or if the signature is
    /// wrong.
    package init(bytes: [UInt8]) throws(RecordError) {
        guard let json = try? JSON.parse(bytes) else { throw RecordError(member: "") }
        let fields = try RecordFields(json)
        (head, key) = (try HeadStatement(json["head"]), try fields.hex("key"))
        signature = try fields.hex("signature")
        guard WitnessKey.isSigned(head.bytes, signature, by: key) else { throw RecordError(member: "signature") }
    }

    /// The statement, the key and the signature as a JSON object.
    package var json: JSON {
        ["head": head.json, "key": .text(Hex.encode(key)), "signature": .text(Hex.encode(signature))]
    }

    /// ``json`` as compact bytes.
    package var bytes: [UInt8] { json.compactBytes }
}
