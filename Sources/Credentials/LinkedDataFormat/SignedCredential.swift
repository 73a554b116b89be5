import Encoding
import LinkedData
import Reasons

/// A linked-data credential as signed by its issuer. The value contains no unsigned data. After the proof stage, the
/// verdict, the identity of the credential and the claims for rules depend only on this value.
struct SignedCredential {
    /// The signed text: its canonical form (RFC 8785), parsed again, under the signed contexts; nil if the issuer
    /// signed statements.
    let text: JSONObject?
    /// The signed statements; nil if the member names of a signed text show all statements.
    let statements: StatementGraph?
    /// The facts on which the acceptance of the credential depends.
    let facts: CredentialFacts
    /// The types, as in ``SignedClaims/types``.
    let types: [Text]
    /// Whether each type name in the text means a type, and each type has one name.
    let areTypesCertain: Bool
    /// The identity of the credential.
    let content: SignedContent
    /// The contexts, as in ``SignedClaims/contexts``.
    let contexts: ListedContexts
    private let graph: DeferredGraph

    /// Creates the credential from a proof over the text.
    ///
    /// - Parameters:
    ///   - signed: The document that the proof covers.
    ///   - shape: The same document, read by its member names.
    ///   - content: The identity of the credential, if a proof over statements determines it.
    ///   - vouches: See ``TrustedIssuer/vouchesForEmbedded``.
    ///   - limits: The limit on the number of status entries.
    init(
        text signed: LinkedDataDocument, shape: CredentialShape, content: SignedContent?, vouches: Bool,
        profile: Profile, limits: Limits
    ) throws(Rejection) {
        let document = signed.unsecured
        var facts = CredentialFacts(text: shape)
        if let plain = signed.plain {
            (statements, types) = (nil, plain.types)
            graph = DeferredGraph(of: document, processor: signed.processor, vouches: vouches)
        } else {
            let type = CredentialVocabulary.verifiableCredentialType
            var certain = signed.graph(type: type)
            if vouches { certain?.subjectsInside = [] }
            guard var written = certain ?? signed.writtenGraph else { throw Rejection(.shapeSpelling) }
            if vouches { written.subjectsInside = [] }
            let stated = try CredentialFacts(written, entries: [], profile: profile, limits: limits)
            try facts.add(stated)
            (statements, types) = (written, stated.types)
            graph = DeferredGraph(certain)
        }
        text = document
        // Without this check, a rule that reads the text could see a name that means no type, or two names of one type.
        areTypesCertain =
            types.isEmpty
            || Set(types).count >= Set(shape.types).count && !signed.unsigned.contains { $0.hasPrefix("/type") }
        self.facts = facts
        self.content = content ?? SignedContent(text: document, processor: signed.processor)
        contexts = ListedContexts(signed.context)
    }

    /// Creates the credential from proofs over statements.
    ///
    /// - Parameters:
    ///   - statements: The statements that the proofs cover.
    ///   - document: The document, for its contexts and the places of its status entries.
    ///   - content: The identity of the credential.
    init(
        _ statements: StatementGraph, document: CredentialShape, content: SignedContent, profile: Profile,
        limits: Limits
    ) throws(Rejection) {
        text = nil
        self.statements = statements
        self.content = content
        facts = try CredentialFacts(
            statements, entries: document.statusEntries.map(\.pointer), profile: profile, limits: limits)
        types = facts.types
        areTypesCertain = true
        contexts = ListedContexts(of: document.document)
        graph = DeferredGraph(statements)
    }

    /// Returns the claims that the gate's rules may read.
    func claims(of issuer: TrustedIssuer) -> SignedClaims {
        var claims = SignedClaims(
            issuer: issuer.id, types: types, text: text.map { SignedText(.object($0)) }, graph: graph,
            contexts: contexts, issuerContexts: issuer.contexts, validFrom: facts.validFrom,
            validUntil: facts.validUntil, signed: content, id: facts.id, subjects: facts.subjects)
        if let statements, statements.isRootInside { claims.typesInDoubt = statements.types(of: statements.root) }
        return claims
    }
}
