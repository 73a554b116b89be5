import Crypto
import Encoding
import Foundation
import TestKit
import Testing

/// Searches the program's memory from outside, as root can, for data of visitors.
@Suite(.tags(.realTime)) struct MemoryTests {
    /// The prefix of every text that is searched for.
    private static let mark = "Zq7vK-"

    /// Forty visitors have an altered document, token or mdoc. Each has a different name, in a long text and
    /// in one of at most 15 bytes, which Swift stores inline. Ten visitors have a valid credential.
    @Test(.timeLimit(.minutes(5)))
    func nothingOfFiftyVisitorsStays() async throws {
        let place = try Workplace("memory")
        guard let credential = try Credential(place) else { return place.remove() }
        let altered = try AlteredCredentials(credential)
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
            let (text, reason) = try altered.credential("\(Self.mark)\(100 + visitor)", number: visitor)
            let payload = try place.write("visitor", text)
            try await day.visit("rejected", .init(uri: "", payload: payload, settle: 0.01), reason: reason)
        }

        func visitors(_ names: Set<String>) -> Set<String> { names.filter { $0.allSatisfy(\.isNumber) } }
        // The thread of a verification ends shortly after the verdict.
        var (names, left) = (Set<String>(), Int.max)
        for _ in 0..<100 where !(visitors(names).isEmpty && left <= before) {
            try await Task.sleep(for: .milliseconds(100))
            (names, left) = try (Set(memory.continuations(of: Self.mark, count: 3).keys), accepted())
        }
        #expect(visitors(names).isEmpty, "what is left of 50 visitors: \(names)")
        // The same search finds the data that the program has to keep.
        #expect(names.contains("own"))
        #expect(left <= before)
        try await day.close()
        try await air.stop()
        place.remove()
    }
}

/// Credentials whose claims are not what their issuers signed.
private struct AlteredCredentials {
    private let document: String
    private let issuer: Text
    private let method: Text
    private let device: [UInt8]

    init(_ credential: Credential) throws {
        document = try String(contentsOfFile: credential.genuine, encoding: .utf8)
        let json = try JSON.parse(Array(document.utf8))
        issuer = try #require(json["issuer"]?.string)
        method = try #require(json["proof"]?["verificationMethod"]?.string)
        let folder = try #require(Vectors.path("mdoc/iso18013-5-annex-d"))
        let letters = try String(contentsOf: folder.appendingPathComponent("device-response.b64u"), encoding: .utf8)
        device = try #require(Base64.decodeURL(letters.trimmingCharacters(in: .whitespacesAndNewlines)))
    }

    /// Returns a credential with `name`, nine letters long, and the reason of its rejection. The `number`
    /// chooses the format.
    func credential(_ name: String, number: Int) throws -> (text: String, reason: String) {
        switch number % 3 {
        case 0:
            let text = document.replacingOccurrences(of: "Mary Smith", with: "\(name), whose name is long")
            return (text.replacingOccurrences(of: "Leased", with: name), "proof.invalid")
        case 1: return (token(name), "proof.invalid")
        default: return (try mdoc(name), "validity.expired")
        }
    }

    private func token(_ name: String) -> String {
        func part(_ json: JSON) -> String { Base64.encode(json.compactBytes) }
        let header: JSON = ["alg": "EdDSA", "typ": "dc+sd-jwt", "kid": .string(method)]
        let claim = part(["salt", "family_name", .text("\(name), whose name is long")])
        let digest = Base64.encode(Array(SHA256.hash(data: Array(claim.utf8))))
        let claims: JSON = [
            "iss": .string(issuer), "vct": .text(Credential.type), "given_name": .text(name), "_sd": [.text(digest)],
            "_sd_alg": "sha-256",
        ]
        return [part(header), part(claims), Base64.encode([UInt8](repeating: 1, count: 64))].joined(separator: ".")
            + "~\(claim)~"
    }

    /// The driving licence's number has the same length as the name.
    private func mdoc(_ name: String) throws -> String {
        let number = try #require(device.firstRange(of: Array("123456789".utf8)))
        var altered = device
        altered.replaceSubrange(number, with: Array(name.utf8))
        return Base64.encode(altered)
    }
}
