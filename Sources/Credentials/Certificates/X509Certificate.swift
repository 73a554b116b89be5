import Encoding
import Reasons
import SwiftASN1

/// An X.509 certificate (RFC 5280 section 4.1) with the fields that path validation needs. It is read without
/// Foundation, and none of its content is trusted. Names are kept as the bytes that were signed. An unusable
/// part (a weak key, an unknown algorithm) is kept as unusable. So the code that needs that part can report
/// the reason of the refusal.
struct X509Certificate: Sendable {
    /// SHA-256 of the whole certificate (32 bytes); it identifies a root.
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
    /// The signature's algorithm; nil for algorithms that are not accepted (SHA-1, MD5, unknown ones).
    private let scheme: CertificateSignatureScheme?
    private let signature: [UInt8]

    /// Whether issuer and subject have the same name. Such a certificate is a root, or a CA's certificate for
    /// the CA's own new key.
    var isSelfIssued: Bool { issuer == subject }

    /// Reads a certificate in DER; nil unless all of it is well-formed.
    init?(_ der: [UInt8]) {
        do { try self.init(node: DER.parse(der), digest: Digest.sha256(der)) } catch { return nil }
    }

    /// The certificate has a construct that RFC 5280 does not allow.
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
        // The serial number is not used, so its value is not checked (MOSIP issues negative ones).
        guard fields.removeFirst().identifier == .integer else { throw Malformed() }
        // RFC 5280 section 4.1.1.2: both algorithm fields are the same.
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

    /// The fingerprints by which the certificate's key may be withdrawn: of the key as the certificate
    /// encodes it, and of the key in its usual encoding. They are computed at each call.
    var keyFingerprints: Set<KeyFingerprint> {
        var fingerprints: Set = [KeyFingerprint(subjectPublicKeyInfo: Array(subjectPublicKeyInfo))]
        if case .usable(let key) = key, let fingerprint = KeyFingerprint(key) { fingerprints.insert(fingerprint) }
        return fingerprints
    }

    /// SHA-256 of the TBSCertificate (32 bytes). It identifies a certificate, while ``digest`` does not:
    /// anyone can turn an ECDSA signature (r, s) into another valid one, (r, n - s).
    var content: [UInt8] { Digest.sha256(Array(signedBytes)) }

    /// Returns whether `issuer` has signed this certificate; the caller compares the names. Throws when the
    /// algorithm or the key is not acceptable.
    func isSigned(by issuer: X509Certificate) throws(Rejection) -> Bool {
        guard let scheme else { throw Rejection(.chainInvalid, .algorithm) }
        return try scheme.verify(signature, over: Array(signedBytes), by: issuer.key)
    }

    /// Returns the elements of a SEQUENCE.
    static func children(of node: ASN1Node) throws -> [ASN1Node] {
        guard node.identifier == .sequence, case .constructed(let children) = node.content else { throw Malformed() }
        return Array(children)
    }

    /// Reads a Time, a CHOICE of UTCTime and GeneralizedTime, both in UTC with seconds (RFC 5280 section
    /// 4.1.2.5).
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
    /// A context-specific tag.
    static func context(_ number: UInt) -> ASN1Identifier {
        ASN1Identifier(tagWithNumber: number, tagClass: .contextSpecific)
    }
}

extension ArraySlice<ASN1Node> {
    /// Removes the first node if it has the explicit tag `number`, and returns its content; nil otherwise.
    mutating func popFirst(explicit number: UInt) throws -> ASN1Node? {
        guard let node = first, node.identifier == .context(number) else { return nil }
        guard case .constructed(let inner) = node.content else { throw X509Certificate.Malformed() }
        let children = Array(inner)
        guard children.count == 1 else { throw X509Certificate.Malformed() }
        removeFirst()
        return children[0]
    }
}
