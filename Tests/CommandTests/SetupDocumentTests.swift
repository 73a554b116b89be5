import Encoding
import Foundation
import TestKit
import Testing

/// The lines of docs/setup.md that an installer types and writes have the described effect.
@Suite struct SetupDocumentTests {
    private let folder: Scratch
    private let text: String

    init() throws {
        folder = try Scratch()
        text = try String(contentsOf: Vectors.repository.appendingPathComponent("docs/setup.md"), encoding: .utf8)
        try folder.write("gate/empty", "")
        try folder.write("root/etc/passwd", "root:x:0:0::/root:/bin/sh\n")
    }

    /// Makes the files that the page names, in a folder; returns the operator's key.
    private func files(_ place: String) async throws -> String {
        try await folder.exportSample()
        try folder.write(place + "/empty", "")
        let key = try await folder.gatehouse("trust", "keygen", "\(place).key").lines.first ?? ""
        let bundle = try await folder.gatehouse(
            "trust", "bundle", "sample/trust", "--key", "\(place).key", "--number", "1", "--output", "gates.bundle")
        #expect(bundle.code == 0, "\(bundle)")
        let invitation = try AgentOnLoopback().invitation.compactText.replacingOccurrences(
            of: "http://", with: "https://")
        try folder.write(place + "/agent.invitation", invitation)
        try folder.write(
            place + "/gates.bundle", Array(Data(contentsOf: URL(fileURLWithPath: folder.path("gates.bundle")))))
        let id = "did:web:works.example"
        try folder.write(
            place + "/works.json",
            """
            {"id": "\(id)", "assertionMethod": ["\(id)#1"], "verificationMethod": [{"id": "\(id)#1", "type": "Multikey",
            "controller": "\(id)", "publicKeyMultibase": "z6MktwupdmLXVVqTzCw4i46r4uGyosGXRnR3XjN4Zq7oMMsw"}]}
            """)
        return key
    }

    @Test func everyLineSetsAGateUp() async throws {
        let key = try await files("here")
        let lines = text.split(separator: "\n").filter { $0.hasPrefix("sudo gatehouse setup --yes ") }
        #expect(lines.count == 2)
        for line in lines {
            let words = line.dropFirst("sudo gatehouse ".count).split(separator: " ").map { word in
                word.hasPrefix("z6Mk") ? key : String(word)
            }
            let all = words + SetupCommandTests.common.dropFirst().map { $0.hasPrefix("/") ? $0 : $0 } + ["--replace"]
            let ending = try await Program.run(
                "env",
                ["--chdir=here", Program.gatehouse]
                    + all.map { ["gate/gate.toml", "root"].contains($0) ? "../" + $0 : $0 }, in: folder)
            #expect(ending.output.hasPrefix("configuration: "), "\(line): \(ending)")
            #expect(try await folder.gatehouse("config", "check", "gate/gate.toml").code == 0)
        }
        #expect(try folder.read("gate/trust/issuers.toml").contains("did:web:works.example"))
    }

    @Test func theFileOnTheCardSetsAGateUp() async throws {
        let key = try await files("root/boot/firmware")
        let block = try #require(
            text.components(separatedBy: "```toml\n").dropFirst().first?.components(separatedBy: "```").first)
        // Setup detects the board by itself. The test machine is no known board, so the answers name one.
        let answers = block.replacingOccurrences(of: "z6Mk…", with: key) + "board = \"pi4\"\n"
        try folder.write("root/boot/firmware/gatehouse-setup.toml", answers)
        let ending = try await folder.gatehouse(SetupCommandTests.common + ["--from-boot"])
        #expect(ending.code == 0 && ending.output.contains("trust: bundle 1, "), "\(ending)")
        #expect(try await folder.gatehouse("config", "check", "gate/gate.toml").code == 0)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path("root/boot/firmware")).sorted()
        #expect(left == ["empty", "gatehouse-setup.result.txt", "gates.bundle", "works.json"])
    }
}
