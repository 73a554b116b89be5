import Encoding
import LinkedData
import Reasons

/// The facts on which the acceptance of a credential depends. These facts come only from content that the issuer
/// signed.
struct CredentialFacts {
    var issuer: Text
    /// The types: expanded IRIs if statements are signed, names as written if the text is signed. The list is empty if
    /// another issuer may have stated the types (``StatementGraph/isRootInside``).
    var types: [Text]
    /// The latest start of validity in the credential.
    var validFrom: Timestamp?
    /// The earliest end of validity in the credential.
    var validUntil: Timestamp?
    var status: [StatusEntry]
    /// Whether the holder may have withheld a start of validity.
    var mayHideStart = false
    /// Whether the holder may have withheld an end of validity.
    var mayHideEnd = false
    /// Whether the holder may have withheld a status entry.
    var mayHideStatus = false
    var subjects: CredentialSubjects
    /// The id of the credential; nil if there is none.
    var id: Text?

    /// Reads the facts from the members of a credential whose text is signed.
    init(text shape: CredentialShape) {
        issuer = shape.issuer
        types = shape.types
        validFrom = shape.validFrom
        validUntil = shape.validUntil
        status = shape.statusEntries.map(StatusEntry.init)
        subjects = CredentialSubjects(of: shape.document)
        id = shape.document["id"]?.string
    }

    /// Reads the facts of a credential whose statements are signed. `places`: the JSON pointers of the
    /// credential's status entries, for findings.
    ///
    /// - Throws: `shape.issuer` unless the credential states exactly one issuer, by an IRI; `shape.dates` for
    ///   an invalid date or an end before the start; `shape.credentialSubject` for a subject that is a
    ///   literal; `input.too-large` for too many status entries.
    init(_ graph: StatementGraph, entries places: [String], profile: Profile, limits: Limits) throws(Rejection) {
        let issuers = graph.values(of: CredentialVocabulary.issuer, at: graph.root)
        guard issuers.count == 1, let issuer = issuers[0].iri else { throw Rejection(.shapeIssuer, at: "/issuer") }
        self.issuer = issuer
        id = graph.root.iri
        types = graph.isRootInside ? [] : graph.types(of: graph.root)
        let isZoned = profile == .strict
        validFrom = try Self.dates(CredentialVocabulary.starts, graph, "/validFrom", zoneRequired: isZoned).max()
        validUntil = try Self.dates(CredentialVocabulary.ends, graph, "/validUntil", zoneRequired: isZoned).min()
        if let validFrom, let validUntil, validUntil < validFrom { throw Rejection(.shapeDates, at: "/validUntil") }
        mayHideStart = !CredentialVocabulary.starts.allSatisfy { graph.isComplete($0, at: graph.root) }
        mayHideEnd = !CredentialVocabulary.ends.allSatisfy { graph.isComplete($0, at: graph.root) }
        mayHideStatus = !graph.isComplete(CredentialVocabulary.status, at: graph.root)
        let entries = graph.values(of: CredentialVocabulary.status, at: graph.root)
        guard entries.count <= limits.statusEntries else { throw Rejection(.inputTooLarge, at: "/credentialStatus") }
        // The graph keeps the order of the document. If the document writes no entry twice, entry n therefore belongs
        // to the JSON pointer n of `places`. Otherwise the pointer names the whole list.
        status = entries.enumerated().map { index, node in
            StatusEntry(
                node, in: graph, pointer: places.count == entries.count ? places[index] : "/credentialStatus")
        }
        let subjects = graph.values(of: CredentialVocabulary.subject, at: graph.root)
        guard subjects.allSatisfy({ $0.lexicalForm == nil }) else {
            throw Rejection(.shapeCredentialSubject, at: "/credentialSubject")
        }
        let ids = graph.isRootInside ? [] : subjects.compactMap(\.iri)
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

extension CredentialFacts {
    /// Adds the facts that the member names of a signed text do not show: a property under its IRI or another name, or
    /// a property of a node that the text describes twice.
    ///
    /// - Throws: `shape.issuer` for another issuer, `shape.dates` for an end before the start, `shape.spelling` for
    ///   another id or for a status that cannot be read by the member names.
    mutating func add(_ stated: CredentialFacts) throws(Rejection) {
        guard stated.issuer == issuer else { throw Rejection(.shapeIssuer, at: "/issuer") }
        guard id == nil || id == stated.id else { throw Rejection(.shapeSpelling, at: "/id") }
        id = stated.id
        validFrom = [validFrom, stated.validFrom].compactMap(\.self).max()
        validUntil = [validUntil, stated.validUntil].compactMap(\.self).min()
        if let validFrom, let validUntil, validUntil < validFrom { throw Rejection(.shapeDates, at: "/validUntil") }
        let isRead = stated.status.allSatisfy { entry in entry.kind == nil || status.contains { $0.says(entry) } }
        guard isRead, stated.status.count <= status.count else {
            throw Rejection(.shapeSpelling, at: "/credentialStatus")
        }
        subjects = CredentialSubjects(
            subjects.ids + stated.subjects.ids, isOneUnnamed: subjects.isOneUnnamed || stated.subjects.isOneUnnamed)
    }
}

extension StatementGraph {
    /// Returns whether all statements about `node` with `property` are certainly shown: the holder could withhold none
    /// of them, or the suite makes all of them mandatory together and every shown statement is mandatory.
    ///
    /// Issuers of ecdsa-sd-2023 choose the mandatory statements by JSON pointers, down to single elements of arrays. A
    /// mandatory statement therefore says nothing about other statements of the same property. All types of a node on
    /// the path of a pointer are mandatory (VC Data Integrity ECDSA 1.0, createInitialSelection). Another property is
    /// certainly complete only if the data model allows one value, or if the issuer's entry in the trust data says that
    /// arrays are mandatory as a whole.
    func isComplete(_ property: Text, at node: Term) -> Bool {
        guard let mandatory else { return true }
        let isWhole = property == RDF.type || node == root && CredentialVocabulary.single.contains(property)
        guard isWhole || takesArraysWhole else { return false }
        let places = places(of: property, at: node)
        return !places.isEmpty && places.allSatisfy(mandatory.contains)
    }
}
