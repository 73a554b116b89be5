import Encoding
import Foundation
import TestKit
import Testing

/// The real program with a bundle that ends in two days: log, status and doctor report it, until the next
/// bundle is imported.
@Suite(.tags(.realTime)) struct ExpiryCommandTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    private func bundle(_ number: Int, _ life: String) async throws {
        let made = try await folder.gatehouse(
            "trust", "bundle", "source", "--key", "operator.pem", "--number", "\(number)", "--valid-for", life,
            "--output",
            "\(number).bundle")
        #expect(made.code == 0, "\(made)")
    }

    private func importBundle(_ number: Int) async throws {
        let taken = try await folder.gatehouse("trust", "import", "\(number).bundle", "--config", "gate.toml")
        #expect(taken.code == 0, "\(taken)")
    }

    private func status(_ words: String, until isSo: (JSON) -> Bool) async throws -> JSON {
        var last = JSON.null
        for _ in 0..<300 {
            last = try await folder.gatehouse("status", "--json", "--config", "gate.toml").json.first ?? .null
            if isSo(last) { return last }
            try await Task.sleep(for: .milliseconds(200))
        }
        throw ProgramFailure(description: "no \(words): \(last.compactText)")
    }

    private static func codes(_ status: JSON) -> [Text] {
        (status["faults"]?.array ?? []).compactMap { $0["code"]?.string }
    }

    @Test(.timeLimit(.minutes(3))) func aBundleThatEndsInTwoDays() async throws {
        let key = try await folder.gatehouse("trust", "keygen", "operator.pem").lines.first ?? ""
        try folder.write(
            "source/issuers.toml", "[[issuer]]\nid = \"did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp\"\n")
        _ = try folder.configuration(port: try closedPort(), more: "[log]\npath = \"log.jsonl\"\n")
        let text = try folder.read("gate.toml")
        try folder.write(
            "gate.toml",
            text.replacing(
                "directory = \"trust\"",
                with: "directory = \"trust\"\nstate = \"taken\"\nbundleKeys = [\"\(key)\"]"))
        try await bundle(1, "2d")
        try await importBundle(1)
        let ending = try await Program.run(
            "timeout", ["150", Program.gatehouse, "run", "--config", "gate.toml"], in: folder
        ) { id in
            let warned = try await status("warning") { Self.codes($0).contains("fault.expires-soon") }
            let fault = warned["faults"]?.array?.first { $0["code"] == "fault.expires-soon" }
            let detail = fault?["detail"]?.string?.string ?? ""
            #expect(detail.contains("the trust bundle 1") && detail.contains("in less than 3 days"), "\(detail)")
            #expect(fault?["remedy"]?.string?.string.isEmpty == false)
            #expect(warned["expiry"]?["warnings"]?.array?.first?["days"] == 3)
            let people = try await folder.gatehouse("status", "--config", "gate.toml")
            #expect(people.output.contains("fault.expires-soon"), "\(people)")
            let doctor = try await folder.gatehouse("doctor", "--json", "--config", "gate.toml").json.first
            let found = doctor?["findings"]?.array?.filter { $0["code"] == "fault.expires-soon" } ?? []
            #expect(found.count == 1 && found.first?["check"] == "trust", "\(found)")

            try await bundle(2, "300d")
            try await importBundle(2)
            let mended = try await status("end of the warning") { !Self.codes($0).contains("fault.expires-soon") }
            #expect(mended["expiry"]?["next"]?["name"]?.string?.string.hasPrefix("bundle 2") == true, "\(mended)")
            kill(id, SIGTERM)
        }
        #expect(ending.code == 0, "\(ending)")
        let lines = try folder.read("log.jsonl").split(separator: "\n").filter { $0.contains("\"event\":\"expiry\"") }
        #expect(lines.count == 1, "once for each step: \(lines)")
    }
}
