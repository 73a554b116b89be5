import Encoding
import LinkedData

/// A linked-data credential as its issuer signed it: all that is left of it after the proof stage. What decides, what
/// it is known by and what rules may read are functions of this value; nothing of what was received is in it.
struct SignedCredential {
    /// The text that is signed: its canonical form (RFC 8785), read again, under the contexts that were signed. Nil
    /// where statements are.
    let text: JSONObject?
    /// The signed statements; nil for a text that states no more than its names say.
    let statements: StatementGraph?
    /// What decides about it.
    let facts: CredentialFacts
    /// ``SignedClaims/types``
    let types: [Text]
    /// Whether each type name in the text means a type, and no two of them the same.
    let areTypesCertain: Bool
    /// What it is known by.
    let content: SignedContent
    /// ``SignedClaims/contexts``
    let contexts: ListedContexts
    private let graph: DeferredGraph

    /// Of a proof over the text.
    ///
    /// - Parameters:
    ///   - signed: What the proof covers.
    ///   - shape: The same by its names.
    ///   - content: What it is known by, where a proof over statements says that.
    ///   - vouches: See ``TrustedIssuer/vouchesForEmbedded``.
    ///   - limits: How many status entries there may be.
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
        // Rules that read the text would see a name that means no type, or the same type as another name.
        areTypesCertain =
            types.isEmpty
            || Set(types).count >= Set(shape.types).count && !signed.unsigned.contains { $0.hasPrefix("/type") }
        self.facts = facts
        self.content = content ?? SignedContent(text: document, processor: signed.processor)
        contexts = ListedContexts(signed.context)
    }

    /// Of proofs over statements.
    ///
    /// - Parameters:
    ///   - statements: What they cover.
    ///   - document: Its contexts, and where its status entries are written, for findings.
    ///   - content: What it is known by.
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

    /// What the gate's rules may read.
    func claims(of issuer: TrustedIssuer) -> SignedClaims {
        var claims = SignedClaims(
            issuer: issuer.id, types: types, text: text.map { SignedText(.object($0)) }, graph: graph,
            contexts: contexts, issuerContexts: issuer.contexts, validFrom: facts.validFrom,
            validUntil: facts.validUntil, signed: content, id: facts.id, subjects: facts.subjects)
        if let statements, statements.isRootInside { claims.typesInDoubt = statements.types(of: statements.root) }
        return claims
    }
}
