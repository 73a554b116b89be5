import Encoding
import LinkedData

/// One JSON-LD document of the payload that is signed by itself: a credential, a presentation, or the options
/// of a proof under the contexts of its document.
struct SignedPart {
    enum Kind: String { case credential, presentation, proof }

    let kind: Kind
    /// The part's place in the whole document.
    let place: JSONPlace
    /// The object there without the members that its signature does not cover: a document's proof, a proof's
    /// value.
    let node: JSONObject
    /// The members that were removed.
    private let leftOut: JSONObject
    /// The contexts outside a proof's own.
    private let outer: [JSON]

    /// Returns every part of a document: itself, its proofs and, for a presentation, its credentials with
    /// theirs.
    static func all(of document: JSON, at place: JSONPlace = JSONPlace()) -> [SignedPart] {
        guard let object = document.value(at: place)?.object else { return [] }
        let isPresentation = object["verifiableCredential"] != nil
        var left = JSONObject()
        left["proof"] = object["proof"]
        var parts = [
            SignedPart(
                kind: isPresentation ? .presentation : .credential, place: place, node: object.without("proof"),
                leftOut: left, outer: [])
        ]
        for (proofPlace, proof) in list(object["proof"], at: place / "proof") {
            parts.append(
                SignedPart(
                    kind: .proof, place: proofPlace,
                    node: JSONObject(proof.members.filter { !values.contains($0.name) }),
                    leftOut: JSONObject(proof.members.filter { values.contains($0.name) }),
                    outer: object["@context"]?.elements ?? []))
        }
        for (inner, _) in list(object["verifiableCredential"], at: place / "verifiableCredential") {
            parts += all(of: document, at: inner)
        }
        return parts
    }

    private static func list(_ member: JSON?, at place: JSONPlace) -> [(JSONPlace, JSONObject)] {
        if let array = member?.array {
            return array.enumerated().compactMap { index, element in element.object.map { (place / index, $0) } }
        }
        return member?.object.map { [(place, $0)] } ?? []
    }

    private static let values: [Text] = ["jws", "proofValue", "signatureValue"]

    /// Whether two objects in it describe one node.
    var repeatsNode: Bool {
        var seen: Set<Text> = []
        func repeats(_ value: JSON) -> Bool {
            guard let object = value.object else { return value.array?.contains(where: repeats) ?? false }
            if object.count > 1, let id = object["id"]?.string, !seen.insert(id).inserted { return true }
            return object.members.contains { repeats($0.value) }
        }
        return repeats(.object(node))
    }

    /// The contexts that apply to the part.
    var contexts: [JSON] { outer + (node["@context"]?.elements ?? []) }

    /// Returns the JSON-LD document of the part with this object in place of ``node``.
    func document(_ node: JSONObject) -> JSON {
        .object(outer.isEmpty ? node : node.with("@context", .array(outer + (node["@context"]?.elements ?? []))))
    }

    /// Returns the whole document with this object in place of ``node``.
    func splice(_ node: JSONObject, into whole: JSON) -> JSON {
        var object = node
        for member in leftOut.members { object[member.name] = member.value }
        return whole.replacing(place, by: .object(object))
    }

    /// Returns the canonical N-Quads of the part with this object in it, which its signature covers.
    func canonical(_ node: JSONObject, _ processor: JSONLDProcessor) -> [UInt8]? {
        guard let dataset = try? processor.deserialize(document(node)).dataset else { return nil }
        return try? RDFC10.canonicalize(dataset).nQuads
    }
}
