import Encoding

/// The proof options of a JCS suite: the proof as written, and the covered contexts of the document (VC Data Integrity
/// EdDSA 1.0 section 3.3.2, ECDSA 1.0 section 3.3.2).
struct JCSProofOptions {
    /// The canonicalised object: every member except the signature itself.
    let options: JSONObject
    /// The `@context` under which the document was signed; nil for the document's contexts, which the proof repeats in
    /// full or omits.
    let context: JSON?
    /// The JSON pointers to the contexts of the document that follow the contexts in the proof. Anyone can append such
    /// contexts, so they are unsigned.
    let unsigned: [String]

    /// Reads the options; nil if the document does not begin with the contexts in the proof.
    init?(_ proof: JSONObject, documentContext: JSON) {
        var options = proof
        options["proofValue"] = nil
        self.options = options
        guard let context = proof["@context"], context != documentContext else {
            context = nil
            unsigned = []
            return
        }
        self.context = context
        let (repeated, all) = (context.array ?? [context], documentContext.array ?? [documentContext])
        guard !repeated.isEmpty, repeated.count <= all.count, zip(repeated, all).allSatisfy({ $0 == $1 }) else {
            return nil
        }
        unsigned = (repeated.count..<all.count).map { Pointer.append("/@context", $0) }
    }
}
