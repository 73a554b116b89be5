import Encoding

/// What a certificate's key was used to sign, which decides what the certificate must allow.
enum SignerRole: Sendable {
    /// A JWT or SD-JWT with `x5c` (RFC 7515 section 4.1.6).
    case tokenSigner
    /// The mobile security object of an mdoc (ISO/IEC 18013-5 table B.3, "document signer").
    case documentSigner
}

/// The signer that a certificate names.
struct CertificateSigner: Sendable {
    /// The certified key.
    let key: PublicKey
    /// SHA-256 of the pinned certificate that the path ends at (32 bytes); empty where no path was asked for.
    let rootDigest: [UInt8]
    /// The country in the subject's name; nil when there is none or more than one.
    let country: Text?
    /// From when on the certificate is valid; nothing signed before counts.
    let notBefore: Timestamp
    /// Until when the certificate is valid.
    let notAfter: Timestamp
    /// The URIs among the subject's alternative names.
    let uriNames: [Text]
    /// The DNS names among them.
    let dnsNames: [Text]

    init(_ certificate: X509Certificate, key: PublicKey, rootDigest: [UInt8]) {
        self.key = key
        self.rootDigest = rootDigest
        country = certificate.subjectName.country
        notBefore = certificate.notBefore
        notAfter = certificate.notAfter
        uriNames = certificate.extensions.subjectNames.uris
        dnsNames = certificate.extensions.subjectNames.dnsNames
    }
}
