import Encoding

/// The signer that a stored status list states. No signature is checked: the result only shows which issuers have
/// stored lists.
struct StatedListSigner {
    /// The id that the list names. For a list that names no issuer: the id in the key reference, and the ids of the
    /// pinned certificates that may have issued the list's certificate. Empty if the list states no signer.
    let ids: [Text]

    /// Reads a list in any of its forms (`StatusListReader`).
    init(_ list: [UInt8], roots: CertificateRoots) {
        let letters = list.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        switch letters.first {
        case UInt8(ascii: "{"): ids = Self.named(try? JSON.parse(Array(letters), limits: Limits().json))
        case UInt8(ascii: "e"): ids = Self.token(letters, roots)
        default: ids = Self.cwt(list, roots)
        }
    }

    private static func named(_ document: JSON?) -> [Text] {
        [document?["issuer"]?.string ?? document?["issuer"]?["id"]?.string].compactMap(\.self)
    }

    private static func token(_ letters: ArraySlice<UInt8>, _ roots: CertificateRoots) -> [Text] {
        let parts = letters.split(separator: UInt8(ascii: "."), maxSplits: 2).prefix(2).map { part in
            Base64.decodeURL(part).flatMap { try? JSON.parse($0, limits: Limits().json) }
        }
        guard parts.count == 2, let header = parts[0], let claims = parts[1] else { return [] }
        if let issuer = claims["iss"]?.string { return [issuer] }
        let named = named(claims["vc"] ?? claims)
        if !named.isEmpty { return named }
        let chain = (header["x5c"]?.array ?? []).compactMap { $0.string.flatMap { Base64.decodeAny($0.string) } }
        return unnamed(key: header["kid"]?.string, chain, roots)
    }

    private static func cwt(_ list: [UInt8], _ roots: CertificateRoots) -> [Text] {
        var decoder = CBORDecoder(limits: Limits().cbor)
        guard let item = try? decoder.decode(list) else { return [] }
        let message = item.tagged(61) ?? item
        guard let parts = (message.tagged(18) ?? message).array, parts.count == 4, let payload = parts[2].bytes,
            let claims = try? decoder.decode(payload)
        else { return [] }
        if let issuer = claims[1]?.text { return [issuer] }
        let protected = parts[0].bytes.flatMap { try? decoder.decode($0) }
        func member(_ label: Int64) -> CBOR? { protected?[label] ?? parts[1][label] }
        let chain = member(33).map { ($0.array ?? [$0]).compactMap { $0.bytes.map(Array.init) } } ?? []
        return unnamed(key: member(4)?.bytes.flatMap { Text(utf8: $0) }, chain, roots)
    }

    private static func unnamed(key: Text?, _ chain: [[UInt8]], _ roots: CertificateRoots) -> [Text] {
        let certificates = chain.prefix(Limits().certificates).compactMap { X509Certificate($0) }
        let behind = certificates.flatMap { certificate in
            [roots.pinned(certificate)].compactMap(\.self) + roots.named(certificate.issuer)
        }
        return [key.map(KeyResolver.withoutFragment)].compactMap(\.self)
            + behind.map { CertificateRoots.id(ofDigest: $0.digest) }
    }
}
