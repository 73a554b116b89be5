import Encoding
import Foundation
import TestKit
import Testing

/// Everything that the documents name exists: files, commands, options, targets, types.
@Suite struct DocumentTests {
    private let root = Vectors.repository
    /// The folders that contain documents, each with its subfolders, in addition to the top folder.
    private static let folders = ["docs", "hardware", "deploy", "udev", "Examples"]
    private let documents: [String]

    init() throws {
        let root = Vectors.repository
        let here = try FileManager.default.contentsOfDirectory(atPath: root.path)
        let below = Self.folders.flatMap { folder -> [String] in
            let entries = FileManager.default.enumerator(atPath: root.appendingPathComponent(folder).path)
            return (entries?.compactMap { $0 as? String } ?? []).map { folder + "/" + $0 }
        }
        documents = (here + below).filter { $0.hasSuffix(".md") && $0 != "THIRD-PARTY-NOTICES.md" }.sorted()
    }

    private func text(_ name: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(name), encoding: .utf8)
    }

    private func exists(_ path: String, from folder: URL) -> Bool {
        FileManager.default.fileExists(atPath: folder.appendingPathComponent(path).path)
    }

    /// Returns the paths of all sources.
    private func swiftFiles(below folder: String = "Sources") -> [String] {
        let path = root.appendingPathComponent(folder).resolvingSymlinksInPath().path
        let entries = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        return entries.filter { $0.hasSuffix(".swift") }.map { "\(folder)/\($0)" }
    }

    /// Returns the texts between single backticks, outside code blocks.
    private func inlineCode(_ text: String) -> [String] {
        var isBlock = false
        return text.components(separatedBy: "\n").flatMap { line -> [String] in
            if line.hasPrefix("```") { isBlock.toggle() }
            guard !isBlock, !line.hasPrefix("```") else { return [] }
            return line.components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
        }
    }

    @Test func everyDocumentIsFound() {
        let some = [
            "README.md", "docs/reasons.md", "docs/protocols/tuvali.md", "docs/reference/events.md",
            "hardware/wiring.md",
        ]
        #expect(Set(some).isSubset(of: documents), "\(documents)")
    }

    @Test func everyLinkLeadsSomewhere() throws {
        var checked = 0
        for document in documents + ["THIRD-PARTY-NOTICES.md"] {
            let folder = root.appendingPathComponent(document).deletingLastPathComponent()
            for part in try text(document).components(separatedBy: "](").dropFirst() {
                let target = String(part.prefix { $0 != ")" && $0 != "#" && $0 != " " })
                if target.isEmpty || target.contains("://") { continue }
                checked += 1
                #expect(exists(target, from: folder), "\(document): \(target)")
            }
        }
        #expect(checked > 10)
    }

    @Test func everyPathInBackticksExists() throws {
        let tops = Set(try FileManager.default.contentsOfDirectory(atPath: root.path))
        var checked = 0
        for document in documents {
            let folder = root.appendingPathComponent(document).deletingLastPathComponent()
            for code in inlineCode(try text(document)) {
                let path = code.hasPrefix("sudo ") ? String(code.dropFirst(5)) : code
                guard !path.contains(where: { " <>*…|=".contains($0) }) else { continue }
                let isRepository = path.split(separator: "/").first.map { tops.contains(String($0)) } ?? false
                let isBeside = path.hasPrefix("./") || path.hasSuffix(".toml") && !path.contains("/")
                guard isRepository && path.contains("/") || isBeside && document.contains("/") else { continue }
                checked += 1
                #expect(
                    exists(path, from: isBeside ? folder : root)
                        || exists(path, from: root.appendingPathComponent("deploy")),
                    "\(document): \(path)")
            }
        }
        #expect(checked > 20)
    }

    /// `Gatekeeper`, `HCITransport`, `Visit.settle`: words in backticks that can only be names of this
    /// project.
    @Test func everyTypeInBackticksExists() throws {
        let names = try ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].flatMap { inlineCode(try text($0)) }
            .flatMap { $0.split(separator: ".").prefix(1) }.filter { name in
                name.allSatisfy { $0.isLetter || $0.isNumber } && name.first?.isUppercase == true
                    && name.dropFirst().contains { $0.isLowercase }
            }
        #expect(names.count > 3)
        let folders = ["Sources", "Tests/TestKit", "Tests/VirtualKit", "Tests/RepositoryTests"]
        let sources = try folders.flatMap { swiftFiles(below: $0) }.map { try text($0) }.joined()
        for name in Set(names) where !["String", "Swift"].contains(String(name)) {
            let isDeclared = ["struct", "enum", "class", "actor", "protocol", "extension", "case"].contains { kind in
                Self.has("\(kind) \(name)", in: sources)
            }
            #expect(isDeclared || exists("Sources/\(name)", from: root), "\(name)")
        }
    }

    /// Returns whether the sources contain that text. `String.contains` takes seconds for all sources.
    private static func has(_ text: String, in sources: String) -> Bool {
        sources.withCString { strstr($0, text) != nil }
    }

    @Test func everyCommandLineIsUnderstood() throws {
        let programs = [
            ("gatehouse", try CommandTree.read()), ("gatehouse-workshop", try CommandTree.readWorkshop()),
        ]
        var files =
            documents + [
                "deploy/gatehouse.toml", "deploy/gatehouse-setup.toml", "deploy/gatehouse-setup.service",
                "deploy/policy.toml", "deploy/gatehouse.service", "deploy/install",
                "deploy/gatehouse.1",
            ]
        files += swiftFiles() + swiftFiles(below: "Tools")
        for (program, tree) in programs {
            var checked = 0
            for file in files {
                for line in CommandLines.find(program, in: try text(file)) {
                    checked += 1
                    for words in CommandLines.alternatives(line) {
                        let complaint = tree.complaint(about: words)
                        #expect(complaint == nil, "\(file): \(program) \(words.joined(separator: " "))")
                    }
                }
            }
            #expect(checked > (program == "gatehouse" ? 15 : 3))
        }
    }

    @Test func everyMakeTargetExists() throws {
        let makefile = try text("Makefile").components(separatedBy: "\n")
        let targets = Set(
            makefile.compactMap { line -> Substring? in
                guard let colon = line.firstIndex(of: ":"), !line.hasPrefix("\t"), !line.hasPrefix("#") else {
                    return nil
                }
                return line[..<colon]
            })
        var checked = 0
        for document in documents {
            for part in try text(document).components(separatedBy: "make ").dropFirst() {
                let target = part.prefix { $0.isLowercase || $0.isNumber || $0 == "-" }
                let next = part.dropFirst(target.count).first
                // Only commands: in backticks, or followed by a variable.
                guard next == "`" || part.dropFirst(target.count).firstMatch(of: /^ [A-Z]+=/) != nil else { continue }
                checked += 1
                #expect(targets.contains(target), "\(document): make \(target)")
            }
        }
        #expect(checked >= 20)
    }

    @Test func theArgumentsOfMakeDemoAreUnderstood() throws {
        let tree = try CommandTree.read()
        let parts = try text("README.md").components(separatedBy: "DEMO_ARGUMENTS=\"").dropFirst()
        #expect(parts.count >= 3)
        for part in parts {
            let words = part.prefix { $0 != "\"" }.split(separator: " ").map(String.init)
            #expect(tree.complaint(about: ["demo"] + words) == nil, "\(words)")
        }
        // The README lists exactly the existing scenarios.
        let help = Ending.inProcess("demo", "--help").output
        let readme = try text("README.md")
        for scenario in DemoCommandTests.endings.map(\.scenario) {
            #expect(help.contains(scenario) && readme.contains(scenario), "\(scenario)")
        }
    }
}

