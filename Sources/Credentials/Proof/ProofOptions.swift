import Encoding
import LinkedData
import Reasons

/// The options of a linked-data proof as RDF, under one of two contexts: the document's context, to which the proof may
/// add contexts, or the suite's pinned context. A verification tries the contexts in this order.
struct ProofOptions {
    let dataset: Dataset
    /// The members of the proof that its signature does not cover, as pointers relative to the proof.
    let unsigned: [String]
    /// The place of an unusual spelling in the proof, as a JSON pointer relative to the proof; nil if there is none.
    let unusualSpelling: String?

    /// Reads the options; nil if the options are unreadable, or the proof's type has no meaning, under `context`.
    init?(
        _ proof: JSONObject, of suite: ProofSuite, under context: ProofContext, documentContext: JSON, trust: TrustStore
    ) {
        var options = JSONObject()
        switch context {
        case .document:
            let own = proof["@context"].map { $0.array ?? [$0] } ?? []
            options["@context"] = .array((documentContext.array ?? [documentContext]) + own)
        case .suite:
            guard let pinned = suite.context else { return nil }
            options["@context"] = .string(pinned)
        }
        for member in proof.members
        where member.name != "@context" && !ProofSuite.signatureMembers.contains(member.name) {
            options[member.name] = member.value
        }
        let processor = context == .document ? trust.processor : trust.suiteProcessor
        guard let document = try? processor.deserialize(.object(options)),
            document.dataset.quads.contains(where: { $0.predicate == RDF.type })
        else { return nil }
        dataset = document.dataset
        unusualSpelling = document.unusualSpelling
        let strangers = ProofSuite.signatureMembers.filter { $0 != suite.signatureMember && proof[$0] != nil }
        unsigned = document.dropped.filter(\.statesSomething).map(\.pointer) + strangers.map { Pointer.append("", $0) }
    }

    /// Returns whether the signed statements have the meaning of the JSON. An inline context can map the suite's name
    /// or `assertionMethod` to another IRI without invalidating the signature.
    func keepsMeaning(of proof: JSONObject, suite: ProofSuite, purpose: ControllerDocument.Purpose) -> Bool {
        guard let node = node(of: suite),
            let method = proof["verificationMethod"]?.string,
            values(of: "verificationMethod", at: node) == [.iri(method)],
            values(of: "proofPurpose", at: node).count == 1,
            let meant = values(of: "proofPurpose", at: node).first,
            Self.standardIRIs(of: purpose).contains(where: { meant == .iri($0) })
        else { return false }
        if let name = suite.cryptosuite {
            guard values(of: "cryptosuite", at: node).map(\.lexicalForm) == [name] else { return false }
        }
        let chained = values(of: "previousProof", at: node).count
        let named = suite.formsChains ? proof["previousProof"].map { $0.array?.count ?? 1 } ?? 0 : chained
        guard chained == named else { return false }
        return ["created", "expires", "challenge", "domain", "nonce"].allSatisfy { (member: Text) in
            proof[member].map(\.isNull) ?? true || unsigned.contains(Pointer.append("", member))
                || !values(of: member, at: node).isEmpty
        }
    }

    /// Returns the dates, challenges and domains that the signed options state.
    func facts(
        of suite: ProofSuite, isDated: Bool, at pointer: String, profile: Profile
    ) throws(Rejection) -> ProofFacts {
        guard let node = node(of: suite) else { throw Rejection(.contextInvalid, at: pointer) }
        func texts(_ member: Text) -> [Text?] { values(of: member, at: node).map { $0.lexicalForm ?? $0.iri } }
        return try ProofFacts(
            created: texts("created"), expires: texts("expires"), challenges: texts("challenge"),
            domains: texts("domain"), isDated: isDated, at: pointer, profile: profile)
    }

    /// Returns the node of the proof: the only node of the suite's type, without any other type; nil if there is no
    /// such node.
    private func node(of suite: ProofSuite) -> Term? {
        let types = dataset.quads.filter { $0.predicate == RDF.type && $0.object == .iri(suite.iri) }
        guard types.count == 1, let node = types.first?.subject else { return nil }
        return dataset.quads.count { $0.subject == node && $0.predicate == RDF.type } == 1 ? node : nil
    }

    private func values(of member: Text, at node: Term) -> [Term] {
        let iris = Self.standardIRIs(of: member)
        return dataset.quads.filter { $0.subject == node && iris.contains($0.predicate) }.map(\.object)
    }

    /// Returns the IRIs of a proof member. The suite's scoped context in credentials/v1 uses the prefix `sec` without a
    /// definition, so under credentials/v1 the short form is signed.
    private static func standardIRIs(of member: Text) -> [Text] {
        let name: String
        switch member {
        case "created": return ["http://purl.org/dc/terms/created"]
        case "expires": name = "expiration"
        default: name = member.string
        }
        return [Text("https://w3id.org/security#" + name), Text("sec:" + name)]
    }

    private static func standardIRIs(of purpose: ControllerDocument.Purpose) -> [Text] {
        switch purpose {
        case .assertionMethod: ["https://w3id.org/security#assertionMethod"]
        case .authentication:
            ["https://w3id.org/security#authenticationMethod", "https://w3id.org/security#authentication"]
        }
    }
}
