import Encoding
import Reasons

/// Functions that check whether a document uses the names of its data model. The verdict depends on signed statements,
/// whatever their names are in the document; these checks are a second line of defence.
extension VerificationContext {
    /// Runs the shape stage of linked data. Unusual names can hide members from the shape stage. If the members cannot
    /// be read and the document has an unusual spelling, the spelling is reported.
    func spelled<Shape>(_ document: JSONObject, _ read: () throws(Rejection) -> Shape) throws(Rejection) -> Shape {
        do throws(Rejection) { return try read() } catch { throw respelt(document) ?? error }
    }

    /// Returns a rejection that names the unusual spelling in a document that could not be read or verified; nil if the
    /// spelling is usual. A context inside the document can hide unusual names from a check of the text, so the
    /// document and one of its proofs are expanded. One proof is enough: the document is not trusted yet, and each
    /// expansion costs time.
    func respelt(_ document: JSONObject) -> Rejection? {
        guard checksSpelling else { return nil }
        if let place = Spelling.suspicion(in: document) { return Rejection(.shapeSpelling, at: place) }
        let proofs = document["proof"].map { $0.array ?? [$0] } ?? []
        for (index, proof) in proofs.prefix(limits.proofs).enumerated() {
            guard let place = proof.object.flatMap({ Spelling.suspicion(in: $0) }) else { continue }
            let pointer = document["proof"]?.array == nil ? "/proof" : Pointer.append("/proof", index)
            return Rejection(.shapeSpelling, at: pointer + place)
        }
        if let place = hiddenSpelling(of: document) { return Rejection(.shapeSpelling, at: place) }
        // Expand the first proof that lacks a member that every proof needs. If there is none, expand the first proof.
        let index = proofs.firstIndex { proof in
            ["type", "proofPurpose", "verificationMethod"].contains { proof.object?[$0]?.string == nil }
        }
        guard let index = index ?? proofs.indices.first, let proof = proofs[index].object else { return nil }
        let pointer = document["proof"]?.array == nil ? "/proof" : Pointer.append("/proof", index)
        return respelt(Located(value: proof, pointer: pointer), in: document)
    }

    /// Returns a rejection that names the unusual spelling in a proof of the document; nil if the spelling is usual.
    func respelt(_ proof: Located<JSONObject>, in document: JSONObject) -> Rejection? {
        guard checksSpelling else { return nil }
        var options = proof.value
        let contexts = [document["@context"], options["@context"]].compactMap(\.self)
        options["@context"] = .array(contexts.flatMap { $0.array ?? [$0] })
        for name in ProofSuite.signatureMembers { options[name] = nil }
        let place = Spelling.suspicion(in: proof.value) ?? hiddenSpelling(of: options)
        return place.map { Rejection(.shapeSpelling, at: proof.pointer + $0) }
    }

    /// Returns the place of an unusual spelling that an inline context hides; nil if there is none. In the strict
    /// profile, if no issuer may use inline contexts, the function returns nil without a search: the document is
    /// refused in any case, and a more exact reason does not justify processing the contexts of an untrusted document.
    private func hiddenSpelling(of document: JSONObject) -> String? {
        guard profile == .compat || trust.allowsInlineContexts else { return nil }
        let context = document["@context"] ?? .null
        guard (context.array ?? [context]).contains(where: { $0.object != nil }) else { return nil }
        return (try? LinkedDataDocument(document, processor: trust.processor))?.unusualSpelling
    }

    /// Checks that a document has the spelling of its data model. The check runs after the verification of the
    /// signature, because the spelling matters only for verified documents. `contextsListed`: the issuer's entry lists
    /// the allowed contexts, so contexts inside the document are allowed.
    func checkSpelling(_ content: LinkedDataDocument, contextsListed: Bool = false) throws(Rejection) {
        guard checksSpelling else { return }
        if !contextsListed, let place = ContextRules.nested(in: content.unsecured) {
            throw Rejection(.shapeSpelling, at: place)
        }
        if let place = content.unusualSpelling { throw Rejection(.shapeSpelling, at: place) }
    }
}
