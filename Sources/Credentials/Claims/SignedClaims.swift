package import Encoding
import LinkedData

/// The content that the issuer signed, and nothing else. Policy rules read a credential only through this type.
package struct SignedClaims: Sendable {
    /// The format of the credential that contains the claims.
    package let format: CredentialFormat
    /// The id of the trusted issuer. For an mdoc the id is `x509:sha256:` and the hexadecimal SHA-256 of the root
    /// certificate (DER).
    package let issuer: Text
    /// The types of the credential: expanded type IRIs of linked data, the `vct` of an SD-JWT VC, the
    /// `docType` of an mdoc, the type names as written in a JWT credential.
    package let types: [Text]
    /// Types that another issuer may have stated (``StatementGraph/isRootInside``). Such types can cause the refusal of
    /// the credential, but not its acceptance.
    var typesInDoubt: [Text] = []
    /// All types, including ``typesInDoubt``.
    var allTypes: [Text] { types + typesInDoubt }
    /// The signed text, in which rules look up JSON pointers. For a JWT and for linked data: the credential without its
    /// proof. For an SD-JWT: the payload with the disclosed claims. For an mdoc: `{"docType": …, "nameSpaces":
    /// {NAMESPACE: {ELEMENT: value}}}`. Nil if the issuer signed statements; rules then resolve the pointers to
    /// properties.
    let text: SignedText?
    /// The contexts of linked data; empty for other formats.
    let contexts: ListedContexts
    /// The contexts that the issuer's entry in the trust data allows; nil if the entry lists none.
    let issuerContexts: [Text]?
    /// The start of the credential's validity; nil if the issuer signed none.
    package let validFrom: Timestamp?
    /// The end of the credential's validity; nil if the issuer signed none.
    package let validUntil: Timestamp?
    /// The identity of the signed content.
    package let signed: SignedContent
    /// The id that the issuer gave a linked-data credential; nil if the credential has none.
    let id: Text?
    /// The subjects of the credential.
    package let subjects: CredentialSubjects
    /// Computes the graph of the signed statements of linked data, in which rules look up property IRIs; nil for other
    /// formats. Rules read the graph through ``RuleWork``, which caches it.
    let deferred: DeferredGraph?

    /// Creates claims from their parts. Text and graph must contain signed content only.
    init(
        format: CredentialFormat, issuer: Text, types: [Text], text: SignedText?, graph: StatementGraph? = nil,
        contexts: ListedContexts = .init(.null), validFrom: Timestamp?, validUntil: Timestamp?,
        signed: SignedContent, subjects: CredentialSubjects
    ) {
        self.format = format
        self.issuer = issuer
        self.types = types
        self.text = text
        deferred = graph.map { DeferredGraph($0) }
        self.contexts = contexts
        issuerContexts = nil
        self.validFrom = validFrom
        self.validUntil = validUntil
        self.signed = signed
        id = nil
        self.subjects = subjects
    }

    /// Creates the claims of a linked-data credential. The graph is computed only when a rule reads it.
    init(
        issuer: Text, types: [Text], text: SignedText?, graph: DeferredGraph, contexts: ListedContexts,
        issuerContexts: [Text]?, validFrom: Timestamp?, validUntil: Timestamp?, signed: SignedContent, id: Text?,
        subjects: CredentialSubjects
    ) {
        format = .ldpVC
        self.issuer = issuer
        self.types = types
        self.text = text
        deferred = graph
        self.contexts = contexts
        self.issuerContexts = issuerContexts
        self.validFrom = validFrom
        self.validUntil = validUntil
        self.signed = signed
        self.id = id
        self.subjects = subjects
    }
}

/// A signed JSON text, with the places of withheld content.
struct SignedText: Sendable {
    /// The JSON document. `null` replaces a withheld element of an array, so that the other elements keep their
    /// positions.
    let document: JSON
    /// The places of withheld array elements, as JSON pointers.
    var withheld: Set<Text> = []
    /// Whether the holder chooses which members to show. If so, a missing member may have been withheld.
    var hidesMembers = false

    init(_ document: JSON, withheld: Set<Text> = [], hidesMembers: Bool = false) {
        self.document = document
        self.withheld = withheld
        self.hidesMembers = hidesMembers
    }
}
