import Encoding
import Reasons

/// Checks the spelling of documents, in addition to the reading of statements: a document must be spelled as
/// its data model spells it. This is a second line of defence.
extension VerificationContext {
    /// Runs the shape stage of linked data. A document may hide its members under other names. So if the
    /// members cannot be read by their usual names, the failure is reported as a spelling fault if the
    /// document has one.
    func spelled<Shape>(_ document: JSONObject, _ read: () throws(Rejection) -> Shape) throws(Rejection) -> Shape {
        do throws(Rejection) { return try read() } catch { throw respelt(document) ?? error }
    }

    /// Returns the spelling fault of an unexpected document; nil if its spelling is usual. A context that
    /// came with the document can hide unusual names from a check of the text, so the document and one of its
    /// proofs are expanded too. Only one proof is expanded, even if the document has many, because the
    /// document is not trusted yet and each expansion costs time.
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
        // The first proof that lacks a member that every proof needs.
        let index = proofs.firstIndex { proof in
            ["type", "proofPurpose", "verificationMethod"].contains { proof.object?[$0]?.string == nil }
        }
        guard let index = index ?? proofs.indices.first, let proof = proofs[index].object else { return nil }
        let pointer = document["proof"]?.array == nil ? "/proof" : Pointer.append("/proof", index)
        return respelt(Located(value: proof, pointer: pointer), in: document)
    }

    /// Returns the spelling fault of a proof of the document; nil where its spelling is usual.
    func respelt(_ proof: Located<JSONObject>, in document: JSONObject) -> Rejection? {
        guard checksSpelling else { return nil }
        var options = proof.value
        let contexts = [document["@context"], options["@context"]].compactMap(\.self)
        options["@context"] = .array(contexts.flatMap { $0.array ?? [$0] })
        for name in ProofSuite.signatureMembers { options[name] = nil }
        let place = Spelling.suspicion(in: proof.value) ?? hiddenSpelling(of: options)
        return place.map { Rejection(.shapeSpelling, at: proof.pointer + $0) }
    }

    /// Returns the place of an unusual spelling that an inline context hides; nil if there is none. In the
    /// strict profile, if no issuer may use inline contexts, returns nil without a search: the document is
    /// refused in any case, and a more exact reason does not justify processing the contexts of an untrusted
    /// document.
    private func hiddenSpelling(of document: JSONObject) -> String? {
        guard profile == .compat || trust.allowsInlineContexts else { return nil }
        let context = document["@context"] ?? .null
        guard (context.array ?? [context]).contains(where: { $0.object != nil }) else { return nil }
        return (try? LinkedDataDocument(document, processor: trust.processor))?.unusualSpelling
    }

    /// Checks that a document has its data model's spelling, the second line of defence in addition to the
    /// reading of statements. The function is called after the signature is verified, because the spelling
    /// matters only for verified documents. `contextsListed`: whether the issuer's entry lists the allowed
    /// contexts.
    func checkSpelling(_ content: LinkedDataDocument, contextsListed: Bool = false) throws(Rejection) {
        guard checksSpelling else { return }
        if !contextsListed, let place = ContextRules.nested(in: content.unsecured) {
            throw Rejection(.shapeSpelling, at: place)
        }
        if let place = content.unusualSpelling { throw Rejection(.shapeSpelling, at: place) }
    }
}
