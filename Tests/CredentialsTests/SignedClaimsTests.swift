import Encoding
import LinkedData
import Testing

@testable import Credentials

/// Rules read what the issuer signed and nothing else.
@Suite struct SignedClaimsTests {
    @Test func pointersRemoveMembersAndKeepThePlacesOfElements() throws {
        let value = try JSON.parse(Array(#"{"a":[{"b":1,"c":2},3],"a/b":4,"ab":5}"#.utf8))
        let kept = Pointer.removing(["/a/0/b", "/a/1", "/a~1b"], from: value)
        #expect(kept.compactText == #"{"a":[{"c":2},null],"ab":5}"#)
        #expect(Pointer.removing([], from: value) == value)
    }

    @Test func typesAreThoseOfTheCredentialNotOfAnotherInsideIt() {
        let type: Text = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
        let issuer: Text = "https://www.w3.org/2018/credentials#issuer"
        let credential = Term.iri("https://www.w3.org/2018/credentials#VerifiableCredential")
        let (outer, inner) = (Term.blank("a"), Term.blank("b"))
        let dataset = Dataset([
            Quad(outer, type, credential), Quad(outer, type, .iri("urn:pass")), Quad(outer, issuer, .iri("did:x:1")),
            Quad(outer, "urn:evidence", inner), Quad(inner, type, credential), Quad(inner, type, .iri("urn:master")),
            Quad(inner, issuer, .iri("did:x:1")),
        ])
        let types = LinkedDataClaims.types(in: dataset, issuer: "did:x:1")
        #expect(Set(types) == ["https://www.w3.org/2018/credentials#VerifiableCredential", "urn:pass"])
        #expect(LinkedDataClaims.types(in: dataset, issuer: "did:x:2").isEmpty)
    }

    /// Two credentials in one graph: nobody can say which is meant, so neither has a type.
    @Test func twoRootsHaveNoType() {
        let type: Text = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
        let issuer: Text = "https://www.w3.org/2018/credentials#issuer"
        let credential = Term.iri("https://www.w3.org/2018/credentials#VerifiableCredential")
        let quads = ["a", "b"].flatMap { (name: Text) in
            [Quad(.blank(name), type, credential), Quad(.blank(name), issuer, .iri("did:x:1"))]
        }
        #expect(LinkedDataClaims.types(in: Dataset(quads), issuer: "did:x:1").isEmpty)
    }
}
