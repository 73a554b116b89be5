import Encoding
import Foundation
import TestKit
import Testing

/// `gatehouse-workshop reference`: the pages in `docs/reference` are the program's output, and they are complete.
@Suite struct ReferenceCommandTests {
    private let folder: Scratch
    private let root = Vectors.repository
    private static let pages = ["configuration", "policy", "trust", "commands", "events"]

    init() throws { folder = try Scratch() }

    private var examples: String { root.appendingPathComponent("deploy").path }

    private func page(_ name: String) -> String {
        let ending = Ending.inWorkshop("reference", name, "--examples", examples, "--program", Program.gatehouse)
        #expect(ending.code == 0 && ending.errors.isEmpty, "\(ending)")
        return ending.output
    }

    /// The other tests of this suite make the page in this process; the program prints the same.
    @Test func theProgramPrintsIt() async throws {
        let ending = try await folder.workshop("reference", "policy", "--examples", examples)
        #expect(ending.code == 0 && ending.errors.isEmpty && ending.output == page("policy"), "\(ending)")
    }

    @Test(arguments: pages) func thePageInTheDocuments(_ name: String) throws {
        let file = root.appendingPathComponent("docs/reference/\(name).md")
        let shown = try String(contentsOf: file, encoding: .utf8)
        #expect(page(name) == shown, "make reference")
    }

    @Test func everyPageIsHeldUpToDate() throws {
        let files = try FileManager.default.contentsOfDirectory(
            atPath: root.appendingPathComponent("docs/reference").path)
        #expect(Set(files) == Set(Self.pages.map { $0 + ".md" }))
    }

    /// The page has every key of the configuration with its default and its purpose.
    @Test func everyKeyIsExplained() async throws {
        let page = page("configuration")
        let shown = try await folder.gatehouse("config", "check", "--json", examples + "/gatehouse.toml").json.first
        var count = 0
        for section in shown?.object?.members ?? [] {
            for key in section.value.object?.names ?? [] {
                count += 1
                #expect(page.contains("- `\(section.name).\(key)`: "), "\(section.name).\(key)")
            }
        }
        #expect(count > 80)
        #expect(!page.contains("### Other keys"), "a key without a comment in deploy/gatehouse.toml")
        #expect(page.contains("- `gate.pulse`: a duration from 50ms to 5s"))
        #expect(page.contains("; default: `\"200ms\"`"))
        #expect(page.contains("- `kiosk.name`: a text in quotes\n"), "required: no default")
    }

    @Test func everyKeyOfRulesAndTrustIsListed() {
        let policy = page("policy")
        for key in [
            "valid-until", "clock.max-unsynced", "replay.key", "deny.credentials", "accept.require", "accept.holder",
            "test.holder-proven", "starts-with", "on-or-before", "when-stale", "days",
        ] { #expect(policy.contains("- `\(key)`: "), "\(key)") }
        let trust = page("trust")
        #expect(!trust.contains("### Other keys"), "a key without a comment in deploy/issuers.toml")
        for key in ["issuer.id", "issuer.withheld-status", "issuer.issuing-country", "revoked-keys"] {
            #expect(trust.contains("- `\(key)`: "), "\(key)")
        }
        // Each key has the explanation above it, not the one above another key.
        let part = trust.components(separatedBy: "### `issuer.document-max-age`").last?.components(separatedBy: "###")
            .first
        #expect(part?.contains("The maximum age of the issuer's stored documents") == true, "\(part ?? "")")
    }

    @Test func everyCommandHasItsHelp() throws {
        let page = page("commands")
        for command in try CommandTree.read().all {
            let name = (["gatehouse"] + command.path).joined(separator: " ")
            let section = page.components(separatedBy: "## `\(name)`\n").dropFirst().first?.components(
                separatedBy: "\n## "
            ).first
            #expect(section?.contains("USAGE: \(name)") == true, "\(name)")
            for option in command.options.flatMap(\.names) {
                #expect(section?.contains(option) == true, "\(name) \(option)")
            }
        }
    }

    /// The sources write exactly the events on the page.
    @Test func everyEventOfTheSourcesIsListed() throws {
        let page = page("events")
        let listed = Set(
            page.components(separatedBy: "\n").filter { $0.hasPrefix("| `") }
                .compactMap { $0.components(separatedBy: "`").dropFirst().first })
        let sources = root.appendingPathComponent("Sources").resolvingSymlinksInPath()
        let files = FileManager.default.enumerator(atPath: sources.path)?.compactMap { $0 as? String } ?? []
        var written: Set<String> = []
        for file in files where file.hasSuffix(".swift") {
            let text = try String(contentsOf: sources.appendingPathComponent(file), encoding: .utf8)
            if file.hasSuffix("KioskNote.swift") {
                // The file has further types with a name after the notes.
                let names = text.components(separatedBy: "package var name").dropFirst().first.map {
                    $0.components(separatedBy: "\n    }")[0]
                }
                written.formUnion(
                    (names ?? "").components(separatedBy: "\"").enumerated().filter { $0.offset % 2 == 1 }.map(
                        \.element))
            }
            // The events that the sink itself reports.
            for record in text.components(separatedBy: ", event: \"").dropFirst() {
                written.insert(String(record.prefix { $0 != "\"" }))
            }
            // log.log(.level, "name", …), also over several lines; and what the sink itself writes.
            for call in text.components(separatedBy: "log(").dropFirst()
                + text.components(separatedBy: "write(bytes(").dropFirst()
            {
                let words = call.prefix(120).components(separatedBy: "\"")
                guard words.count > 1, words[0].filter({ $0 == "," }).count == 1,
                    words[0].contains(".") || words[0].contains("?")
                else { continue }
                let behind = words[0].components(separatedBy: ",").last ?? "x"
                if behind.allSatisfy({ $0.isWhitespace }) { written.insert(words[1]) }
            }
        }
        #expect(written.count > 30)
        #expect(
            written == listed, "rows of LogEvent: missing or left over \(written.symmetricDifference(listed).sorted())")
    }

    @Test func unreadableExamples() throws {
        let missing = Ending.inWorkshop("reference", "policy", "--examples", folder.path("nowhere"))
        #expect(missing.code == 2 && missing.output.isEmpty && missing.hasRemedy, "\(missing)")
        try FileManager.default.createDirectory(atPath: folder.path("broken"), withIntermediateDirectories: true)
        try folder.write("broken/policy.toml", "id = \n")
        let broken = Ending.inWorkshop("reference", "policy", "--examples", folder.path("broken"))
        #expect(broken.code == 2 && broken.errors.contains("broken/policy.toml:1"), "\(broken)")
        let absent = Ending.inWorkshop("reference", "commands", "--program", folder.path("nowhere"))
        #expect(absent.code == 2 && absent.output.isEmpty && absent.hasRemedy, "\(absent)")
        let silent = Ending.inWorkshop("reference", "commands", "--program", "/bin/true")
        #expect(silent.code == 2 && silent.output.isEmpty && silent.hasRemedy, "\(silent)")
        let page = Ending.inWorkshop("reference", "nonsense")
        #expect(page.code == 2 && page.errors.contains("configuration"), "\(page)")
    }
}
