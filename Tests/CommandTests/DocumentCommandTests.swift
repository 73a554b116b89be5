import Encoding
import Foundation
import TestKit
import Testing

/// Every command in a block of the documents is run: by this test, or by the file that the table names.
@Suite struct DocumentCommandTests {
    private let root = Vectors.repository

    /// A block of `sh` in a document.
    private struct Block {
        let document: String
        let commands: [String]
    }

    /// Documents whose blocks are run here, from top to bottom, in a folder with the files that they name.
    private static let isRun: Set = ["docs/formats.md", "docs/policy.md", "docs/trust.md"]

    /// The languages of blocks that contain no commands (`sh`).
    private static let isNoShell: Set = ["ini", "json", "text", "toml", "yaml"]

    /// Returns the blocks of all documents, except the pages that the program generates.
    private func blocks() throws -> [Block] {
        let here = try FileManager.default.contentsOfDirectory(atPath: root.path)
        let below = ["docs", "hardware", "deploy", "Examples"].flatMap { folder -> [String] in
            let entries = FileManager.default.enumerator(atPath: root.appendingPathComponent(folder).path)
            return (entries?.compactMap { $0 as? String } ?? []).map { folder + "/" + $0 }
        }
        let documents = (here + below).filter { $0.hasSuffix(".md") && !$0.hasPrefix("docs/reference/") }.sorted()
        var blocks: [Block] = []
        for document in documents {
            let text = try String(contentsOf: root.appendingPathComponent(document), encoding: .utf8)
            for (number, part) in text.components(separatedBy: "\n```").enumerated() where number % 2 == 1 {
                let language = part.prefix { $0 != "\n" }
                let lines = part.dropFirst(language.count).replacing("\\\n", with: " ").components(separatedBy: "\n")
                guard language == "sh" else {
                    let isKnown = Self.isNoShell.contains(String(language))
                    #expect(isKnown, "\(document): a block says what it is, ```sh if one types it: \(lines.prefix(2))")
                    continue
                }
                let commands = lines.map(Self.withoutComment).filter { !$0.isEmpty }
                blocks.append(Block(document: document, commands: commands))
            }
        }
        return blocks
    }

    private static func withoutComment(_ line: String) -> String {
        let end = line.range(of: " #")?.lowerBound ?? line.endIndex
        return (line.hasPrefix("#") ? "" : String(line[..<end])).trimmingCharacters(in: .whitespaces)
    }

    private typealias Table = DocumentCommandTable

    /// Returns why the command does not count as run; nil when it is run, or when the table gives a reason
    /// for not running it. Adds the row to `used`.
    private func complaint(_ command: DocumentCommand, _ tree: CommandTree, _ used: inout Set<String>) throws -> String?
    {
        func file(_ path: String) -> URL { root.appendingPathComponent(path) }
        if try String(contentsOf: file(Table.verbatim), encoding: .utf8).contains("'''\(command.line)'''") {
            return nil
        }
        if let row = Table.isNotRun.first(where: { command.text.hasPrefix($0.start) }) {
            used.insert(row.start)
            return nil
        }
        if let row = Table.isRead.first(where: { command.text.hasPrefix($0.start) }) {
            used.insert(row.start)
            let reads = try TestTexts(file(row.file)).has(words: [], phrases: [command.document, row.word])
            return reads ? nil : "\(row.file) does not read it"
        }
        // The longest match: the row of a subcommand takes precedence over the row of its group.
        let rows = Table.isTested.filter { command.text.hasPrefix($0.start) }
        guard let row = rows.max(by: { $0.start.count < $1.start.count }) else { return "no test runs it" }
        used.insert(row.start)
        let words = command.path(in: tree) + command.options
        let isTested = try TestTexts(file(row.file)).has(words: words, phrases: row.words)
        return isTested ? nil : "no test of \(row.file) has all of \(words + row.words)"
    }

    @Test func everyCommandIsRunSomewhere() throws {
        let (blocks, tree) = (try blocks(), try CommandTree.read())
        #expect(blocks.count >= 40)
        var used: Set<String> = []
        for block in blocks where !Self.isRun.contains(block.document) {
            for command in block.commands.flatMap({ DocumentCommand.all(in: $0, of: block.document) }) {
                if let complaint = try complaint(command, tree, &used) { Issue.record("\(command): \(complaint)") }
            }
        }
        let starts = Table.isTested.map(\.start) + Table.isRead.map(\.start) + Table.isNotRun.map(\.start)
        let unused = starts.filter { !used.contains($0) }
        #expect(unused.isEmpty, "rows without a command in the documents: \(unused)")
    }

    /// The check itself: it reports a command that no test runs, an untested option or subcommand, and a word
    /// that only another test contains.
    @Test(arguments: [
        ("sudo gatehouse door free --for 2h", true), ("sudo gatehouse door free --until 2h", false),
        ("gatehouse ledger export --csv --from 2026-11-01", true), ("gatehouse ledger export --csv --last 5", false),
        ("gatehouse ledger list", true), ("gatehouse ledger verify --key K --export e", true),
        ("gatehouse ledger verify --head H --csv", false), ("gatehouse trust keygen new.pem --bits 5", false),
        ("sudo gatehouse restore --check x.tar", true), ("sudo gatehouse restore --check --continue x.tar", false),
        ("sudo gatehouse setup --yes --name N", false), ("sudo gatehouse status --watch", false),
        ("systemctl stop gatehouse", true), ("systemctl stop --force gatehouse", false),
        ("systemctl mask gatehouse", false),
        ("swift build --scratch-path x --sanitize", false), ("psql -v ON_ERROR_STOP=1 -f schema.sql gates", true),
        ("psql -h db", false), ("date -u", true), ("date -u && wipe", false), ("curl http://localhost/", false),
    ])
    func aCommandWithoutATestIsReported(_ line: String, _ isGood: Bool) throws {
        let tree = try CommandTree.read()
        var used: Set<String> = []
        let complaints = try DocumentCommand.all(in: line, of: "docs/gate.md").compactMap {
            try complaint($0, tree, &used)
        }
        #expect(complaints.isEmpty == isGood, "\(complaints)")
    }

