import Crypto
import Encoding
import Reasons

/// The object that the issuer of an mdoc signs (ISO/IEC 18013-5 section 9.1.2.4): digests of the data
/// elements, the document type and the validity.
struct MobileSecurityObject {
    let docType: Text
    /// The date of the signature.
    let signed: Timestamp
    let validFrom: Timestamp
    let validUntil: Timestamp
    /// The claim that names an entry of a status list (draft-ietf-oauth-status-list section 6.3); nil if there is none.
    let status: CBOR?

    /// The hash algorithm of the digests; nil if ISO/IEC 18013-5 table 21 does not list it.
    let digestAlgorithm: DigestAlgorithm?
    /// The digests by namespace, as CBOR maps.
    private let valueDigests: [Text: CBOR]

    /// Reads MobileSecurityObjectBytes, a byte string with tag 24.
    ///
    /// - Throws: `cbor.syntax`; `proof.malformed` if the payload is not such an object; `shape.member` for an unknown
    ///   version, `shape.type` without docType, `shape.dates` for a missing, malformed or contradictory date.
    init(
        _ payload: ArraySlice<UInt8>, profile: Profile, decoder: inout CBORDecoder, at pointer: String
    ) throws(Rejection) {
        let malformed = Rejection(.proofMalformed, at: pointer)
        guard let content = try decoder.read(payload, at: pointer).tagged(24)?.bytes else { throw malformed }
        let object = try decoder.read(content, at: pointer)
        guard object.map != nil, let digests = object["valueDigests"].map(\.map) ?? [] else { throw malformed }
        try MemberTable.securityObject.check(object.map?.compactMap(\.key.text) ?? [], at: pointer)
        guard let version = object["version"]?.text, version.hasPrefix("1.") else {
            throw Rejection(.shapeMember, at: pointer + "/version")
        }
        guard let docType = object["docType"]?.text, !docType.isEmpty else {
            throw Rejection(.shapeType, at: pointer + "/docType")
        }
        self.docType = docType
        digestAlgorithm = object["digestAlgorithm"]?.text.flatMap { DigestAlgorithm(rawValue: $0.string) }
        valueDigests = Dictionary(
            digests.compactMap { pair in pair.key.text.map { ($0, pair.value) } },
            uniquingKeysWith: { first, _ in first })
        status = object["status"].flatMap { $0.isNull ? nil : $0 }
        let place = pointer + "/validityInfo"
        func date(_ name: Text) throws(Rejection) -> Timestamp {
            let text = object["validityInfo"]?[name]?.tagged(0)?.text
            guard let text, let date = Timestamp(rfc3339: text.string, zoneRequired: profile == .strict) else {
                throw Rejection(.shapeDates, at: Pointer.append(place, name))
            }
            return date
        }
        signed = try date("signed")
        validFrom = try date("validFrom")
        validUntil = try date("validUntil")
        guard validFrom <= validUntil else { throw Rejection(.shapeDates, at: place) }
    }

    /// Returns the digests of one namespace; nil if the issuer signed no digests for the namespace or used an unknown
    /// hash algorithm.
    func digests(of nameSpace: Text) -> NameSpaceDigests? {
        guard let algorithm = digestAlgorithm, let pairs = valueDigests[nameSpace]?.map else { return nil }
        return NameSpaceDigests(algorithm: algorithm, pairs)
    }

    /// The hash algorithms that an issuer may choose.
    enum DigestAlgorithm: String {
        case sha256 = "SHA-256"
        case sha384 = "SHA-384"
        case sha512 = "SHA-512"

        /// Returns whether `digest` is the hash of `bytes`.
        func matches(_ digest: ArraySlice<UInt8>, _ bytes: ArraySlice<UInt8>) -> Bool {
            bytes.withUnsafeBytes { bytes in
                switch self {
                case .sha256: SHA256.hash(data: bytes).elementsEqual(digest)
                case .sha384: SHA384.hash(data: bytes).elementsEqual(digest)
                case .sha512: SHA512.hash(data: bytes).elementsEqual(digest)
                }
            }
        }
    }
}

/// The signed digests of one namespace by digestID.
struct NameSpaceDigests {
    private let algorithm: MobileSecurityObject.DigestAlgorithm
    private let digests: [UInt64: ArraySlice<UInt8>]

    fileprivate init(algorithm: MobileSecurityObject.DigestAlgorithm, _ pairs: [CBOR.Pair]) {
        self.algorithm = algorithm
        var digests: [UInt64: ArraySlice<UInt8>] = [:]
        for pair in pairs {
            guard let id = pair.key.unsigned, let digest = pair.value.bytes else { continue }
            digests[id] = digest
        }
        self.digests = digests
    }

    /// Returns whether the digest of the item is the digest that the issuer signed for it.
    func cover(_ item: IssuerSignedItem) -> Bool {
        digests[item.digestID].map { algorithm.matches($0, item.taggedBytes) } ?? false
    }
}
