import Credentials
import Crypto
import Encoding
import Foundation
import Testing
import TrustFiles

/// The advice on rules that no credential can fulfil, and on surprising ones: with the line and a remedy.
@Suite struct PolicyAdviceTests {
    private static let head = "id = \"p\"\nversion = \"1\"\n"

    private func policy(_ text: String) throws -> GatePolicy {
        try PolicyFile.parse(Array((Self.head + text).utf8), file: "policy.toml")
    }

    private func words(_ warnings: [PolicyAdvice.Warning]) -> [String] {
        warnings.map { "\($0.line ?? 0) \($0.message)" }
    }

    @Test(arguments: [
        // Whole numbers up to 2^53 are exact as doubles; beyond, several share one double.
        ("equals = 9007199254740992", nil), ("equals = 9007199254740993", "equals"),
        ("in = [1, -9007199254740993]", "in"), ("contains-all = [9223372036854775807]", "contains-all"),
        ("at-least = 9007199254740993", "at-least"), ("below = \"90071992547409930\"", "below"),
        ("equals = 0.1", nil), ("above = \"0.12345678901234567\"", "above"), ("equals = \"9007199254740993\"", nil),
        ("at-most = -9007199254740992", nil), ("at-most = \"1e400\"", "at-most"),
    ])
    func numbersThatASignatureDoesNotKeep(_ test: String, _ key: String?) throws {
        for formats in ["", "formats = [\"mso_mdoc\", \"ldp_vc\"]\n"] {
            let rule =
                "[[accept]]\nid = \"a\"\ntypes = \"T\"\n\(formats)require = [ { not = { claim = \"/a\", \(test) } } ]\n"
            let warnings = try policy(rule).warnings
            let line = formats.isEmpty ? 6 : 7
            #expect(warnings.map(\.line) == (key == nil ? [] : [line]), "\(test): \(warnings)")
            #expect(warnings.allSatisfy { $0.message.hasPrefix("\(key ?? "") compares") && $0.remedy.contains("text") })
            let deny = rule.replacing("[[accept]]", with: "[[deny]]").replacing("require", with: "when")
            #expect(try policy(deny + "[[accept]]\nid = \"b\"\n").warnings.count == warnings.count)
        }
        // Other formats sign the digits.
        let rule = "[[accept]]\nid = \"a\"\nformats = \"jwt_vc_json\"\nrequire = [ { claim = \"/a\", \(test) } ]\n"
        #expect(try policy(rule).warnings.isEmpty)
    }

