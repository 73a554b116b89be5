import Encoding

/// The signer that a certificate names.
struct CertificateSigner: Sendable {
    /// The certified key.
    let key: PublicKey
    /// The id of the pinned certificate at the end of the path (``CertificateRoots/id(ofDigest:)``); nil if no path was
    /// validated.
    let root: Text?
    /// The country in the subject's name; nil if the name has no country or more than one.
    let country: Text?
    /// The start of the certificate's validity. A signature with an earlier date is not valid.
    let notBefore: Timestamp
    /// The end of the certificate's validity.
    let notAfter: Timestamp
    /// The alternative names of the certificate's subject.
    let names: GeneralNames
    /// The certificate path that vouches for the key: the signer's certificate, its issuers, and finally the pinned
    /// certificate. If no path was validated, the array has only the signer's certificate.
    let path: [X509Certificate]

    /// Creates the signer that `certificate` names. `authorities`: the issuers up to the pinned certificate.
    init(_ certificate: X509Certificate, key: PublicKey, root: Text?, authorities: ArraySlice<X509Certificate> = []) {
        self.key = key
        self.root = root
        path = [certificate] + authorities
        country = certificate.subjectName.country
        notBefore = certificate.notBefore
        notAfter = certificate.notAfter
        names = certificate.extensions.subjectNames
    }

    /// Returns whether the certificate was valid at the stated time of signing. A difference of at most `skew` is
    /// tolerated.
    func isValid(at signed: Timestamp, skew: Duration) -> Bool {
        notBefore <= signed.advanced(by: skew) && signed <= notAfter.advanced(by: skew)
    }
}

/// The requirements on a path in addition to RFC 5280. These requirements depend on the signed object and on its
/// issuer.
protocol SignerRules: Sendable {
    /// Throws if the root (``CertificateRoots/id(ofDigest:)``) was not pinned for this use.
    func checkRoot(_ root: Text) throws(Rejection)
    /// Returns how well a root fits the signed object. A higher number is a better fit. The number decides between
    /// several roots that vouch for one certificate.
    func fits(_ root: Text) -> Int
    /// Checks that the signer's certificate allows this use below the root `root`. `isPinned`: the certificate itself
    /// is pinned.
    func checkUse(of leaf: X509Certificate, isPinned: Bool, below root: Text, _ profile: Profile) throws(Rejection)
}
