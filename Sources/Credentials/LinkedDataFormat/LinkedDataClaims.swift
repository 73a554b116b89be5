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
        var candidates: Set<Term> = []
        var objects: Set<Term> = []
        for quad in dataset.quads where quad.graph == nil {
            if quad.predicate == issuer, quad.object == .iri(id) { candidates.insert(quad.subject) }
            if quad.subject != quad.object { objects.insert(quad.object) }
        }
        let typed = dataset.quads.filter { $0.graph == nil && $0.predicate == type }
        let roots = candidates.subtracting(objects).filter { root in
            typed.contains { $0.subject == root && $0.object == credential }
        }
        guard roots.count == 1, let root = roots.first else { return [] }
        return typed.compactMap { quad in
            guard quad.subject == root, case .iri(let type) = quad.object else { return nil }
            return type
        }
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
