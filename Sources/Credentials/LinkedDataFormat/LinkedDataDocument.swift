import Encoding
import LinkedData

/// A document as the RDF that a signature covers: everything but its proof, or with those proofs that the signature covers too.
struct LinkedDataDocument {
    /// The document's own `@context`.
    let context: JSON
    /// The document with those proofs only that a signature covers.
    let unsecured: JSONObject
    /// What the document states; nil where no signature needs it and ``plain`` tells what is asked for.
    let statements: DeserializedDocument?
    /// What is known of a document that was not expanded.
    let plain: PlainDocument?
    let processor: JSONLDProcessor
    /// Whether credentials of an issuer may be accepted at all.
    private let isTrusted: @Sendable (Text) -> Bool

    /// Contexts stage: expands the document under the pinned contexts.
    ///
    /// - Parameter coversText: Whether every proof is over the JSON text. Then no signature needs the graph and nothing is
    ///   unsigned, so that a document that is certain to state no more than its names say is not expanded before somebody
    ///   reads the graph.
    /// - Parameter isTrusted: Whether credentials of an issuer may be accepted at all.
    init(
        _ document: JSONObject, proofs: [JSONObject] = [], processor: JSONLDProcessor, coversText: Bool = false,
        isTrusted: @escaping @Sendable (Text) -> Bool = { _ in true }
    ) throws(Rejection) {
        context = document["@context"] ?? .null
        var unsecured = document
        unsecured["proof"] = proofs.isEmpty ? nil : .array(proofs.map { .object($0) })
        self.unsecured = unsecured
        self.processor = processor
        self.isTrusted = isTrusted
        plain = coversText ? processor.plain(unsecured) : nil
        if plain != nil {
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
    func graph(type: Text) -> StatementGraph? {
        statements.flatMap { StatementGraph($0, type: type, isTrusted: isTrusted) }
    }

    /// What a text that is signed as it is written states about its outermost object.
    var writtenGraph: StatementGraph? {
        statements.flatMap { document in document.root.map { StatementGraph(written: document.dataset, root: $0) } }
    }

    /// Where the document is spelled as its data model does not spell it, though it states the same; nil where it is not.
    var unusualSpelling: String? {
        guard let statements else { return nil }
        return statements.unusualSpelling
            ?? RepeatedNodes(statements).unusual.map { Spelling.repetition(of: $0, in: unsecured) }
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
