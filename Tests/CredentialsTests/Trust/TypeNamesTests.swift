import Encoding
import LinkedData
import Testing

@testable import Credentials

/// The cache of type names answers only a question with the same types and contexts.
@Suite struct TypeNamesTests {
    private func question(
        _ type: Text = "https://a.example/#A", contexts: [Text] = ["https://a.example/c"],
        issuerContexts: [Text]? = nil, isText: Bool = false
    ) -> TypeNames.Question {
        TypeNames.Question(types: [type], contexts: contexts, issuerContexts: issuerContexts, isText: isText)
    }

    @Test func eachQuestionIsFoundOnce() {
        let (names, others) = (TypeNames(), ["https://b.example/c", "https://a.example/c"] as [Text])
        let questions = [
            question(), question("https://a.example/#B"), question(contexts: others),
            question(contexts: others.reversed()), question(issuerContexts: []), question(isText: true),
        ]
        var found = 0
        for _ in 0..<2 {
            for (number, question) in questions.enumerated() {
                let answer = names.names(for: question) {
                    found += 1
                    return [Text("\(number)")]
                }
                #expect(answer == [Text("\(number)")])
            }
        }
        #expect(found == questions.count)
    }

    @Test func theStoredDataAreBounded() {
        let names = TypeNames()
        var found = 0
        func ask(_ type: Text) {
            _ = names.names(for: question(type)) {
                found += 1
                return [type]
            }
        }
        let long = Text(String(repeating: "x", count: 5000))
        for _ in 0..<2 { ask(long) }
        #expect(found == 2, "long types are not kept")
        for number in 0..<257 { ask(Text("urn:\(number)")) }
        ask("urn:256")
        #expect(found == 259)
        ask("urn:0")
        #expect(found == 260, "the others were forgotten when there were too many")
    }

    /// A verdict names the same types the first time, later, and with another store.
    @Test func verdictsNameTheSameTypes() throws {
        let issuer = try TestIssuer(seed: 7)
        let trust = try TrustStore(issuer.material)
        let verifier = Credentials.Verifier(trust: trust)
        let document = try issuer.sign(issuer.template)
        let first = verifier.verify(document.compactBytes, at: TestIssuer.clock)
        let second = verifier.verify(document.compactBytes, at: TestIssuer.clock)
        #expect(first.isAccepted && first.credential.types == second.credential.types)
        let fresh = Credentials.Verifier(trust: try TrustStore(issuer.material)).verify(
            document.compactBytes, at: TestIssuer.clock)
        #expect(fresh.credential.types == first.credential.types)
    }
}
