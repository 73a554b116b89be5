import Crypto
package import Encoding

/// DIDs that contain their own document (Peer DID Method 1.0). Resolving them needs neither a ledger nor a network.
package enum PeerDID {
    /// Why this program cannot resolve a DID to a document.
    package enum Failure: Error, Hashable, Sendable {
        /// Only a ledger or another service can resolve the DID. `method`: the DID method, such as `sov`.
        case needsResolver(method: Text)
        /// The hash in the did:peer:4 is not the hash of its document.
        case hashMismatch
        /// The text does not have the form that its DID method requires.
        case malformed
    }

    /// The largest number of characters of an encoded document. There is a limit because the time to decode base58
    /// grows with the square of this number.
    static let maxEncodedLength = 8192

    /// Returns the document of a `did:peer:2…` or of a long-form `did:peer:4…`.
    package static func resolve(_ did: Text) throws(Failure) -> DIDDocument {
        if did.hasPrefix("did:peer:4") {
            let (document, short) = try decode4(did)
            return DIDDocument(document, names: [did, short])
        }
        if did.hasPrefix("did:peer:2") { return DIDDocument(try decode2(did), names: [did]) }
        let parts = did.string.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].utf8.elementsEqual("did".utf8) else {
            throw .needsResolver(method: "sov")  // an unqualified DID is a did:sov
        }
        throw .needsResolver(method: Text(String(parts[1])))
    }

    // MARK: did:peer:4

    /// Returns the long and the short form of the did:peer:4 for `document`, which must not have an `id`.
    ///
    /// The encoded document is `z` + base58btc(0x80 0x04, the varint of multicodec json, and the JSON bytes);
    /// the hash is the SHA-256 multihash (0x12 0x20) of that *text*.
    package static func encode4(_ document: JSON) -> (long: Text, short: Text) {
        let encoded = Multibase.encodeBase58([0x80, 0x04] + document.compactBytes)
        let short = "did:peer:4" + hash(encoded)
        return (Text("\(short):\(encoded)"), Text(short))
    }

    /// Returns the document in a long-form did:peer:4, after checking its hash, and the short form of the DID.
    package static func decode4(_ long: Text) throws(Failure) -> (document: JSON, short: Text) {
        let parts = long.string.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[2].utf8.first == UInt8(ascii: "4"), parts[3].utf8.count <= maxEncodedLength
        else { throw .malformed }
        guard hash(String(parts[3])).utf8.elementsEqual(parts[2].utf8.dropFirst()) else { throw .hashMismatch }
        guard parts[3].utf8.first == UInt8(ascii: "z"),
            let bytes = Multibase.decode(parts[3], maxLength: maxEncodedLength), bytes.starts(with: [0x80, 0x04]),
            let document = parseObject(Array(bytes.dropFirst(2)))
        else { throw .malformed }
        return (document, Text("did:peer:\(parts[2])"))
    }

    private static func hash(_ encoded: String) -> String {
        Multibase.encodeBase58([0x12, 0x20] + SHA256.hash(data: Array(encoded.utf8)))
    }

    // MARK: did:peer:2

    /// Returns the document that the elements of a did:peer:2 describe. The keys get the ids `#key-1`, `#key-2`, … in
    /// their order; the abbreviated member names of services are written out.
    static func decode2(_ did: Text) throws(Failure) -> JSON {
        guard did.utf8.count <= maxEncodedLength, let elements = did.behind("did:peer:2") else { throw .malformed }
        var (keys, services): ([JSON], [JSON]) = ([], [])
        for element in elements.split(separator: ".") {
            let value = element.dropFirst()
            switch element.utf8.first {
            case UInt8(ascii: "S"):
                guard let bytes = Base64.decodeAny(value) else { throw .malformed }
                guard let service = try? JSON.parse(bytes) else { throw .malformed }
                services.append(contentsOf: (service.array ?? [service]).map(expand))
            case UInt8(ascii: "V"), UInt8(ascii: "E"), UInt8(ascii: "A"), UInt8(ascii: "D"), UInt8(ascii: "I"):
                keys.append([
                    "id": .text("#key-\(keys.count + 1)"), "type": "Multikey",
                    "publicKeyMultibase": .text(String(value)),
                ])
            default: throw .malformed
            }
        }
        guard !keys.isEmpty, keys.count + services.count <= 64 else { throw .malformed }
        return ["id": .string(did), "verificationMethod": .array(keys), "service": .array(services)]
    }

    private static let abbreviations: [Text: Text] = [
        "t": "type", "s": "serviceEndpoint", "r": "routingKeys", "a": "accept",
    ]

    private static func expand(_ value: JSON) -> JSON {
        guard let object = value.object else { return value }
        var expanded = JSONObject()
        for member in object.members {
            let name = abbreviations[member.name] ?? member.name
            let value = name == "type" && member.value == "dm" ? "DIDCommMessaging" : member.value
            expanded[name] = name == "serviceEndpoint" ? expand(value) : value
        }
        return .object(expanded)
    }

    private static func parseObject(_ bytes: [UInt8]) -> JSON? {
        guard let value = try? JSON.parse(bytes), value.object != nil else { return nil }
        return value
    }
}
