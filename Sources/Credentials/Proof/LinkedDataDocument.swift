import Encoding
import LinkedData
import Reasons

/// A document as a signature covers it: without its proofs, or with those proofs that the signature covers, too.
struct LinkedDataDocument {
    /// The document's own `@context`.
    let context: JSON
    /// The document with only those proofs that a signature covers.
    let unsecured: JSONObject
    /// The statements of the document; nil if no signature needs the statements and ``plain`` is enough.
    let statements: DeserializedDocument?
    /// The properties of a document that was not expanded; nil if the document was expanded.
    let plain: PlainDocument?
    let processor: JSONLDProcessor
    /// Returns whether credentials of the issuer with the given id may be accepted at all.
    private let isTrusted: @Sendable (Text) -> Bool

    /// Runs the contexts stage: expands the document under the pinned contexts.
    ///
    /// - Parameter coversText: Whether every proof is over the JSON text. Then no signature needs the graph, and
    ///   nothing is unsigned. If the member names of the document certainly show all statements, the document is
    ///   expanded only when the graph is read.
    /// - Parameter isTrusted: Returns whether credentials of an issuer may be accepted at all.
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

    /// The RDF graph of the document; empty if the document cannot be expanded. If ``statements`` is nil, each call
    /// computes the graph.
    var dataset: Dataset {
        statements?.dataset ?? (try? processor.deserialize(.object(unsecured)))?.dataset ?? Dataset()
    }

    /// The members that make statements, but that a signature over the graph does not cover, as JSON pointers.
    var unsigned: [String] { statements?.dropped.filter(\.statesSomething).map(\.pointer) ?? [] }

    /// Returns the statements about the outermost node, which must have the type `type`; nil if the outermost node is
    /// not certain.
    func graph(type: Text) -> StatementGraph? {
        statements.flatMap { StatementGraph($0, type: type, isTrusted: isTrusted) }
    }

    /// The statements of a text that is signed as written, from its outermost object; nil if the document was not
    /// expanded or no outermost object is certain.
    var writtenGraph: StatementGraph? {
        statements.flatMap { document in document.root.map { StatementGraph(written: document.dataset, root: $0) } }
    }

    /// The JSON pointer to an unusual spelling with the same meaning as the usual spelling; nil if there is none.
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