/// Command lines in prose, code blocks and strings.
private enum CommandLines {
    /// Returns the words after the name of a program where they are a command: at the start of a line or of a
    /// text in backticks, also after `sudo` or a path.
    static func find(_ program: String, in text: String) -> [[String]] {
        var found: [[String]] = []
        for line in text.replacingOccurrences(of: "\\-", with: "-").components(separatedBy: "\n") {
            let pieces = line.components(separatedBy: "`")
            for (number, piece) in pieces.enumerated() {
                let isCode = number % 2 == 1
                guard isCode || pieces.count == 1 else { continue }
                if let words = command(piece, of: program, isCode: isCode) { found.append(words) }
            }
        }
        return found
    }

    /// Expands each word of the form `a|b` into two command lines.
    static func alternatives(_ words: [String]) -> [[String]] {
        words.reduce([[]]) { lines, word in
            let choices = word.contains("|") ? word.split(separator: "|").map(String.init) : [word]
            return lines.flatMap { line in choices.map { line + [$0] } }
        }
    }

    private static func command(_ piece: String, of program: String, isCode: Bool) -> [String]? {
        var text = piece[...]
        // A command may follow the prefixes of comments, configurations, echo and units.
        for prefix in [
            " ", "#", " ", "echo \"", " ", "ExecStart=", "Terminal.line(\"", "sudo ", "-u gatehouse ", "/usr/bin/",
        ] {
            while text.hasPrefix(prefix) { text = text.dropFirst(prefix.count) }
        }
        guard text.hasPrefix(program + " ") else { return nil }
        let words = split(text.dropFirst(program.count + 1))
        // Prose also begins with the name: "gatehouse verifies …".
        guard let first = words.first, isCode || first == first.lowercased(), first.first?.isLetter == true else {
            return nil
        }
        let known = [
            "demo", "run", "verify", "agent", "ledger", "policy", "reasons", "config", "status", "backup", "restore",
            "setup", "doctor", "bench", "crowd", "wiring", "reference", "linked-data",
        ]
        return isCode || known.contains(first) ? words : nil
    }

    /// Splits words as a shell would, up to a comment, a pipe or an ellipsis.
    private static func split(_ text: Substring) -> [String] {
        var words: [String] = []
        var word = ""
        var quote: Character?
        for character in text.replacingOccurrences(of: "\\(aq", with: "'") {
            if let open = quote {
                if character == open { quote = nil } else { word.append(character) }
            } else if character == "'" {
                quote = character
            } else if "\"#>;,".contains(character) {
                break
            } else if character == " " {
                if !word.isEmpty { words.append(word) }
                word = ""
            } else {
                word.append(character)
            }
        }
        if !word.isEmpty { words.append(word) }
        return words.filter { !$0.hasPrefix("…") }
    }
}
