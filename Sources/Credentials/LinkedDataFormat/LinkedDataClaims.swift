import Encoding
import LinkedData

/// The signed view of a verified linked-data credential.
enum LinkedDataClaims {
    private static let issuer: Text = "https://www.w3.org/2018/credentials#issuer"
    private static let credential: Term = .iri("https://www.w3.org/2018/credentials#VerifiableCredential")
    private static let type: Text = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"

    /// The types of the credential itself as expanded IRIs: of the node that is a credential of this issuer and that no
    /// other node points to, so that a credential inside another's evidence lends it nothing.
    static func types(in dataset: Dataset, issuer id: Text) -> [Text] {
        guard let root = root(of: dataset, issuer: id) else { return [] }
        return dataset.quads.compactMap { quad in
            guard quad.graph == nil, quad.predicate == type, quad.subject == root, case .iri(let type) = quad.object
            else {
                return nil
            }
            return type
        }
    }

    /// The node of the credential itself: the one that is a credential of this issuer and that no other node points to. Nil
    /// where that is not exactly one.
    static func root(of dataset: Dataset, issuer id: Text) -> Term? {
        var candidates: Set<Term> = []
        for quad in dataset.quads where quad.predicate == issuer && quad.graph == nil && quad.object == .iri(id) {
            candidates.insert(quad.subject)
        }
        var typed: Set<Term> = []
        for quad in dataset.quads where quad.graph == nil {
            if case .literal = quad.object { continue }
            if candidates.contains(quad.object), quad.subject != quad.object { candidates.remove(quad.object) }
            if quad.predicate == type, quad.object == credential { typed.insert(quad.subject) }
        }
        let roots = candidates.intersection(typed)
        return roots.count == 1 ? roots.first : nil
    }

    /// The document without its proof and without the members at these pointers (RFC 6901).
    static func document(_ document: JSONObject, without unsigned: [String]) -> JSON {
        var signed = document
        signed["proof"] = nil
        return Pointer.removing(unsigned, from: .object(signed))
    }

    /// The subject's id where there is exactly one subject.
    static func subject(of document: JSON) -> Text? {
        let subject = document["credentialSubject"]
        if let subjects = subject?.array { return subjects.count == 1 ? subjects[0]["id"]?.string : nil }
        return subject?["id"]?.string
    }
}
