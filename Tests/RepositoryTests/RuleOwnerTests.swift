import Foundation
import TestKit
import Testing

/// One type decides which rules are in force: `RulesInForce`. Nothing else chooses between a gate's own file
/// and the rules in its trust data.
@Suite struct RuleOwnerTests {
    private static let sources = Vectors.repository.appendingPathComponent("Sources").resolvingSymlinksInPath()

    /// Returns the lines that choose: they read the rules of trust data, or say what holds where no file is
    /// configured.
    private static func choices(in source: String) -> [String] {
        source.components(separatedBy: "\n").filter { line in
            line.firstMatch(of: /irectory(\(\))?\??\.rules\b/) != nil
                || line.firstMatch(of: /policy\??\.file.*(\?\?|== nil|!= nil)/) != nil
        }
    }

    @Test func onlyTheOwnerChooses() throws {
        var owners: Set<String> = []
        for file in swiftFiles(below: Self.sources) {
            let choices = Self.choices(in: try String(contentsOf: file, encoding: .utf8))
            // Restoring a backup without the file leaves the configured file unchanged.
            if !choices.isEmpty, file.lastPathComponent != "BackupRestorer+Configuration.swift" {
                owners.insert(file.lastPathComponent)
            }
        }
        #expect(owners == ["RulesInForce.swift"])
    }

    @Test func aSecondChoiceIsFound() {
        for line in [
            "let rules = try gate.policy.file.map(load) ?? directory.rules", "policy(reading.directory.rules)",
            "let rules = try directory().rules", "policy.file == nil", "trust.directory?.rules",
        ] { #expect(!Self.choices(in: line).isEmpty, "\(line)") }
        #expect(Self.choices(in: "RulesInForce(file: gate.policy.file, over: directory)").isEmpty)
    }
}
