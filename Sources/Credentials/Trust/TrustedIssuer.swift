package import Encoding
import Reasons

/// The operator's choices about one issuer: an entry of `issuers.toml`.
package struct TrustedIssuer: Hashable, Sendable {
    /// The way in which the issuer's document must authorise a key.
    package enum KeyPurpose: String, Sendable {
        /// The key must be listed in assertionMethod.
        case strict
        /// A key may sign if assertionMethod names the bare DID (many MOSIP documents name no key).
        case didWide = "did-wide"
    }

    /// The id that credentials name as their issuer: a DID or an https URL. Mdocs name no issuer. For the issuers below
    /// an X.509 root, the id is `x509:sha256:` and the lower-case hexadecimal SHA-256 of the root certificate (DER).
    package var id: Text
    /// Other ids whose keys may sign for this issuer.
    package var controllers: [Text]
    /// The way in which the issuer's document must authorise a key.
    package var keyPurpose: KeyPurpose
    /// Whether the issuer's credentials may use inline contexts even under the strict profile.
    package var inlineContexts: Bool
    /// Other ids that may sign the status lists of the issuer's credentials.
    package var statusIssuers: [Text]
    /// The groups of the issuer. A policy names a group as `group:NAME`.
    package var groups: [Text] = []
    /// The types that the issuer may issue and that the gate admits. If nil, the issuer may issue any type, but the
    /// gate admits a type only by a rule (``Admission``). The types are expanded type IRIs of linked data, the `vct` of
    /// an SD-JWT VC, the `docType` of an mdoc, or the type names in a JWT credential (``SignedClaims/types``). Types
    /// are compared byte by byte.
    package var types: [Text]?
    /// The URLs of the contexts that the issuer's credentials may use; nil for every pinned context.
    package var contexts: [Text]?
    /// The only keys that may sign for the issuer (``KeyFingerprint``); nil for all keys of the document.
    package var keys: [KeyFingerprint]?
    /// The ids of the X.509 roots that may vouch for the signers of the issuer's tokens. A root in such a list signs no
    /// mdocs unless the root has an entry of its own (``id``). A root in no such list vouches only for document signers
    /// of mdocs.
    package var roots: [Text] = []
    /// The purposes of which the extendedKeyUsage of the issuer's token signers must list at least one. If nil, the
    /// purposes are document signing (RFC 9336) and, if the certificate names the issuer, those of document signers of
    /// mdocs. A certificate without extendedKeyUsage is valid for tokens.
    package var tokenSignerUsages: [KeyPurposeID]?
    /// For the entry of a root: further purposes that the extendedKeyUsage of document signers of mdocs may list, in
    /// addition to the built-in purposes.
    package var documentSignerUsages: [KeyPurposeID] = []
    /// For the entry of a root: whether the issuing country of an mdoc may differ from the country of the signer's
    /// certificate.
    package var anyIssuingCountry = false
    /// The maximum age of a stored document since its last confirmation; nil for any age. The keys of an older document
    /// are refused (`trust.stale`).
    package var documentMaxAge: Duration?
    /// Documents that must not change: the SHA-256 (32 bytes) by id. These documents are not refreshed.
    package var pinnedDocuments: [Text: [UInt8]] = [:]
    /// The URLs of the status lists of the issuer's credentials that the refresher keeps fresh.
    package var statusLists: [Text] = []
    /// Other ids that a status list of the issuer may state: the id in the list, by the URL in credentials.
    package var statusListAliases: [Text: Text] = [:]
    /// The types of status entries that credentials of the issuer may have although no list of the gate answers them.
    /// The types are expanded IRIs or, if JSON text or a token is signed, names as written. Such an entry causes a
    /// warning. An entry of any other unknown type causes `status.unavailable`.
    package var uncheckedStatusTypes: [Text] = []
    /// Whether the issuer vouches for the claims of credentials that are embedded in its own. If not, rules cannot use
    /// claims about a node that an embedded credential also describes, because the signed statements do not show which
    /// issuer made them.
    package var vouchesForEmbedded = false
    /// Whether the holder may hide the start or the end of the validity of a partly shown credential. By default such a
    /// credential is refused: with a hidden end it would never expire, and with a hidden start it could be used too
    /// early.
    package var mayWithholdExpiry = false
    /// Whether a credential with selective disclosure may hide its status. A credential hides its status if it shows no
    /// status although the gate has lists of this issuer, or if the holder chose to show one status and may have
    /// withheld another.
    package var mayWithholdStatus = false
    /// Whether the issuer of ecdsa-sd-2023 credentials makes either all or no elements of an array mandatory. Only then
    /// does a property whose shown values are all mandatory certainly have no withheld value.
    package var takesArraysWhole = false
    /// Whether the issuer's plain SD-JWTs (RFC 9901) are credentials. The signed content of a plain SD-JWT does not say
    /// so, so the operator states it here.
    package var plainSDJWT = false
    /// The date before which the issuer is not trusted; nil for no such date.
    package var notBefore: Timestamp?
    /// The date from which the issuer is no longer trusted; nil for no such date.
    package var notAfter: Timestamp?

    /// Creates an entry. The defaults are the strictest rules about how the issuer signs; they do not restrict what the
    /// issuer signs.
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

    /// Returns the id of the entry of an X.509 root from the root certificate (DER).
    package static func id(ofRoot der: [UInt8]) -> Text { id(ofRootDigest: Digest.sha256(der)) }

    /// Returns the id of a root certificate from the certificate's SHA-256 hash (32 bytes).
    static func id(ofRootDigest digest: [UInt8]) -> Text { CertificateRoots.id(ofDigest: digest) }

    /// Whether this is the entry of an X.509 root.
    package var isRoot: Bool { id.hasPrefix(Self.rootPrefix) }

    /// The prefix of the ids of X.509 roots.
    package static let rootPrefix = CertificateRoots.idPrefix

    /// Returns whether the issuer is trusted at the given date.
    package func isValid(at date: Timestamp) -> Bool {
        (notBefore.map { $0 <= date } ?? true) && (notAfter.map { date < $0 } ?? true)
    }

    /// Throws if the issuer may not issue one of the types.
    ///
    /// Every type must be allowed, so that no other type is accepted together with an allowed type. The base class of
    /// all credentials states nothing and need not be listed, except for a credential without other types. Types in
    /// doubt are types that another issuer may have stated (``StatementGraph/isRootInside``).
    func check(types issued: [Text], at pointer: String, areInDoubt: Bool = false) throws(Rejection) {
        guard let types else { return }
        if areInDoubt { throw Rejection(.issuerNotForType, .embedded(issuer: id), at: pointer) }
        let wanted = Self.telling(issued)
        guard !wanted.isEmpty, wanted.allSatisfy(types.contains) else {
            throw Rejection(.issuerNotForType, at: pointer)
        }
    }

    /// Returns the types without the base class, or all types if there are no others.
    static func telling(_ issued: [Text]) -> [Text] {
        let special = issued.filter { !baseTypes.contains($0) }
        return special.isEmpty ? issued : special
    }

    private static let baseTypes: [Text] = [
        "https://www.w3.org/2018/credentials#VerifiableCredential", "VerifiableCredential",
    ]
}
