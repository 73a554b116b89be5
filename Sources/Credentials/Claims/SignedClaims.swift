package import Encoding
package import LinkedData

/// What the issuer signed, and nothing else: the only view of a credential that policy rules may read.
package struct SignedClaims: Sendable {
    /// The format that the claims came in.
    package let format: CredentialFormat
    /// The trusted issuer's id; for an mdoc `x509:sha256:` and the hexadecimal SHA-256 of the root certificate (DER).
    package let issuer: Text
    /// What kind of credential it is: expanded type IRIs of linked data, the `vct` of an SD-JWT VC, the `docType` of an
    /// mdoc, the type names as written in a JWT credential.
    package var types: [Text] { names ?? graph.map { LinkedDataClaims.types(in: $0.dataset, issuer: issuer) } ?? [] }
    /// The claims as JSON, read by pointers. Linked data and JWT: the credential without its proof and without members that
    /// the signature does not cover. SD-JWT: the processed payload (RFC 9901 section 7.3). Mdoc:
    /// `{"docType": …, "nameSpaces": {NAMESPACE: {ELEMENT: value}}}`.
    package let document: JSON
    /// The signed graph of linked data, read by property IRIs; nil for other formats.
    package var dataset: Dataset? { graph?.dataset }
    /// Start of validity.
    package let validFrom: Timestamp?
    /// End of validity.
    package let validUntil: Timestamp?
    /// SHA-256 of the signed content (32 bytes): ``CredentialSummary/signedDigest``.
    package let signedDigest: [UInt8]
    /// The subject's id, where the credential names exactly one.
    package let subject: Text?
    /// The types where they need not be looked for in the graph.
    private let names: [Text]?
    private let graph: DeferredDataset?

    /// Claims of these parts; `document` and `dataset` must hold signed statements only.
    package init(
        format: CredentialFormat, issuer: Text, types: [Text], document: JSON, dataset: Dataset? = nil,
        validFrom: Timestamp?, validUntil: Timestamp?, signedDigest: [UInt8], subject: Text? = nil
    ) {
        self.format = format
        self.issuer = issuer
        names = types
        self.document = document
        graph = dataset.map(DeferredDataset.init)
        self.validFrom = validFrom
        self.validUntil = validUntil
        self.signedDigest = signedDigest
        self.subject = subject
    }

    /// Claims of a linked-data credential, whose graph is made only when a rule reads it.
    init(
        issuer: Text, document: JSON, graph: DeferredDataset, validFrom: Timestamp?, validUntil: Timestamp?,
        signedDigest: [UInt8], subject: Text?
    ) {
        format = .ldpVC
        self.issuer = issuer
        names = nil
        self.document = document
        self.graph = graph
        self.validFrom = validFrom
        self.validUntil = validUntil
        self.signedDigest = signedDigest
        self.subject = subject
    }
}
