import Encoding
import LinkedData
import Testing

@testable import Credentials

/// Rules read only claims that the issuer signed.
@Suite struct SignedClaimsTests {
    private static let type = RDF.type
    private static let credential = Term.iri(CredentialVocabulary.verifiableCredentialType)

    private func read(_ quads: [Quad], root: Term?) -> StatementGraph? {
        StatementGraph(
            DeserializedDocument(
                dataset: Dataset(quads), dropped: [], root: root, unusualSpelling: nil, repeatedNodes: []),
            type: CredentialVocabulary.verifiableCredentialType)
    }

    @Test func typesAreThoseOfTheCredentialNotOfAnotherInsideIt() throws {
        let (outer, inner) = (Term.blank("a"), Term.blank("b"))
        let quads = [
            Quad(outer, Self.type, Self.credential), Quad(outer, Self.type, .iri("urn:pass")),
            Quad(outer, "urn:evidence", inner), Quad(inner, Self.type, Self.credential),
            Quad(inner, Self.type, .iri("urn:master")),
        ]
        let graph = try #require(read(quads, root: outer))
        #expect(Set(graph.types(of: graph.root)) == [CredentialVocabulary.verifiableCredentialType, "urn:pass"])
    }

    /// A holder can write the same statements with any node as the root. If another credential could be the root, the
    /// intended root is unknown.
    @Test func theRootIsTheOneThatLeadsToAllOthers() {
        let (outer, inner) = (Term.blank("a"), Term.blank("b"))
        let both = [Quad(outer, Self.type, Self.credential), Quad(inner, Self.type, Self.credential)]
        let down = both + [Quad(outer, "urn:evidence", inner)]
        #expect(read(down, root: outer) != nil)
        #expect(read(down, root: inner) == nil, "the inner one, with the outer behind @reverse")
        #expect(read(both, root: outer) == nil && read(both, root: inner) == nil, "beside each other")
        let circle = down + [Quad(inner, "urn:of", outer)]
        #expect(read(circle, root: outer) == nil && read(circle, root: inner) == nil)
        #expect(read(down, root: nil) == nil && read(down, root: .blank("c")) == nil)
        // A node that is not a credential may point back: a subject may name the credential that contains it.
        let back = [
            Quad(outer, Self.type, Self.credential), Quad(outer, "urn:subject", inner), Quad(inner, "urn:in", outer),
        ]
        #expect(read(back, root: outer) != nil)
    }
}
