import Encoding
import Reasons

/// The use of a certificate's key: the kind of signed object, and the issuer in whose name it was signed. The role
/// determines which pinned certificates may vouch for the certificate, and which uses the certificate must allow.
enum SignerRole: SignerRules {
    /// The key signed a JWT or SD-JWT of the given issuer with `x5c` (RFC 7515 section 4.1.6).
    case token(of: TrustedIssuer)
    /// The key signed a status list token about credentials of the given issuer.
    case statusList(of: TrustedIssuer)
    /// The key signed the mobile security object of an mdoc (ISO/IEC 18013-5 table B.3, "document signer"). The object
    /// names no issuer. Its issuer is the root certificate, for which the trust data may have an entry.
    case document(TrustStore, docType: Text?)

    /// Throws if a root was not pinned for this use. A root may be used for the tokens of an issuer whose entry in the
    /// trust data names the root. A root may be used for mdocs if it has an entry of its own, or if no issuer's entry
    /// names it for tokens. A root may be used for the status lists of these tokens and mdocs.
    func checkRoot(_ root: Text) throws(Rejection) {
        switch self {
        case .document(let trust, _):
            guard trust.issuers[root] == nil, trust.tokenRoots.contains(root) else { return }
            throw Rejection(.chainUntrusted, .rootForTokens(root: root))
        case .statusList(let issuer) where issuer.id == root: return
        case .token(let issuer), .statusList(let issuer):
            guard !issuer.roots.contains(root) else { return }
            throw Rejection(.chainUntrusted, .rootNotNamed(roots: issuer.roots + [root]))
        }
    }

    func fits(_ root: Text) -> Int {
        guard case .document(let trust, let docType) = self, let entry = trust.issuers[root] else { return 0 }
        return docType.map { entry.types?.contains($0) ?? false } ?? false ? 2 : 1
    }

    /// Checks that keyUsage, basicConstraints and extendedKeyUsage of the signer's certificate allow this use below
    /// `root`. The extensions restrict a pinned signer like any other signer. One exception: if the entry of a pinned
    /// signer names docTypes, the certificate need not state that the signer is a document signer.
    func checkUse(of leaf: X509Certificate, isPinned: Bool, below root: Text, _ profile: Profile) throws(Rejection) {
        let extensions = leaf.extensions
        let maySign = extensions.keyUsage?.digitalSignature
        let isAllowed =
            switch self {
            case .token, .statusList: maySign ?? true || profile == .compat
            case .document: (maySign ?? isPinned) && !extensions.isCA
            }
        guard isAllowed else { throw Rejection(.chainInvalid, .keyUsage) }
        // A web server's key never signs credentials, not even if the operator's entry names the key.
        let isForConnections = extensions.purposes.map { $0.allSatisfy(\.isForConnections) } ?? false
        guard !isForConnections, allows(extensions.purposes, extensions.subjectNames, isPinned, below: root) else {
            throw Rejection(.chainInvalid, .extendedKeyUsage)
        }
    }

    private func allows(
        _ purposes: [KeyPurposeID]?, _ names: GeneralNames, _ isPinned: Bool, below root: Text
    ) -> Bool {
        switch self {
        case .document(let trust, _):
            let entry = trust.issuers[root]
            guard let purposes else { return isPinned && entry?.types != nil }
            let allowed = KeyPurposeID.documentSigners + (entry?.documentSignerUsages ?? [])
            return purposes.contains(where: allowed.contains)
        case .token(let issuer), .statusList(let issuer):
            guard let purposes else { return true }
            if let listed = issuer.tokenSignerUsages { return purposes.contains(where: listed.contains) }
            if purposes.contains(.documentSigning) { return true }
            // Many issuers have one certificate for mdocs and for tokens. Therefore a document signer's certificate is
            // also valid for the status lists of its mdocs, and for tokens if the CA wrote the issuer's name into it.
            let documentSigners = KeyPurposeID.documentSigners + issuer.documentSignerUsages
            return purposes.contains(where: documentSigners.contains)
                && (names.bearing(on: issuer.id) == .itself || isOwnList(below: root))
        }
    }

    private func isOwnList(below root: Text) -> Bool {
        if case .statusList(let issuer) = self { issuer.id == root } else { false }
    }
}