    @Test func subjectsThatManyFormatsDoNotName() throws {
        let accept = "[[accept]]\nid = \"all\"\n"
        let warnings = try policy("[[deny]]\nid = \"lost\"\nsubjects = [\"did:example:a\"]\n" + accept).warnings
        #expect(
            words(warnings) == [
                "5 the deny rule lost also rejects every credential that names no subject, such as each mdoc and "
                    + "each SD-JWT VC without sub"
            ])
        for narrow in ["types = \"https://a.example/Pass\"", "formats = [\"ldp_vc\", \"jwt_vc_json\"]"] {
            let rule = "[[deny]]\nid = \"lost\"\n\(narrow)\nsubjects = [\"did:example:a\"]\n"
            #expect(try policy(rule + accept).warnings.isEmpty, "\(narrow)")
        }
        #expect(
            try policy("[[deny]]\nid = \"l\"\nformats = \"dc+sd-jwt\"\nsubjects = \"s\"\n" + accept).warnings.count == 1
        )
    }

    @Test func namesThatNoEntryProvides() throws {
        let fixture = try TrustFixture()
        try fixture.write(
            "directory/issuers.toml",
            TrustFixture.issuers("groups = [\"works\"]\ntypes = [\"A\", \"B\"]")
                + TrustFixture.issuers("types = [\"C\"]", id: "did:web:other.example"))
        let store = try TrustDirectory(path: fixture.path + "/directory").store
        func advice(_ rules: String) throws -> [String] {
            let advice = PolicyAdvice(try policy(rules), by: store)
            #expect(advice.hints.isEmpty && advice.unknown.allSatisfy { !$0.remedy.isEmpty })
            return words(advice.unknown)
        }
        let good = "[[accept]]\nid = \"a\"\ntypes = [\"A\", \"B\"]\nissuers = \"group:works\"\n"
        #expect(try advice(good) == [])
        #expect(
            try advice(
                good + "[[deny]]\nid = \"d\"\ntypes = \"a\"\nissuers = [\"group:wroks\", \"did:web:nobody.example\"]\n")
                == [
                    "8 the deny rule d names the group wroks, which contains no [[issuer]]",
                    "8 the deny rule d names the issuer did:web:nobody.example, which has no [[issuer]]",
                    "8 the deny rule d names the type a, which none of its issuers may issue",
                ])
        #expect(
            try advice(good.replacing("\"B\"", with: "\"C\""))
                == ["4 the accept rule a names the type C, which none of its issuers may issue"])
        #expect(
            try advice(good.replacing("issuers", with: "#").replacing("\"B\"", with: "\"C\", \"D\""))
                == ["4 the accept rule a names the type D, which no [[issuer]] may issue"])
        let context = "https://a.example/v1"
        #expect(
            try advice(good + "contexts = \"\(context)\"\n")
                == ["4 the accept rule a requires the context \(context), which is not pinned"])
    }

    /// Two contexts that an issuer may use give one name two meanings; with the issuer's own list the name
    /// has one again.
    @Test func namesThatContextsDisagreeOn() throws {
        let fixture = try TrustFixture()
        var index: [String] = []
        for name in ["a", "b"] {
            let context = "{\"@context\": {\"zones\": \"https://\(name).example/ns#zones\"}}"
            try fixture.write("directory/contexts/\(name).json", context)
            let digest = Hex.encode(SHA256.hash(data: Array(context.utf8)))
            index.append(
                "{\"url\": \"https://\(name).example/v1\", \"file\": \"\(name).json\", \"sha256\": \"\(digest)\"}")
        }
        try fixture.write("directory/contexts/index.json", "[\(index.joined(separator: ", "))]")
        let claim = "require = [ { claim = \"/credentialSubject/zones\", contains = 1 } ]\n"
        let rules = "[[accept]]\nid = \"r\"\ntypes = \"A\"\n" + claim
        func hints(_ more: String, _ rules: String) throws -> [String] {
            try fixture.write("directory/issuers.toml", TrustFixture.issuers("types = [\"A\"]\n" + more))
            let store = try TrustDirectory(path: fixture.path + "/directory").store
            return words(PolicyAdvice(try policy(rules), by: store).hints)
        }
        #expect(
            try hints("", rules) == [
                "4 the rule r requires zones in /credentialSubject/zones, which the pinned contexts that its "
                    + "credentials may use define differently: https://a.example/ns#zones, https://b.example/ns#zones"
            ])
        let contexts = "contexts = [\"https://a.example/v1\"]\n"
        #expect(try hints(contexts, rules) == [])
        #expect(try hints("", rules + contexts) == [])
    }

    @Test func issuersWithoutTypes() throws {
        let fixture = try TrustFixture()
        let store = try TrustDirectory(path: fixture.path + "/directory").store
        let typed = PolicyAdvice(try policy("[[accept]]\nid = \"a\"\ntypes = \"A\"\n"), by: store)
        #expect(typed.unknown.isEmpty && words(typed.hints) == ["0 the [[issuer]] \(TrustFixture.id) has no types"])
        let open = PolicyAdvice(try policy("[[accept]]\nid = \"a\"\n"), by: store)
        #expect(
            words(open.hints) == [
                "4 the [[issuer]] \(TrustFixture.id) has no types, and the accept rule a does not name what it "
                    + "admits either"
            ])
        #expect(open.hints.allSatisfy { $0.remedy.contains("types = [") })
    }
}
