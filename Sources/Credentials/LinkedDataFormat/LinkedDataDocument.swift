import Encoding
import LinkedData

/// A document as the RDF that a signature covers: everything but its proof, or with those proofs that the signature covers too.
struct LinkedDataDocument {
    /// The document's own `@context`.
    let context: JSON
    /// The document with those proofs only that a signature covers.
    let unsecured: JSONObject
    /// The graph; made on demand where no signature needs it.
    let graph: DeferredDataset
    /// Members that no signature over the dataset covers and that state something.
    let unsigned: [String]
    /// Those that state nothing in RDF, such as index keys, base directions and `null`: a holder can add or change them, so
    /// no rule may read them.
    let unstated: [String]

    /// The graph.
    var dataset: Dataset { graph.dataset }

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
        if coversText, processor.isPlain(unsecured) {
            graph = DeferredDataset(of: unsecured, processor: processor)
            (unsigned, unstated) = ([], [])
            return
        }
        do throws(JSONLDError) {
            let (dataset, dropped) = try processor.dataset(.object(unsecured))
            graph = DeferredDataset(dataset)
            unsigned = dropped.filter(\.statesSomething).map(\.pointer)
            unstated = dropped.filter { !$0.statesSomething }.map(\.pointer)
        } catch { throw Self.rejection(error) }
    }

    /// Proof stage: the hash of the canonical N-Quads. RDFC-1.0 itself runs with the same hash, as ecdsa-rdfc-2019 on
    /// P-384 needs where there are blank nodes.
    static func digest(
        of dataset: Dataset, _ algorithm: HashAlgorithm = .sha256
    ) throws(Rejection) -> [UInt8] {
        do throws(CanonicalizationError) {
            return try RDFC10.canonicalize(dataset, hash: algorithm).digest(algorithm)
        } catch { throw Rejection(.canonTooComplex) }
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

extension DroppedTerm {
    /// Whether dropping it loses a statement: `null`, index keys and base directions state nothing that RDF would carry.
    var statesSomething: Bool {
        switch reason {
        case .undefinedTerm, .undefinedType, .relativeIRI, .blankProperty, .freeFloating, .languageTag: true
        case .emptyValue, .index, .direction: false
        }
    }
}