    /// The line of docs/observation.md, with a socket of the test.
    @Test(.tags(.realTime), .timeLimit(.minutes(2))) func theReportIsFetchedThroughTheSocket() async throws {
        let lines = try blocks().filter { $0.document == "docs/observation.md" }.flatMap(\.commands)
        let line = try #require(lines.first { $0.hasPrefix("curl --unix-socket ") })
        let folder = try Scratch()
        guard try await Program.run("sh", ["-c", "command -v curl"], in: folder).code == 0 else {
            return print("skipped: no curl")
        }
        let configuration = try folder.configuration(port: try closedPort())
        let command = line.replacing("/run/gatehouse/observe.sock", with: folder.path("observe.sock"))
        let ending = try await Program.run(
            "timeout", ["60", Program.gatehouse, "run", "--config", configuration], in: folder
        ) { id in
            var report: Ending?
            for _ in 0..<600 where report?.code != 0 {
                report = try await Program.run("sh", ["-c", command + " --silent"], in: folder)
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(report?.json.first?["name"] == "Test-Gate", "\(command): \(String(describing: report))")
            kill(id, SIGTERM)
        }
        #expect(ending.code == 0, "\(ending)")
    }

    /// A successful start does not show what the service did afterwards with a file that the block removes.
    @Test func noBlockRemovesAfterAStart() throws {
        for block in try blocks() {
            let start = block.commands.firstIndex { $0.contains("systemctl start") || $0.contains("systemctl restart") }
            let behind = start.map { Array(block.commands[$0...]) } ?? []
            #expect(!behind.contains { $0.contains("rm ") || $0.contains("-delete") }, "\(block.document): \(behind)")
        }
    }

    /// `ledger export` writes to standard output: on a terminal the records would be lost.
    @Test func exportsGoToAFile() throws {
        let exports = try blocks().flatMap(\.commands).filter { $0.contains("gatehouse ledger export") }
        #expect(exports.count >= 4 && exports.allSatisfy { $0.contains(" > ") }, "\(exports)")
    }

    /// Makes a folder with `pass.json`, `trust`, `policy.toml` and the other files that the documents name,
    /// and a PATH with the program.
    private func prepared() async throws -> (folder: Scratch, path: String) {
        let folder = try Scratch()
        #expect(try await folder.gatehouse("demo", "--export", "sample").code == 0)
        let (files, vectors) = (FileManager.default, root.appendingPathComponent("Tests/Vectors/vc/generated"))
        for (from, to) in [
            (folder.url.appendingPathComponent("sample/credential.json"), "pass.json"),
            (folder.url.appendingPathComponent("sample/trust"), "trust"),
            (root.appendingPathComponent("deploy/policy.toml"), "policy.toml"),
            (vectors.appendingPathComponent("roots/works-root.pem"), "works-ca.pem"),
            (vectors.appendingPathComponent("status/clear.json"), "list.json"),
        ] { try files.copyItem(at: from.resolvingSymlinksInPath(), to: URL(fileURLWithPath: folder.path(to))) }
        let key = "z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK"
        try folder.write(
            "works.json",
            """
            {"id": "did:web:works.example", "assertionMethod": ["did:web:works.example#1"], "verificationMethod": [{
            "id": "did:web:works.example#1", "type": "Ed25519VerificationKey2020", "controller": "did:web:works.example",
            "publicKeyMultibase": "\(key)"}]}
            """)
        try folder.write(
            "pass-v1.jsonld", "{\"@context\": {\"StaffPass\": \"https://works.example/ns#StaffPass\"}}\n")
        // A gate that accepts bundles of the operator's key, which is made here.
        let path = try await folder.programs([
            "gatehouse": "exec \"\(Program.gatehouse)\" \"$@\"", "sudo": "exec \"$@\" --config gate.toml",
        ])
        return (folder, path)
    }

    @Test(arguments: isRun) func theCommandsOf(_ document: String) async throws {
        let (folder, path) = try await prepared()
        var key = ""
        var count = 0
        for command in try blocks().filter({ $0.document == document }).flatMap(\.commands) {
            count += 1
            let line = command.replacingOccurrences(of: "--key KEY", with: "--key " + key)
            let ending = try await Program.run("sh", ["-c", line], in: folder, environment: ["PATH": path])
            // Exit code 1: something needs attention, for example a credential that has expired by now.
            let mayTell = [
                "gatehouse verify", "gatehouse trust verify", "gatehouse trust needs", "gatehouse policy check",
            ]
            #expect(
                ending.code == 0 || ending.code == 1 && mayTell.contains(where: line.hasPrefix), "\(line): \(ending)")
            guard line.contains("keygen") else { continue }
            key = ending.lines.first ?? ""
            try folder.write(
                "gate.toml",
                "[kiosk]\nname = \"A\"\n[trust]\nstate = \"state\"\nbundleKeys = [\"\(key)\"]\n")
        }
        #expect(count > 0)
    }
}
