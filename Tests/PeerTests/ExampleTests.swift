import Encoding
import Foundation
import TestKit
import Testing

/// The programs of `Examples` behave as documented; the peripheral serves a third-party phone.
@Suite(.tags(.realTime)) struct ExampleTests {
    @Test func thePeripheralSaysBackWhatAPhoneWrites() async throws {
        let place = try Workplace("peripheral")
        let python = try Workplace.requiredEnvironment("wallet", "bin/python")
        let script = Workplace.peers.appendingPathComponent("wallet/echo.py").path
        let phone = try Child(python, ["-B", script], output: place.path("phone.jsonl"), isGuarded: true)
        let journal = Journal(place.path("phone.jsonl"))
        let port = try await journal.wait("listening").line["port"]?.int ?? 0
        let peripheral = try Child(
            Workplace.built("example-peripheral"), ["127.0.0.1", "\(port)"], output: place.path("peripheral"),
            isGuarded: true)
        let end = try await phone.wait(within: .seconds(40))
        let said = try String(contentsOfFile: place.path("peripheral"), encoding: .utf8)
        #expect(end == .exit(0), "\(journal.lines) \(said)")
        let echoes = journal.lines.filter { $0["event"] == "echo" }
        #expect(echoes.count == 3 && echoes.allSatisfy { $0["value"] == $0["wrote"] }, "\(echoes)")
        #expect(said.hasPrefix("on the air\n"), "\(said)")
        // The controller has ended with the phone: the program ends and reports the reason.
        #expect(try await peripheral.wait(within: .seconds(10)) != .exit(0))
        place.remove()
    }

    @Test func theVerifierAcceptsGoodAndRejectsBad() async throws {
        let place = try Workplace("verifier")
        let samples = Vectors.repository.appendingPathComponent("Sources/Workbench/Demo/Samples")
        let (good, document) = (samples.appendingPathComponent("farmer-credential.json"), "farmer-issuer.json")
        let context = "https://piyush7034.github.io/my-files/farmer.json=" + samples.path + "/farmer-context.json"
        let text = try String(contentsOf: good, encoding: .utf8)
        let bad = try place.write(
            "bad.json", text.replacingOccurrences(of: "FarmerCredential", with: "ForgerCredential"))
        for (file, contexts, decision) in [
            (good.path, [context], "accept: ok"), (bad, [context], "reject"), (good.path, [], "reject"),
        ] {
            let output = place.path(UUID().uuidString)
            let words = ["2026-06-01T09:00:00Z", file, samples.appendingPathComponent(document).path] + contexts
            let end = try await Child(Workplace.built("example-verifier"), words, output: output).wait(
                within: .seconds(20))
            let said = try String(contentsOfFile: output, encoding: .utf8)
            #expect(said.hasPrefix(decision), "\(said)")
            #expect((end == .exit(0)) == decision.hasPrefix("accept"), "\(end)")
        }
        place.remove()
    }

    /// The examples show that little code is needed.
    @Test(.tags(.exact)) func theyStayShort() throws {
        for name in ["Peripheral", "Verifier"] {
            let file = Vectors.repository.appendingPathComponent("Examples/\(name)/\(name).swift")
            let lines = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
            let code = lines.filter { line in
                let text = line.trimmingCharacters(in: .whitespaces)
                return !text.isEmpty && !text.hasPrefix("//") && text.contains { !"{}".contains($0) }
            }
            #expect(code.count <= 42, "\(name): \(code.count)")
        }
    }
}
