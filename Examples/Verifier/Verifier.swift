import Credentials
import Encoding
import Foundation
import Reasons

/// Verifies one credential offline, with only the issuer's DID document and the contexts that the credential
/// uses.
@main
struct Verify {
    static func main() throws {
        let words = CommandLine.arguments.dropFirst()
        guard words.count >= 3, let date = words.first.flatMap({ Timestamp(rfc3339: $0) }) else {
            return print("usage: example-verifier DATE CREDENTIAL DOCUMENT [CONTEXT-URL=FILE ...]")
        }
        func bytes(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) }

        // Trust is data: the issuers, their keys and the contexts. The W3C's contexts are built in.
        let files = Array(words.dropFirst())
        let document = try bytes(files[1])
        let issuer = try JSON.parse(document)["id"]?.string ?? ""
        var contexts: [Text: [UInt8]] = [:]
        for pin in files.dropFirst(2) {
            let parts = pin.split(separator: "=", maxSplits: 1).map(String.init)
            if parts.count == 2 { contexts[Text(parts[0])] = try bytes(parts[1]) }
        }
        for context in BuiltInContexts.all { contexts[context.url] = context.bytes }
        let trust = TrustMaterial(issuers: [TrustedIssuer(id: issuer)], documents: [document], contexts: contexts)

        // The date is an argument, with its provenance: the verifier has no clock of its own.
        let clock = WallTime(utc: date, provenance: .synchronised)
        let verdict = Verifier(trust: try TrustStore(trust)).verify(try bytes(files[0]), at: clock)
        print("\(verdict.decision.rawValue): \(verdict.reasons.map(\.code.text).joined(separator: ", "))")
        for reason in verdict.reasons where reason.severity == .error { print(reason.code.remedy) }
        if verdict.decision != .accept { exit(1) }
    }
}
