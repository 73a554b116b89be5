import Encoding

/// The second line of defence beside the reading of statements: a document is spelled as its data model spells it.
extension Surroundings {
    /// Shape stage of linked data: a document whose members cannot be read by their names may be one that hides them.
    func spelled<Shape>(_ document: JSONObject, _ read: () throws(Rejection) -> Shape) throws(Rejection) -> Shape {
        do throws(Rejection) { return try read() } catch { throw respelt(document) ?? error }
    }

    /// What to say of a document that is not as expected where it is not spelled as it should be either; nil where it is. A
    /// context that came with it can hide that from a look at the letters. The document and one of its proofs are expanded for
    /// that, whatever their number: nobody is trusted yet.
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
        // The first that does not say what every proof says.
        let index = proofs.firstIndex { proof in
            ["type", "proofPurpose", "verificationMethod"].contains { proof.object?[$0]?.string == nil }
        }
        guard let index = index ?? proofs.indices.first, let proof = proofs[index].object else { return nil }
        let pointer = document["proof"]?.array == nil ? "/proof" : Pointer.append("/proof", index)
        return respelt(Located(value: proof, pointer: pointer), in: document)
    }

    /// The same of a proof of the document.
    func respelt(_ proof: Located<JSONObject>, in document: JSONObject) -> Rejection? {
        guard checksSpelling else { return nil }
        var options = proof.value
        let contexts = [document["@context"], options["@context"]].compactMap(\.self)
        options["@context"] = .array(contexts.flatMap { $0.array ?? [$0] })
        for name in ProofSuite.signatureMembers { options[name] = nil }
        let place = Spelling.suspicion(in: proof.value) ?? hiddenSpelling(of: options)
        return place.map { Rejection(.shapeSpelling, at: proof.pointer + $0) }
    }

    /// Not asked where nobody's credentials may bring contexts of their own: then such a document is refused in any case, and a
    /// stranger's contexts are not processed just to say why in other words.
    private func hiddenSpelling(of document: JSONObject) -> String? {
        guard profile == .compat || trust.allowsInlineContexts else { return nil }
        let context = document["@context"] ?? .null
        guard (context.array ?? [context]).contains(where: { $0.object != nil }) else { return nil }
        return (try? LinkedDataDocument(document, processor: trust.processor))?.unusualSpelling
    }

    /// The second line of defence beside the reading of statements: one spelling. Asked once the signature is known to be
    /// right, as only then it matters how a document is spelled. `contextsListed`: whether the issuer's entry says which
    /// contexts there may be.
    func checkSpelling(_ content: LinkedDataDocument, contextsListed: Bool = false) throws(Rejection) {
        guard checksSpelling else { return }
        if !contextsListed, let place = ContextRules.nested(in: content.unsecured) {
            throw Rejection(.shapeSpelling, at: place)
        }
        if let place = content.unusualSpelling { throw Rejection(.shapeSpelling, at: place) }
    }
}
