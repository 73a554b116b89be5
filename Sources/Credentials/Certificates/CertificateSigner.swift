import Encoding

/// The signer that a certificate names.
struct CertificateSigner: Sendable {
    /// The certified key.
    let key: PublicKey
    /// The id of the pinned certificate that the path ends at (``CertificateRoots/id(ofDigest:)``); nil where no path was asked for.
    let root: Text?
    /// The country in the subject's name; nil when there is none or more than one.
    let country: Text?
    /// From when on the certificate is valid; nothing signed before counts.
    let notBefore: Timestamp
    /// Until when the certificate is valid.
    let notAfter: Timestamp
    /// The subject's alternative names.
    let names: GeneralNames
    /// All that vouches for the key: the signer's certificate, those that it was issued by, and at the end the pinned one. The
    /// signer's alone where no path was asked for.
    let path: [X509Certificate]

    /// The signer that `certificate` names; `authorities` are those behind it, up to the pinned one.
    init(_ certificate: X509Certificate, key: PublicKey, root: Text?, authorities: ArraySlice<X509Certificate> = []) {
        self.key = key
        self.root = root
        path = [certificate] + authorities
        country = certificate.subjectName.country
        notBefore = certificate.notBefore
        notAfter = certificate.notAfter
        names = certificate.extensions.subjectNames
    }

    /// Whether the certificate was valid, give or take the skew, when something claims to have been signed.
    func isValid(at signed: Timestamp, skew: Duration) -> Bool {
        notBefore <= signed.advanced(by: skew) && signed <= notAfter.advanced(by: skew)
    }
}

/// What a path must hold besides RFC 5280, by what was signed and in whose name.
protocol SignerRules: Sendable {
    /// Refuses a root (``CertificateRoots/id(ofDigest:)``) that was not pinned for this.
    func checkRoot(_ root: Text) throws(Rejection)
    /// How well a root fits what was signed, where several vouch for it: the more, the better.
    func fits(_ root: Text) -> Int
    /// Whether the signer's certificate allows this below that root. `isPinned`: whether it is pinned itself.
    func checkUse(of leaf: X509Certificate, isPinned: Bool, below root: Text, _ profile: Profile) throws(Rejection)
}
