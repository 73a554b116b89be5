import Encoding
import Foundation
import TestKit
import Testing

/// What visitors say of themselves, searched for in the program's memory from outside, as root can.
@Suite(.tags(.realTime)) struct MemoryTests {
    /// Before everything that is looked for.
    private static let mark = "Zq7vK-"

    /// Forty have a credential that is rejected, each with a name of its own in a long text and in one of at most
    /// 15 bytes, which Swift keeps in place: an altered document, a token, one with a disclosure, an mdoc, in turn.
    /// Ten have a document that is in order.
    @Test(.timeLimit(.minutes(5)))
    func nothingOfFiftyVisitorsStays() async throws {
        let place = try Workplace("memory")
        guard let credential = try Credential(place) else { return place.remove() }
        let genuine = try String(contentsOfFile: credential.genuine, encoding: .utf8)
        let air = try await Air(place)
        let kiosk = try KioskProcess(
            place, radioPort: air.port, trust: credential.trust,
            sections: ["kiosk": "name = \"\(Self.mark)own\""])
        try kiosk.start()
        _ = try await kiosk.invitation()
        let memory = try #require(kiosk.memory)
        // The program has the demonstration's credential in its data.
        let accepted = { try memory.continuations(of: "Mary Smith", count: 0).values.reduce(0, +) }
        let before = try accepted()

        var day = Day(air: air, kiosk: kiosk)
        for visitor in 0..<50 {
            if visitor % 5 == 0 {
                try await day.visit("accepted", .init(uri: "", payload: credential.genuine, settle: 0.01))
                continue
            }
            let name = "\(Self.mark)\(100 + visitor)"
            let forged = try Self.forged(visitor % 4, named: name, from: genuine)
            let payload = try place.write("visitor", forged.payload)
            try await day.visit(
                "rejected", .init(uri: "", payload: payload, settle: 0.01), reason: forged.reason)
        }

        func visitors(_ names: Set<String>) -> Set<String> { names.filter { $0.allSatisfy(\.isNumber) } }
        // A verification's thread ends a moment after its verdict.
        var (names, left) = (Set<String>(), Int.max)
        for _ in 0..<100 where !(visitors(names).isEmpty && left <= before) {
            try await Task.sleep(for: .milliseconds(100))
            (names, left) = try (Set(memory.continuations(of: Self.mark, count: 3).keys), accepted())
        }
        #expect(visitors(names).isEmpty, "what is left of 50 visitors: \(names)")
        // What the program has to keep is found, by the same search.
        #expect(names.contains("own"))
        #expect(left <= before)
        try await day.close()
        try await air.stop()
        place.remove()
    }

    /// A payload of the given form whose claims have the name, and why it is rejected.
    private static func forged(
        _ form: Int, named name: String, from genuine: String
    ) throws -> (payload: String, reason: String) {
        let long = "\(name), whose name is long"
        let key = "z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK"
        let header = "\"alg\":\"EdDSA\",\"kid\":\"did:key:\(key)#\(key)\""
        let body = "\"iss\":\"did:key:\(key)\",\"iat\":1700000000"
        func token(_ texts: String...) -> String {
            (texts.map { Base64.encode(Array($0.utf8)) } + [Base64.encode([UInt8](repeating: 7, count: 64))])
                .joined(separator: ".")
        }
        switch form {
        case 0:
            let text = genuine.replacingOccurrences(of: "Mary Smith", with: long)
                .replacingOccurrences(of: "Leased", with: name)
            return (text, "proof.invalid")
        case 1:
            let subject = "{\"name\":\"\(long)\",\"role\":\"\(name)\"}"
            let claims = "\"type\":[\"VerifiableCredential\"],\"credentialSubject\":\(subject)"
            let context = "\"@context\":[\"https://www.w3.org/2018/credentials/v1\"]"
            return (
                token("{\"typ\":\"JWT\",\(header)}", "{\(body),\"vc\":{\(context),\(claims)}}"), "issuer.untrusted"
            )
        case 2:
            let disclosure = Base64.encode(Array("[\"c2FsdHNhbHRzYWx0\",\"name\",\"\(long)\"]".utf8))
            let digest = Base64.encode([UInt8](repeating: 7, count: 32))
            let claims = "\"vct\":\"https://issuer.example/pass\",\"role\":\"\(name)\""
            let jwt = token("{\"typ\":\"dc+sd-jwt\",\(header)}", "{\(body),\(claims),\"_sd\":[\"\(digest)\"]}")
            return ("\(jwt)~\(disclosure)~", "issuer.untrusted")
        default:
            let file = "vc/mosip/mso_mdoc/00-for-valid-credential-validation-success-of-msomdoc.b64u"
            let text = try String(contentsOf: #require(Vectors.path(file)), encoding: .utf8)
            let signed = try #require(Base64.decodeURL(text))
            // An element's text of 71 bytes.
            let place = try #require(signed.firstRange(of: Array("{issue_date=2025-11-03".utf8)))
            var altered = signed
            altered.replaceSubrange(place, with: Array(long.utf8.prefix(place.count)))
            return (Base64.encode(altered), "chain.untrusted")
        }
    }
}
