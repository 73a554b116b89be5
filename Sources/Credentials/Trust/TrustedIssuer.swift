package import Encoding

/// The operator's decision about one issuer: an entry of `issuers.toml`.
package struct TrustedIssuer: Hashable, Sendable {
    /// The extent to which the issuer's document must list a key.
    package enum KeyPurpose: String, Sendable {
        /// The key must be listed in assertionMethod.
        case strict
        /// It is enough that assertionMethod names the bare DID (many MOSIP documents do no more).
        case didWide = "did-wide"
    }

    /// The id that credentials name: a DID or an https URL. For the issuers below an X.509 root, which mdocs
    /// do not name: `x509:sha256:` and the lower-case hexadecimal SHA-256 of the root certificate (DER).
    package var id: Text
    /// Other ids whose keys may sign for this issuer.
    package var controllers: [Text]
    /// The extent to which the issuer's document must list a key.
    package var keyPurpose: KeyPurpose
    /// Whether its credentials may use inline contexts even under the strict profile.
    package var inlineContexts: Bool
    /// Other ids that may sign the status lists of its credentials.
    package var statusIssuers: [Text]
    /// The groups that it belongs to; a policy names them as `group:NAME`.
    package var groups: [Text] = []
    /// The types that it may issue and that admit; nil: it may issue any type, but none admits without a rule
    /// of the gate (``Admission``). Expanded type IRIs of linked data, the `vct` of an SD-JWT VC, the
    /// `docType` of an mdoc, the type names as written in a JWT credential (``SignedClaims/types``), compared
    /// byte by byte.
    package var types: [Text]?
    /// URLs of the contexts that its credentials may use; nil: every pinned one.
    package var contexts: [Text]?
    /// The only keys that may sign for it, whatever its document lists (``KeyFingerprint``); nil: the keys of
    /// the document.
    package var keys: [KeyFingerprint]?
    /// The ids of the X.509 roots that may vouch for the signers of its tokens. A root in such a list signs
    /// no mdocs unless it also has an entry of its own (``id``). A root in no list vouches only for document
    /// signers of mdocs.
    package var roots: [Text] = []
    /// The purposes of which the extendedKeyUsage of its token signers must list at least one; nil: document
    /// signing (RFC 9336) and, where the certificate names the issuer, the purposes of document signers of
    /// mdocs. A certificate without that extension is valid for tokens.
    package var tokenSignerUsages: [KeyPurposeID]?
    /// For the entry of a root: further purposes that the extendedKeyUsage of document signers of mdocs may
    /// list, in addition to the built-in ones.
    package var documentSignerUsages: [KeyPurposeID] = []
    /// For the entry of a root: whether an mdoc may name another issuing country than its signer's
    /// certificate.
    package var anyIssuingCountry = false
    /// The maximum age of a stored document since its last confirmation; the keys of an older one are refused
    /// (`trust.stale`). Nil: any age.
    package var documentMaxAge: Duration?
    /// Documents that must not change: id → SHA-256 of the bytes (32 bytes). They are not refreshed.
    package var pinnedDocuments: [Text: [UInt8]] = [:]
    /// The URLs of the status lists of its credentials that are kept fresh.
    package var statusLists: [Text] = []
    /// Other ids that such a list may state for itself: URL that credentials name → id in the list.
    package var statusListAliases: [Text: Text] = [:]
    /// Types of status entries that its credentials may have although no list of the gate answers them:
    /// expanded IRIs, or as written where JSON text or a token is signed. Such an entry causes a warning; an
    /// entry of any other unknown type causes `status.unavailable`.
    package var uncheckedStatusTypes: [Text] = []
    /// Whether it vouches for the claims of credentials embedded in its own. Otherwise rules cannot use
    /// claims about a node that an embedded credential is also about, because the signed statements do not
    /// show which issuer made them.
    package var vouchesForEmbedded = false
    /// Whether a credential that the holder shows in part may also hide the start or the end of its validity.
    /// By default it is refused: with a hidden end it would never expire, and with a hidden start it could be
    /// used too early.
    package var mayWithholdExpiry = false
    /// Whether such a credential may hide its status: show none although lists of this issuer are kept, or
    /// one that the holder chose to show although another may be withheld.
    package var mayWithholdStatus = false
    /// Whether the issuer never makes single elements of an array mandatory (ecdsa-sd-2023) without the
    /// others. Only then is a property complete when each shown value is mandatory.
    package var takesArraysWhole = false
    /// Whether its plain SD-JWTs (RFC 9901) are credentials, because nothing signed states that.
    package var plainSDJWT = false
    /// The date before which it is not trusted.
    package var notBefore: Timestamp?
    /// The date from which it is no longer trusted.
    package var notAfter: Timestamp?

    /// Creates an entry. The defaults are the strictest on how it signs and set no limits on what it signs.
    package init(
        id: Text, controllers: [Text] = [], keyPurpose: KeyPurpose = .strict, inlineContexts: Bool = false,
        statusIssuers: [Text] = []
    ) {
        self.id = id
        self.controllers = controllers
        self.keyPurpose = keyPurpose
        self.inlineContexts = inlineContexts
        self.statusIssuers = statusIssuers
    }

    /// Returns the id of the issuers below an X.509 root.
    package static func id(ofRoot der: [UInt8]) -> Text { id(ofRootDigest: Digest.sha256(der)) }

    /// Returns the same id from the hash alone (32 bytes).
    static func id(ofRootDigest digest: [UInt8]) -> Text { CertificateRoots.id(ofDigest: digest) }

    /// Whether this is the entry of an X.509 root.
    package var isRoot: Bool { id.hasPrefix(Self.rootPrefix) }

    /// The prefix of the ids of X.509 roots.
    package static let rootPrefix = CertificateRoots.idPrefix

    /// Returns whether the operator's decision includes that date.
    package func isValid(at date: Timestamp) -> Bool {
        (notBefore.map { $0 <= date } ?? true) && (notAfter.map { date < $0 } ?? true)
    }

    /// Refuses types that this issuer may not issue.
    ///
    /// Every type must be allowed, so that no other type is accepted together with an allowed one. The base
    /// class of all credentials states nothing and need not be listed, except for a credential that has no
    /// other type. Types in doubt are those that another issuer may have stated
    /// (``StatementGraph/isRootInside``).
    func check(types issued: [Text], at pointer: String, areInDoubt: Bool = false) throws(Rejection) {
        guard let types else { return }
        if areInDoubt { throw Rejection(.issuerNotForType, .embedded(issuer: id), at: pointer) }
        let wanted = Self.telling(issued)
        guard !wanted.isEmpty, wanted.allSatisfy(types.contains) else {
            throw Rejection(.issuerNotForType, at: pointer)
        }
    }

    /// Returns the types without the base class, or all of them where there is no other type.
    static func telling(_ issued: [Text]) -> [Text] {
        let special = issued.filter { !baseTypes.contains($0) }
        return special.isEmpty ? issued : special
    }

    private static let baseTypes: [Text] = [
        "https://www.w3.org/2018/credentials#VerifiableCredential", "VerifiableCredential",
    ]
}
