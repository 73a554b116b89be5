import Foundation
import TestKit
import Testing

/// The floors of each target: its folders have an order, and a file names types of its own folder and of those below,
/// never of one above. So no folders form a cycle, and each target can be read from the lowest folder up.
@Suite struct FloorTests {
    /// The folders of each target from the lowest one up; "" holds the files that are in no folder. A target without
    /// folders has no row.
    static let floors: [String: [String]] = [
        "Encoding": ["Bytes", "Text", "Addresses", "Compression", "CBOR", "JSON", "Time", "TOML"],
        "LinkedData": ["RDF", "Canonicalization", "JSONLD", "Names"],
        "Credentials": [
            "Words", "Keys", "Certificates", "Claims", "Contexts", "Policy", "Trust", "Run", "Kind", "Shape", "Proof",
            "LinkedDataFormat", "Mdoc", "Tokens", "Envelope", "Status", "Presentations", "Needs", "",
        ],
        "BluetoothHost": ["Words", "GATT", "ATT", "HCI", "GAP", "L2CAP", "ACL", ""],
        "DIDComm": ["Keys", "Envelopes"],
        "Aries": ["Messages", "DIDs", "Protocols", "Handshakes", "Invitations", "Connection", "Reports"],
        "Mailboxes": ["Mailbox", "Mediator", "Agency"],
        "Ledger": ["Words", "Records", "Keeping", "Chain", "Witness", "Outbox", "Listing"],
        "Observation": ["Report", "", "Metrics", "Page"],
        "LinuxIO": ["System", "Service", "Control", "GPIO", "Transport"],
        "Displays": ["Scenes", "Devanagari", "Drawing", "Devices", "Voice"],
        "Store": ["", "Courier"],
        "Settings": ["Places", "Reading", "Sections", "Agents", ""],
        "TrustFiles": ["Directory", "Issuers", "Policy", "State"],
        "Courier": ["Notices", "Ports", "Core", "Links", "Mail", "Destinations", "", "Requests", "Servers"],
        "GateService": [
            "Verifying", "Radio", "Clock", "Lines", "Listeners", "Log", "Records", "Control", "Door", "Gatekeeper",
        ],
        "Features": ["Shared", "Wiegand", "Displays", "Voice", "Sticker", "Observation", "Fleet", ""],
        "Backup": ["", "Archive", "Making", "Restoring"],
        "Commissioning": ["Hardware", "Doctor", "Setup"],
        "Simulation": ["Words", "Rules", "Air", "Controller", "Wallet", "Phone", "CloudAgent", "", "Crowd"],
        "Workbench": ["", "Demo", "Bench", "Promises"],
        "Workshop": ["Bench", "Crowd", "Pages", "Wiring", ""],
        "gatehouse": ["Shared", "Run", "Agents", "Trust", "Demo", "SetUp", "Records", ""],
    ]

    /// The references to a folder above that remain. A number may only fall.
    static let remaining = ["LinkedData": 1]

    /// The folders of targets that have floors.
    private static let roots = ["Sources", "Tools"].map(Vectors.repository.appendingPathComponent)

    /// A source file with its folder and its words, without comments and string literals.
    private struct Source {
        let path: String
        let folder: String
        let words: Set<Substring>
        let declared: [String]
    }

    private static func sources(of target: String) throws -> [Source] {
        try roots.map { $0.appendingPathComponent(target) }.flatMap { folder in
            try swiftFiles(below: folder).map { file in
                source(
                    try String(contentsOf: file, encoding: .utf8), String(file.path.dropFirst(folder.path.count + 1)))
            }
        }
    }

    private static func source(_ text: String, _ path: String) -> Source {
        let code = text.split(separator: "\n", omittingEmptySubsequences: false).map(withoutCommentAndTexts)
        // A top-level type is declared at the left edge.
        let declared = code.compactMap { line -> String? in
            guard line.first?.isLetter == true else { return nil }
            return line.firstMatch(
                of:
                    #/
                    ^(?:(?:package|public|private|fileprivate|final|indirect)\s+)*
                    (?:struct|enum|class|protocol|typealias|actor)\s+([A-Z]\w*)
                    /#
            ).map { String($0.1) }
        }
        let isPrivate = code.filter { $0.hasPrefix("private") || $0.hasPrefix("fileprivate") }
        let hidden = Set(isPrivate.flatMap { $0.split { !$0.isLetter && !$0.isNumber }.map(String.init) })
        return Source(
            path: path, folder: path.contains("/") ? String(path.prefix { $0 != "/" }) : "",
            words: Set(code.flatMap { $0.split { !$0.isLetter && !$0.isNumber && $0 != "_" } }),
            declared: declared.filter { !hidden.contains($0) })
    }

    private static func withoutCommentAndTexts(_ line: Substring) -> String {
        let code = line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line
        return code.contains("\"") ? String(code).replacing(/"(?:[^"\\]|\\.)*"/, with: "") : String(code)
    }

    /// Returns each reference to a type of a higher folder, as `FILE names TYPE of FILE`.
    private static func upward(_ sources: [Source], _ floors: [String]) -> [String] {
        func floor(_ source: Source) -> Int { floors.firstIndex(of: source.folder) ?? floors.count }
        var homes: [Substring: Source] = [:]
        for source in sources { for type in source.declared { homes[Substring(type)] = source } }
        return sources.flatMap { source in
            source.words.sorted().compactMap { word in
                guard let home = homes[word], floor(home) > floor(source) else { return nil }
                return "\(source.path) names \(word) of \(home.path)"
            }
        }
    }

    @Test func everyTargetWithFoldersHasARow() throws {
        let targets = try Self.roots.flatMap { try FileManager.default.contentsOfDirectory(atPath: $0.path) }
        #expect(Set(targets).isSuperset(of: Self.floors.keys))
        #expect(Set(Self.floors.keys).isSuperset(of: Self.remaining.keys))
        var files = 0
        for target in targets {
            let sources = try Self.sources(of: target)
            files += sources.count
            let folders = Set(sources.map(\.folder))
            #expect(folders.subtracting(sources.isEmpty ? [] : Self.floors[target] ?? [""]).isEmpty, "\(target)")
            #expect(folders.isSuperset(of: Self.floors[target] ?? []), "\(target)")
        }
        #expect(files > 800)
    }

    @Test(arguments: floors.keys.sorted()) func noFileNamesAFolderAbove(target: String) throws {
        let floors = try #require(Self.floors[target])
        #expect(Set(floors).count == floors.count)
        let found = Self.upward(try Self.sources(of: target), floors)
        #expect(found.count == Self.remaining[target] ?? 0, "\(found.joined(separator: "\n"))")
    }

    /// The test detects what it searches for.
    @Test func aReferenceUpwardIsFound() {
        let above = Self.source("struct Roof {}\nprivate struct Nail {}\n", "Top/Roof.swift")
        let below = Self.source("// Roof\nlet a = \"Roof\"\nlet nail: Nail\n", "Cellar/Shelf.swift")
        let floors = ["Cellar", "", "Top"]
        #expect(Self.upward([above, below], floors).isEmpty)
        let wrong = Self.source("func f(_ roof: Roof?) {}\n", "Wall.swift")
        #expect(Self.upward([above, below, wrong], floors) == ["Wall.swift names Roof of Top/Roof.swift"])
        #expect(Self.upward([above, below, wrong], floors.reversed()).isEmpty)
    }
}
