import Encoding
import LinkedData

/// What decides about a credential, read from what its issuer signed and nowhere else.
struct CredentialFacts {
    var issuer: Text
    /// As expanded IRIs where statements were signed, as written where the text was.
    var types: [Text]
    /// The latest start that is stated.
    var validFrom: Timestamp?
    /// The earliest end that is stated.
    var validUntil: Timestamp?
    var status: [StatusEntry]
    /// Whether the holder may have left out a start, an end or a status.
    var mayHideStart = false
    var mayHideEnd = false
    var mayHideStatus = false
    var subjects: CredentialSubjects
    /// The credential's own id; nil where it has none.
    var id: Text?

    /// Of a credential whose text is signed.
    init(text shape: CredentialShape) {
        issuer = shape.issuer
        types = shape.types
        validFrom = shape.validFrom
        validUntil = shape.validUntil
        status = shape.statusEntries.map(StatusEntry.init)
        subjects = CredentialSubjects(of: shape.document)
        id = shape.document["id"]?.string
    }

    /// Of a credential whose statements are signed. `shape` tells where things stand in the document, for findings.
    ///
    /// - Throws: `shape.issuer` unless it states one issuer that is named by an IRI, `shape.dates` for a date that is none or an
    ///   end before the start, `shape.credentialSubject` for a subject that is no node, `input.too-large` for too many status
    ///   entries.
    init(_ graph: StatementGraph, shape: CredentialShape, profile: Profile, limits: Limits) throws(Rejection) {
        let issuers = graph.values(of: CredentialVocabulary.issuer, at: graph.root)
        guard issuers.count == 1, let issuer = issuers[0].iri else { throw Rejection(.shapeIssuer, at: "/issuer") }
        self.issuer = issuer
        id = graph.root.iri
        types = graph.types(of: graph.root)
        let isZoned = profile == .strict
        validFrom = try Self.dates(CredentialVocabulary.starts, graph, "/validFrom", zoneRequired: isZoned).max()
        validUntil = try Self.dates(CredentialVocabulary.ends, graph, "/validUntil", zoneRequired: isZoned).min()
        if let validFrom, let validUntil, validUntil < validFrom { throw Rejection(.shapeDates, at: "/validUntil") }
        mayHideStart = !CredentialVocabulary.starts.allSatisfy { graph.isComplete($0, at: graph.root) }
        mayHideEnd = !CredentialVocabulary.ends.allSatisfy { graph.isComplete($0, at: graph.root) }
        mayHideStatus = !graph.isComplete(CredentialVocabulary.status, at: graph.root)
        let entries = graph.values(of: CredentialVocabulary.status, at: graph.root)
        guard entries.count <= limits.statusEntries else { throw Rejection(.inputTooLarge, at: "/credentialStatus") }
        // Statements come in document order, so that the entries have their places where each is written once.
        let places = shape.statusEntries.map(\.pointer)
        status = entries.enumerated().map { index, node in
            StatusEntry(
                node, in: graph, pointer: places.count == entries.count ? places[index] : "/credentialStatus")
        }
        let subjects = graph.values(of: CredentialVocabulary.subject, at: graph.root)
        guard subjects.allSatisfy({ $0.lexicalForm == nil }) else {
            throw Rejection(.shapeCredentialSubject, at: "/credentialSubject")
        }
        let ids = subjects.compactMap(\.iri)
        self.subjects = CredentialSubjects(
            ids, isOneUnnamed: ids.count < subjects.count,
            mayHideOne: !graph.isComplete(CredentialVocabulary.subject, at: graph.root))
    }

    private static func dates(
        _ properties: [Text], _ graph: StatementGraph, _ pointer: String, zoneRequired: Bool
    ) throws(Rejection) -> [Timestamp] {
        var dates: [Timestamp] = []
        for property in properties {
            for value in graph.values(of: property, at: graph.root) {
                guard let text = value.lexicalForm, let date = Members.dateTime(text, zoneRequired: zoneRequired) else {
                    throw Rejection(.shapeDates, at: pointer)
                }
                dates.append(date)
            }
        }
        return dates
    }
}

extension StatementGraph {
    /// Whether all statements of that property are certain to be here: none could be left out, or those that are here could
    /// not, and the issuer takes or leaves a property as a whole.
    func isComplete(_ property: Text, at node: Term) -> Bool {
        guard let mandatory else { return true }
        var isStated = false
        for (place, quad) in dataset.quads.enumerated()
        where quad.predicate == property && quad.subject == node && quad.graph == nil {
            guard mandatory.contains(place) else { return false }
            isStated = true
        }
        return isStated
    }
}
