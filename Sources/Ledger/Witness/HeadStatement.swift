package import Encoding

/// The statement of the witness about the whole ledger after one commit. The statement is small enough to be signed,
/// logged and given to other parties, who can compare the gate's ledger with it: every later state of the ledger must
/// contain the described state.
package struct HeadStatement: Hashable, Sendable {
    /// The figures of the ledger.
    package var state: LedgerState
    /// ``WitnessKey/digest(of:_:)`` of the state and the cursors.
    package var digest: [UInt8]
    /// The statement's number. The newer of two statements has the higher number.
    package var number: Int
    /// A fault of the ledger that the running service found, in words; nil if there is none. After a fault, the next
    /// start begins a new ledger.
    package var finding: Text?

    /// Creates a statement from the values of its properties.
    package init(state: LedgerState, digest: [UInt8], number: Int, finding: Text? = nil) {
        (self.state, self.digest, self.number, self.finding) = (state, digest, number, finding)
    }

    /// The checkpoint with which other parties compare a ledger.
    package var checkpoint: Checkpoint {
        Checkpoint(ledger: state.ledger, count: state.end.count, hash: state.end.hash)
    }

    /// The bytes to sign: compact JSON with members in fixed order.
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

/// A statement with its signature. The signed head is stored in the witness file, printed by `gatehouse ledger head
/// --json`, and sent to other parties that act as witnesses.
package struct SignedHead: Hashable, Sendable {
    /// The statement that is signed.
    package let head: HeadStatement
    /// The Ed25519 key of the signature, 32 bytes. A verifier must know the gate's key from another source.
    package let key: [UInt8]
    private let signature: [UInt8]

    /// Signs a statement; nil only if the library cannot.
    package init?(_ head: HeadStatement, by key: WitnessKey) {
        guard let signature = key.sign(head.bytes) else { return nil }
        (self.head, self.key, self.signature) = (head, key.publicKey, signature)
    }

    /// Parses ``bytes``. Throws if a member is missing or malformed, or if the signature does not match the key.
    package init(bytes: [UInt8]) throws(RecordError) {
        guard let json = try? JSON.parse(bytes) else { throw RecordError(member: "") }
        let fields = try RecordFields(json)
        (head, key) = (try HeadStatement(json["head"]), try fields.hex("key"))
        signature = try fields.hex("signature")
        guard WitnessKey.isSigned(head.bytes, signature, by: key) else { throw RecordError(member: "signature") }
    }

    /// The statement, the key and the signature.
    package var json: JSON {
        ["head": head.json, "key": .text(Hex.encode(key)), "signature": .text(Hex.encode(signature))]
    }

    /// ``json`` as compact bytes.
    package var bytes: [UInt8] { json.compactBytes }
}
