import Encoding
import LinkedData

/// The proof options of a linked-data proof as RDF, under one of the two contexts that are tried
/// (spec/vc-verification section 2.1): the document's own (to which the proof may add), then the suite's pinned one.
struct ProofOptions {
    let context: ProofContext
    let dataset: Dataset
    /// Members of the proof that its own signature does not cover, as pointers inside the proof.
    let unsigned: [String]

    /// Nil when the options cannot be read under that context or the proof's type means nothing there.
    init?(
        _ proof: JSONObject, of suite: ProofSuite, under context: ProofContext, documentContext: JSON, trust: TrustStore
    ) {
        self.context = context
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
        guard let (dataset, dropped) = try? processor.dataset(.object(options)),
            dataset.quads.contains(where: { $0.predicate == RDF.type })
        else { return nil }
        self.dataset = dataset
        let strangers = ProofSuite.signatureMembers.filter { $0 != suite.signatureMember && proof[$0] != nil }
        unsigned = dropped.filter(\.statesSomething).map(\.pointer) + strangers.map { Pointer.append("", $0) }
    }

    /// Whether what is signed still means what the JSON says: an inline context can map the suite's name or
    /// `assertionMethod` elsewhere while the signature stays right.
    func keepsMeaning(of proof: JSONObject, suite: ProofSuite, purpose: ControllerDocument.Purpose) -> Bool {
        let types = dataset.quads.filter { $0.predicate == RDF.type && $0.object == .iri(suite.iri) }
        guard types.count == 1, let subject = types.first?.subject else { return false }
        let own = dataset.quads.filter { $0.subject == subject }
        guard own.count(where: { $0.predicate == RDF.type }) == 1 else { return false }
        func values(of member: Text) -> [Term] {
            own.filter { Self.standardIRIs(of: member).contains($0.predicate) }.map(\.object)
        }
        guard let method = proof["verificationMethod"]?.string, values(of: "verificationMethod") == [.iri(method)],
            let meant = values(of: "proofPurpose").first, values(of: "proofPurpose").count == 1,
            Self.standardIRIs(of: purpose).contains(where: { meant == .iri($0) })
        else { return false }
        if let name = suite.cryptosuite {
            guard values(of: "cryptosuite").map(\.literalValue) == [name] else { return false }
        }
        return ["created", "expires", "challenge", "domain", "nonce"].allSatisfy { (member: Text) in
            proof[member] == nil || unsigned.contains(Pointer.append("", member)) || !values(of: member).isEmpty
        }
    }

    /// The IRI of a proof member. credentials/v1 uses the prefix `sec` inside the suite's scoped context without defining
    /// it, so under it the short form is what is signed.
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

extension Term {
    /// The lexical form of a literal.
    fileprivate var literalValue: Text? { if case .literal(let literal) = self { literal.value } else { nil } }
}
