import Encoding
import SwiftASN1

/// The extensions of a certificate (RFC 5280 section 4.2) that affect the validity of a path or name the signer.
struct CertificateExtensions: Sendable {
    /// The keyUsage bits that a path validation needs.
    struct KeyUsage: Sendable {
        let digitalSignature: Bool
        let keyCertSign: Bool
    }

    /// Whether the basicConstraints extension marks the subject as a CA.
    private(set) var isCA = false
    /// The maximum number of CA certificates between this certificate and the leaf in a path; nil for no maximum.
    private(set) var pathLength: Int?
    /// The permitted uses of the key; nil when the certificate has no keyUsage.
    private(set) var keyUsage: KeyUsage?
    /// The purposes listed by extendedKeyUsage; nil if the certificate has no extendedKeyUsage.
    private(set) var purposes: [KeyPurposeID]?
    /// The subject's alternative names.
    private(set) var subjectNames = GeneralNames()
    /// The names that a CA may certify.
    private(set) var nameConstraints: NameConstraints?
    private(set) var subjectKeyID: ArraySlice<UInt8>?
    private(set) var authorityKeyID: ArraySlice<UInt8>?
    /// Whether the certificate has a critical extension that this program does not process. A path with such a
    /// certificate is invalid.
    private(set) var hasUnknownCritical = false

    /// Creates a value without extensions.
    init() {}

    /// Reads `Extensions`. Throws if a processed extension is malformed or any extension occurs twice.
    init(_ node: ASN1Node) throws {
        var seen: Set<ASN1ObjectIdentifier> = []
        let list = try X509Certificate.children(of: node)
        guard !list.isEmpty else { throw X509Certificate.Malformed() }
        for element in list {
            var parts = try X509Certificate.children(of: element)[...]
            guard let type = try parts.popFirst().map({ try ASN1ObjectIdentifier(derEncoded: $0) }),
                seen.insert(type).inserted
            else { throw X509Certificate.Malformed() }
            var isCritical = false
            if parts.count == 2 { isCritical = try Bool(derEncoded: parts.removeFirst()) }
            guard parts.count == 1, let value = parts.first else { throw X509Certificate.Malformed() }
            let content = try ASN1OctetString(derEncoded: value).bytes
            if Self.processed.contains(type) {
                try read(type, DER.parse(content))
            } else if isCritical, !Self.harmless.contains(type) {
                hasUnknownCritical = true
            }
        }
    }

    /// The extensions that this program reads. The content of other extensions is not parsed: RFC 5280 requires DER,
    /// but private extensions do not always contain DER.
    private static let processed: Set<ASN1ObjectIdentifier> = [
        [2, 5, 29, 14], [2, 5, 29, 15], [2, 5, 29, 17], [2, 5, 29, 19], [2, 5, 29, 30], [2, 5, 29, 35], [2, 5, 29, 37],
    ]

    /// Critical extensions that do not affect a path. issuerAltName says nothing about the subject. certificatePolicies
    /// restrict a path only if policyConstraints require a policy (RFC 5280 section 6.1.1). A certificate with
    /// policyConstraints is refused, because policyConstraints are not processed.
    private static let harmless: Set<ASN1ObjectIdentifier> = [[2, 5, 29, 18], [2, 5, 29, 32]]

    private mutating func read(_ type: ASN1ObjectIdentifier, _ content: ASN1Node) throws {
        switch type {
        case [2, 5, 29, 19]: try readBasicConstraints(content)
        case [2, 5, 29, 15]: try readKeyUsage(content)
        case [2, 5, 29, 37]:
            let list = try X509Certificate.children(of: content)
            purposes = try list.map { KeyPurposeID(identifier: try ASN1ObjectIdentifier(derEncoded: $0)) }
        case [2, 5, 29, 17]: subjectNames = try GeneralNames(content)
        case [2, 5, 29, 30]: nameConstraints = try NameConstraints(content)
        case [2, 5, 29, 14]: subjectKeyID = try ASN1OctetString(derEncoded: content).bytes
        case [2, 5, 29, 35]:
            let identifier = try X509Certificate.children(of: content).first { $0.identifier == .context(0) }
            if case .primitive(let bytes)? = identifier?.content { authorityKeyID = bytes }
        default: break
        }
    }

    private mutating func readBasicConstraints(_ content: ASN1Node) throws {
        var parts = try X509Certificate.children(of: content)[...]
        if parts.first?.identifier == .boolean { isCA = try Bool(derEncoded: parts.removeFirst()) }
        if let length = parts.popFirst() {
            let value = try Int(derEncoded: length)
            guard isCA, value >= 0 else { throw X509Certificate.Malformed() }
            pathLength = value
        }
        guard parts.isEmpty else { throw X509Certificate.Malformed() }
    }

    private mutating func readKeyUsage(_ content: ASN1Node) throws {
        let first = try ASN1BitString(derEncoded: content).bytes.first ?? 0
        // The most significant bit of the byte is bit 0 (RFC 5280 section 4.2.1.3).
        keyUsage = KeyUsage(digitalSignature: first & 0x80 != 0, keyCertSign: first & 0x04 != 0)
    }
}
