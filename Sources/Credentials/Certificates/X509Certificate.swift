import Encoding
import Reasons
import SwiftASN1

/// An X.509 certificate (RFC 5280 section 4.1) with the fields that path validation needs. Reading a certificate checks
/// no signature. Names are stored as the signed bytes. A certificate with an unusable part, such as a weak key or an
/// unknown algorithm, can still be read: the code that needs the part reports why it is unusable.
struct X509Certificate: Sendable {
    /// The SHA-256 of the whole certificate (32 bytes). The id of a pinned root contains this hash.
    let digest: [UInt8]
    /// The issuer's name in DER.
    let issuer: ArraySlice<UInt8>
    /// The parts of the issuer's name.
    let issuerName: DistinguishedName
    /// The subject's name in DER.
    let subject: ArraySlice<UInt8>
    /// The parts of the subject's name.
    let subjectName: DistinguishedName
    /// The start of the certificate's validity.
    let notBefore: Timestamp
    /// The end of the certificate's validity.
    let notAfter: Timestamp
    /// The certified key.
    let key: CertifiedKey
    private let subjectPublicKeyInfo: ArraySlice<UInt8>
    /// The extensions; empty in versions 1 and 2.
    let extensions: CertificateExtensions
    /// The signed bytes: the TBSCertificate.
    private let signedBytes: ArraySlice<UInt8>
    /// The algorithm of the signature; nil if it is not accepted (SHA-1, MD5, unknown).
    private let scheme: CertificateSignatureScheme?
    private let signature: [UInt8]

    /// Whether issuer and subject have the same name. A self-issued certificate is a root, or certifies a new key of
    /// the same CA.
    var isSelfIssued: Bool { issuer == subject }

    /// Reads a certificate in DER; nil if any part of it is malformed.
    init?(_ der: [UInt8]) {
        do { try self.init(node: DER.parse(der), digest: Digest.sha256(der)) } catch { return nil }
    }

    /// The certificate has a structure that RFC 5280 does not allow.
    struct Malformed: Error {}

    private init(node: ASN1Node, digest: [UInt8]) throws {
        self.digest = digest
        let parts = try Self.children(of: node)
        guard parts.count == 3 else { throw Malformed() }
        let bits = try ASN1BitString(derEncoded: parts[2])
        guard bits.paddingBits == 0 else { throw Malformed() }
        signature = Array(bits.bytes)
        scheme = CertificateSignatureScheme(parts[1])
        signedBytes = parts[0].encodedBytes

        var fields = try Self.children(of: parts[0])[...]
        let version = try fields.popFirst(explicit: 0).map { try Int(derEncoded: $0) } ?? 0
        guard (0...2).contains(version), fields.count >= 6 else { throw Malformed() }
        // The serial number is not used, so its value is not checked. MOSIP issues negative serial numbers.
        guard fields.removeFirst().identifier == .integer else { throw Malformed() }
        // The two algorithm fields must be equal (RFC 5280 section 4.1.1.2).
        guard fields.removeFirst().encodedBytes == parts[1].encodedBytes else { throw Malformed() }
        let issuerNode = fields.removeFirst()
        let validity = try Self.children(of: fields.removeFirst())
        let subjectNode = fields.removeFirst()
        issuer = issuerNode.encodedBytes
        subject = subjectNode.encodedBytes
        issuerName = try DistinguishedName(issuerNode)
        subjectName = try DistinguishedName(subjectNode)
        guard validity.count == 2 else { throw Malformed() }
        notBefore = try Self.time(validity[0])
        notAfter = try Self.time(validity[1])
        let keyNode = fields.removeFirst()
        key = CertifiedKey(keyNode)
        subjectPublicKeyInfo = keyNode.encodedBytes
        for identifier in [1, 2] as [UInt] where fields.first?.identifier == .context(identifier) {
            fields.removeFirst()  // unique identifiers, which are not used in practice
        }
        let list = try fields.popFirst(explicit: 3)
        guard fields.isEmpty, list == nil || version == 2 else { throw Malformed() }
        extensions = try list.map { try CertificateExtensions($0) } ?? CertificateExtensions()
    }

    /// The fingerprints under which the trust data may list the certificate's key as withdrawn: the fingerprint of the
    /// key as the certificate encodes it, and the fingerprint of the key in its usual encoding. Each call computes the
    /// fingerprints.
    var keyFingerprints: Set<KeyFingerprint> {
        var fingerprints: Set = [KeyFingerprint(subjectPublicKeyInfo: Array(subjectPublicKeyInfo))]
        if case .usable(let key) = key, let fingerprint = KeyFingerprint(key) { fingerprints.insert(fingerprint) }
        return fingerprints
    }

    /// The SHA-256 of the TBSCertificate (32 bytes), by which a certificate is identified. ``digest`` does not identify
    /// a certificate: anyone can turn an ECDSA signature (r, s) into another valid signature (r, n - s).
    var content: [UInt8] { Digest.sha256(Array(signedBytes)) }

    /// Returns whether `issuer` has signed this certificate. The caller compares the names. Throws if the algorithm or
    /// the key is not acceptable.
    func isSigned(by issuer: X509Certificate) throws(Rejection) -> Bool {
        guard let scheme else { throw Rejection(.chainInvalid, .algorithm) }
        return try scheme.verify(signature, over: Array(signedBytes), by: issuer.key)
    }

    /// Returns the elements of a SEQUENCE.
    static func children(of node: ASN1Node) throws -> [ASN1Node] {
        guard node.identifier == .sequence, case .constructed(let children) = node.content else { throw Malformed() }
        return Array(children)
    }

    /// Reads a Time: UTCTime or GeneralizedTime, in UTC with seconds (RFC 5280 section 4.1.2.5).
    private static func time(_ node: ASN1Node) throws -> Timestamp {
        let time: Timestamp?
        if node.identifier == .utcTime {
            let utc = try UTCTime(derEncoded: node)
            time = Timestamp(
                year: utc.year, month: utc.month, day: utc.day, hour: utc.hours, minute: utc.minutes,
                second: utc.seconds)
        } else {
            let general = try GeneralizedTime(derEncoded: node)
            guard general.rawFractionalSeconds.isEmpty else { throw Malformed() }
            time = Timestamp(
                year: general.year, month: general.month, day: general.day, hour: general.hours,
                minute: general.minutes, second: general.seconds)
        }
        guard let time else { throw Malformed() }
        return time
    }
}

extension ASN1Identifier {
    /// Returns the context-specific tag with the given number.
    static func context(_ number: UInt) -> ASN1Identifier {
        ASN1Identifier(tagWithNumber: number, tagClass: .contextSpecific)
    }
}

extension ArraySlice<ASN1Node> {
    /// Removes the first node and returns its content, if the node has the explicit tag `number`; otherwise returns
    /// nil.
    mutating func popFirst(explicit number: UInt) throws -> ASN1Node? {
        guard let node = first, node.identifier == .context(number) else { return nil }
        guard case .constructed(let inner) = node.content else { throw X509Certificate.Malformed() }
        let children = Array(inner)
        guard children.count == 1 else { throw X509Certificate.Malformed() }
        removeFirst()
        return children[0]
    }
}
