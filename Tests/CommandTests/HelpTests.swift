import ArgumentParser
import Encoding
import Foundation
import TestKit
import Testing

@testable import gatehouse

/// `--help`, `--version`, wrong usage, and the manual page, for every command.
@Suite struct HelpTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    @Test func everyCommandExplainsItself() throws {
        let commands = try CommandTree.read().all
        #expect(commands.count >= 17)
        for command in commands {
            let ending = Ending.inProcess(command.path + ["--help"])
            #expect(ending.code == 0, "\(command.path)")
            #expect(ending.output.contains("USAGE: gatehouse " + command.path.joined(separator: " ")))
            #expect(ending.errors.isEmpty)
            #expect(
                ending.lines.allSatisfy { $0.hasPrefix("USAGE:") || $0.count <= 80 }, "fits a terminal of 80 columns")
            #expect(!command.abstract.isEmpty, "\(command.path)")
            for option in command.options { #expect(!option.help.isEmpty, "\(command.path) \(option.names)") }
        }
    }

    /// The help lists few enough commands for one screen, in groups. The commands of a group are in its folder.
    @Test func theHelpListsTheCommandsInGroups() throws {
        let folders = [
            "Demo": "Demo", "Set-up": "SetUp", "Run": "Run", "Trust": "Trust", "Records": "Records", "Agents": "Agents",
        ]
        let groups = Gatehouse.configuration.groupedSubcommands
        #expect(Gatehouse.configuration.ungroupedSubcommands.isEmpty && Set(groups.map(\.name)) == Set(folders.keys))
        let help = Ending.inProcess("--help").lines
        var listed: [String] = []
        for group in groups {
            let title = "\(group.name.uppercased()) SUBCOMMANDS:"
            let rows = help.drop { $0 != title }.dropFirst().prefix { $0.hasPrefix("  ") && !$0.hasPrefix("  See ") }
            let names = rows.filter { !$0.hasPrefix("   ") }.map { $0.dropFirst(2).prefix { $0 != " " } }
            let shown = group.subcommands.filter { $0.configuration.shouldDisplay }.map { $0._commandName }
            #expect(names.map(String.init) == shown, "\(group.name)")
            listed += shown
            let folder = try #require(folders[group.name])
            let entries = FileManager.default.enumerator(
                at: Vectors.repository.appendingPathComponent("Sources/gatehouse/" + folder),
                includingPropertiesForKeys: nil)
            let files = entries?.compactMap { $0 as? URL } ?? []
            let texts = try files.map { try String(contentsOf: $0, encoding: .utf8) }
            for command in group.subcommands {
                let isThere = texts.contains { $0.contains("commandName: \"\(command._commandName)\"") }
                #expect(isThere, "\(command._commandName) is not in \(folder)")
            }
        }
        #expect(listed.count <= 18 && Set(listed).count == listed.count)
        let hidden = Set(Gatehouse.configuration.subcommands.map { $0._commandName }).subtracting(listed)
        #expect(hidden == ["open-radio", "reset-radio", "release-lines"])
    }

    /// The other tests of this suite use the parser in this process; the program's output is the same.
    @Test(arguments: [
        ["--help"], ["trust", "list", "--help"], ["trust", "list", "--no-such-flag"], ["fly"], ["verify"],
    ])
    func theProgramSaysTheSame(_ words: [String]) async throws {
        let (program, here) = (try await folder.gatehouse(words), Ending.inProcess(words))
        #expect(program.isSame(as: here), "\(program)\n\(here)")
    }

    @Test func wrongFlagsAndCommands() throws {
        for command in try CommandTree.read().all {
            let ending = Ending.inProcess(
                command.path + Array(repeating: "x", count: min(command.positionals, 2)) + ["--no-such-flag"])
            #expect(ending.code == 2, "\(command.path): \(ending)")
            #expect(ending.output.isEmpty && ending.errors.contains("--no-such-flag"), "\(ending)")
        }
        #expect(Ending.inProcess("fly").code == 2)
    }

    @Test func wordsThatAreNoCommand() async throws {
        let cases: [(words: [String], says: String, meant: String?)] = [
            (["verfy", "pass.json"], "gatehouse has no command verfy", "did you mean gatehouse verify?"),
            (["trust", "verfiy"], "gatehouse trust has no command verfiy", "did you mean gatehouse trust verify?"),
            (["help", "statsu"], "gatehouse has no command statsu", "did you mean gatehouse status?"),
            (["help", "ledger", "lst"], "gatehouse ledger has no command lst", "did you mean gatehouse ledger list?"),
            (["help", "nonsense"], "gatehouse has no command nonsense", nil),
            (["z\u{1B}[2Jx"], "gatehouse has no command z?[2Jx", nil),
        ]
        for (words, says, meant) in cases {
            let ending = Ending.inProcess(words)
            #expect(ending.code == 2 && ending.output.isEmpty && ending.hasRemedy, "\(ending)")
            #expect(ending.errors.contains(says), "\(ending)")
            if let meant { #expect(ending.errors.contains(meant), "\(ending)") }
            #expect(ending.errors.contains("did you mean") == (meant != nil), "\(ending)")
            #expect(ending.errors.contains("--help"), "\(ending)")
        }
        for words in [["help"], ["help", "trust", "list"], ["trust"], ["trust", "--help"]] {
            #expect(try await folder.gatehouse(words).code == 0, "\(words)")
        }
    }

    /// Swift reads the arguments from /proc. Without it, every command would look like a call of help.
    @Test func withoutProcNoCheckIsGood() async throws {
        let script = "mount -t tmpfs none /proc 2>/dev/null || exit 77; exec \"$0\" ledger verify"
        let ending = try await Program.run("unshare", ["-rm", "sh", "-c", script, Program.gatehouse], in: folder)
        // This test is not possible where the user may not create a mount namespace.
        guard ending.code != 77, !ending.errors.contains("unshare:") else { return }
        #expect(ending.code == 2 && ending.output.isEmpty && ending.hasRemedy, "\(ending)")
        #expect(ending.errors.contains("/proc"), "\(ending)")
    }

    @Test func outputThatCannotBeWritten() async throws {
        let commands = ["--help", "config check gate.toml", "demo --fast", "verify gate.toml"]
        _ = try folder.configuration()
        for command in commands {
            let line = "\"$0\" \(command)"
            let full = try await Program.run("sh", ["-c", line + " > /dev/full", Program.gatehouse], in: folder)
            #expect(full.code == 2, "\(command): \(full)")
            #expect(full.errors == "gatehouse: cannot write the output: No space left on device\n", "\(full)")
            // A reader that ends early, with SIGPIPE ignored.
            let pipe = "trap '' PIPE; { \(line); echo $? > code; } | true; cat code"
            let gone = try await Program.run("sh", ["-c", pipe, Program.gatehouse], in: folder)
            #expect(gone.output == "2\n" || gone.output == "0\n" || gone.output == "1\n", "\(command): \(gone)")
            #expect(gone.errors.isEmpty, "\(gone)")
            // Closed standard streams: files that are opened later must not get their descriptor numbers.
            let closed = try await Program.run("sh", ["-c", line + " <&- >&- 2>&-", Program.gatehouse], in: folder)
            #expect(closed.code == (command.hasPrefix("verify") ? 1 : 0), "\(command): \(closed)")
        }
    }

    @Test func theVersion() async throws {
        let ending = try await folder.gatehouse("--version")
        #expect(ending.code == 0)
        let numbers = ending.output.trimmingCharacters(in: .newlines).split(separator: ".")
        #expect(numbers.count == 3 && numbers.allSatisfy { Int($0) != nil }, "\(ending)")
    }

    /// The manual has `gatehouse COMMAND` as a section heading for each command, with the command's options
    /// below it.
    @Test func theManualHasEveryCommandAndOption() throws {
        let file = Vectors.repository.appendingPathComponent("deploy/gatehouse.1")
        let text = try String(contentsOf: file, encoding: .utf8).replacingOccurrences(of: "\\-", with: "-")
        var sections: [(heading: String, options: Set<String>)] = []
        for line in text.split(separator: "\n") {
            if line.hasPrefix(".SS ") || line.hasPrefix(".SH ") { sections.append((String(line.dropFirst(4)), [])) }
            guard !sections.isEmpty, line.hasPrefix(".B") else { continue }
            let words = line.split { !$0.isLetter && $0 != "-" }.map(String.init)
            sections[sections.count - 1].options.formUnion(words.filter { $0.hasPrefix("--") })
        }
        let everywhere: Set = ["--help", "--version"]
        #expect(sections.contains { everywhere.isSubset(of: $0.options) })
        var documented: Set<String> = []
        for command in try CommandTree.read().all where command.isLeaf {
            let words = command.path.map { word in
                { (heading: String) in heading.split(separator: " ").contains { $0 == word } }
            }
            let section = sections.first { section in
                section.heading.hasPrefix("gatehouse ") && words.allSatisfy { $0(section.heading) }
            }
            let name = command.path.joined(separator: " ")
            guard let section else {
                Issue.record("the manual has no section for gatehouse \(name)")
                continue
            }
            documented.insert(section.heading)
            let options = Set(command.options.flatMap(\.names).filter { $0.hasPrefix("--") })
            let missing = options.subtracting(section.options).subtracting(everywhere)
            #expect(missing.isEmpty, "gatehouse \(name)")
        }
        // The manual names no command that does not exist. The options of one section may belong to several
        // commands.
        let known = Set(try CommandTree.read().all.flatMap(\.options).flatMap(\.names))
        for section in sections {
            #expect(section.options.subtracting(known).isEmpty, "\(section.heading)")
            if section.heading.hasPrefix("gatehouse ") { #expect(documented.contains(section.heading)) }
        }
    }

    @Test func theManualIsWellFormed() async throws {
        let file = Vectors.repository.appendingPathComponent("deploy/gatehouse.1").path
        guard try await Program.run("sh", ["-c", "command -v groff"], in: folder).code == 0 else {
            return print("skipped: no groff")
        }
        let ending = try await Program.run("groff", ["-man", "-Tutf8", "-ww", "-z", file], in: folder)
        #expect(ending.code == 0)
        #expect(ending.errors.isEmpty, "\(ending)")
    }

    @Test func theManualIsInstalled() async throws {
        let install = Vectors.repository.appendingPathComponent("deploy/install").path
        let ending = try await Program.run(
            install, ["--binary", Program.gatehouse], in: folder, environment: ["DESTDIR": folder.path("stage")])
        #expect(ending.code == 0, "\(ending)")
        for file in ["usr/share/man/man1/gatehouse.1.gz", "usr/lib/systemd/system/gatehouse.service"] {
            #expect(FileManager.default.fileExists(atPath: folder.path("stage/" + file)), "\(file)")
        }
        let installed = try await Program.run(folder.path("stage/usr/bin/gatehouse"), ["--version"], in: folder)
        #expect(installed.code == 0)
    }
}
