import Encoding
import LinkedData

/// A document as the RDF that a signature covers: everything but its proof, or with those proofs that the signature covers too.
struct LinkedDataDocument {
    /// The document's own `@context`.
    let context: JSON
    /// The document with those proofs only that a signature covers.
    let unsecured: JSONObject
    /// What the document states; nil where no signature needs it and it is certain to state something.
    let statements: DeserializedDocument?
    private let processor: JSONLDProcessor

    /// Contexts stage: expands the document under the pinned contexts.
    ///
    /// - Parameter coversText: Whether every proof is over the JSON text. Then no signature needs the graph and nothing is
    ///   unsigned, so that a document that is certain to have a graph is not expanded before somebody reads the graph.
    init(
        _ document: JSONObject, proofs: [JSONObject] = [], processor: JSONLDProcessor, coversText: Bool = false
    ) throws(Rejection) {
        context = document["@context"] ?? .null
        var unsecured = document
        unsecured["proof"] = proofs.isEmpty ? nil : .array(proofs.map { .object($0) })
        self.unsecured = unsecured
        self.processor = processor
        if coversText, processor.isPlain(unsecured) {
            statements = nil
            return
        }
        do throws(JSONLDError) {
            statements = try processor.deserialize(.object(unsecured))
        } catch { throw Self.rejection(error) }
    }

    /// The graph; made each time where no signature needs it.
    var dataset: Dataset {
        statements?.dataset ?? (try? processor.deserialize(.object(unsecured)))?.dataset ?? Dataset()
    }

    /// Members that no signature over the dataset covers and that state something.
    var unsigned: [String] { statements?.dropped.filter(\.statesSomething).map(\.pointer) ?? [] }

    /// The statements about the node of the outermost object, which is of that type; nil where that is not certain.
    func graph(type: Text) -> StatementGraph? { statements.flatMap { StatementGraph($0, type: type) } }

    /// The same of a credential, made when somebody asks. `context` are the contexts that were signed where they are not the
    /// document's own: under others the same words say something else.
    func credentialGraph(under context: JSON? = nil) -> DeferredGraph {
        if context == nil, statements != nil {
            return DeferredGraph(graph(type: CredentialVocabulary.verifiableCredentialType))
        }
        return DeferredGraph(of: unsecured(under: context), processor: processor)
    }

    /// Where the document is spelled as its data model does not spell it, though it states the same; nil where it is not.
    var unusualSpelling: String? {
        guard let statements else { return nil }
        return statements.unusualSpelling
            ?? statements.repeatedNodes.sorted().lazy.compactMap { Spelling.repetition(of: $0, in: unsecured) }.first
    }

    /// The content that is signed where every proof is over the text.
    func signedText(under context: JSON?) -> SignedContent {
        SignedContent(text: unsecured(under: context), processor: processor)
    }

    private func unsecured(under context: JSON?) -> JSONObject {
        guard let context else { return unsecured }
        var document = unsecured
        document["@context"] = context
        return document
    }

    static func rejection(_ error: JSONLDError) -> Rejection {
        switch error.code {
        case .loadingRemoteContextFailed, .loadingDocumentFailed: Rejection(.contextNotPinned, at: error.pointer)
        case .protectedTermRedefinition: Rejection(.contextProtectedTerm, at: error.pointer)
        case .limitExceeded: Rejection(.canonTooComplex, at: error.pointer)
        case .invalidJSONLiteral: Rejection(.jsonNumber, at: error.pointer)
        default: Rejection(.contextInvalid, at: error.pointer)
        }
    }
}
