package import Encoding

/// What the operator decided about one issuer: an entry of `issuers.toml`.
package struct TrustedIssuer: Hashable, Sendable {
    /// How far the issuer's document must go in allowing a key.
    package enum KeyPurpose: String, Sendable {
        /// The key must be listed in assertionMethod.
        case strict
        /// It is enough that assertionMethod names the bare DID (many MOSIP documents do no more).
        case didWide = "did-wide"
    }

    /// The id that credentials name: a DID or an https URL. For the issuers below an X.509 root, which mdocs do not name:
    /// `x509:sha256:` and the lower-case hexadecimal SHA-256 of the root certificate (DER).
    package var id: Text
    /// Other ids whose keys may sign for this issuer.
    package var controllers: [Text]
    /// How far the issuer's document must go in allowing a key.
    package var keyPurpose: KeyPurpose
    /// Whether its credentials may bring contexts of their own even under the strict profile.
    package var inlineContexts: Bool
    /// Other ids that may sign the status lists of its credentials.
    package var statusIssuers: [Text]
    /// The groups that it is a member of; a policy names them as `group:NAME`.
    package var groups: [Text] = []
    /// What it may issue, by which it admits; nil: anything, and by none of it without a rule of the gate (``Admission``).
    /// Expanded type IRIs of linked data, the `vct` of an SD-JWT VC, the `docType` of an mdoc, the type names as written in a JWT
    /// credential (``SignedClaims/types``), compared byte by byte.
    package var types: [Text]?
    /// URLs of the contexts that its credentials may use; nil: every pinned one.
    package var contexts: [Text]?
    /// The only keys that may sign for it, whatever its document says (``KeyFingerprint``); nil: those of the document.
    package var keys: [KeyFingerprint]?
    /// The X.509 roots, by their ids, that may vouch for the signers of its tokens. A root in such a list signs no mdocs, unless it
    /// has an entry of its own (``id``) too; one in no list vouches for document signers of mdocs only.
    package var roots: [Text] = []
    /// What the extendedKeyUsage of its token signers may list, of which one must be there; nil: document signing (RFC 9336)
    /// and, where the certificate names the issuer, what document signers of mdocs have. A certificate without that
    /// extension is good for tokens.
    package var tokenSignerUsages: [KeyPurposeID]?
    /// For the entry of a root: what the extendedKeyUsage of document signers of mdocs may list besides what is built in.
    package var documentSignerUsages: [KeyPurposeID] = []
    /// For the entry of a root: whether an mdoc may name another issuing country than its signer's certificate.
    package var anyIssuingCountry = false
    /// Oldest that a stored document may be, counted from when it was last confirmed, before its keys are no longer
    /// believed (`trust.stale`); nil: any age.
    package var documentMaxAge: Duration?
    /// Documents that must not change: id → SHA-256 of the bytes (32 bytes). The refresher leaves them alone.
    package var pinnedDocuments: [Text: [UInt8]] = [:]
    /// Status lists of its credentials that the refresher keeps, by URL.
    package var statusLists: [Text] = []
    /// Other ids under which such a list may call itself: URL that credentials name → id in the list.
    package var statusListAliases: [Text: Text] = [:]
    /// Types of status entries that its credentials may have although no list of the gate answers them: expanded IRIs, or as
    /// written where JSON text or a token is signed. Such an entry is a warning; others of an unknown type are
    /// `status.unavailable`.
    package var uncheckedStatusTypes: [Text] = []
    /// Whether it vouches for what credentials inside its own say. Otherwise rules cannot tell claims about a node that one
    /// of those is about, too, as the signed statements do not show whose word they are.
    package var vouchesForEmbedded = false
    /// Whether a credential of which the holder shows a part may also leave open from when or until when it is valid: one whose
    /// end the issuer made a matter of the holder's choice would else never end, and one whose start it did never begin.
    package var mayWithholdExpiry = false
    /// Whether such a credential may show less than its status: none although lists of this issuer are kept, or one that the
    /// holder chose to show, who may keep back another.
    package var mayWithholdStatus = false
    /// Whether what must be shown of its credentials (ecdsa-sd-2023) is never an element of an array without the others: only then is
    /// a property whole of which each value that is shown had to be.
    package var takesArraysWhole = false
    /// Whether its plain SD-JWTs (RFC 9901) are credentials: nothing that it signs says so of them.
    package var plainSDJWT = false
    /// Before this date it is not trusted.
    package var notBefore: Timestamp?
    /// From this date on it is no longer trusted.
    package var notAfter: Timestamp?

    /// An entry; without further arguments the strictest on how it signs, without bounds on what.
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

    /// The id of what is issued below an X.509 root.
    package static func id(ofRoot der: [UInt8]) -> Text { id(ofRootDigest: Digest.sha256(der)) }

    /// The same from the hash alone (32 bytes).
    static func id(ofRootDigest digest: [UInt8]) -> Text { CertificateRoots.id(ofDigest: digest) }

    /// Whether this is the entry of an X.509 root.
    package var isRoot: Bool { id.hasPrefix(Self.rootPrefix) }

    /// What the ids of X.509 roots begin with.
    package static let rootPrefix = CertificateRoots.idPrefix

    /// Whether the operator's decision covers that date.
    package func isValid(at date: Timestamp) -> Bool {
        (notBefore.map { $0 <= date } ?? true) && (notAfter.map { date < $0 } ?? true)
    }

    /// Refuses what this issuer may not issue.
    ///
    /// Every type must be allowed, so that nothing rides on an allowed one. The base class of all credentials says nothing
    /// and need not be listed, except for a credential that is nothing more. Types in doubt are those that another issuer may
    /// have stated (``StatementGraph/isRootInside``).
    func check(types issued: [Text], at pointer: String, areInDoubt: Bool = false) throws(Rejection) {
        guard let types else { return }
        if areInDoubt { throw Rejection(.issuerNotForType, .embedded(issuer: id), at: pointer) }
        let wanted = Self.telling(issued)
        guard !wanted.isEmpty, wanted.allSatisfy(types.contains) else {
            throw Rejection(.issuerNotForType, at: pointer)
        }
    }

    /// The types that say something: without the base class, but for a credential that is nothing more.
    static func telling(_ issued: [Text]) -> [Text] {
        let special = issued.filter { !baseTypes.contains($0) }
        return special.isEmpty ? issued : special
    }

    private static let baseTypes: [Text] = [
        "https://www.w3.org/2018/credentials#VerifiableCredential", "VerifiableCredential",
    ]
}
