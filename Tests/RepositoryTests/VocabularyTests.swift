import Foundation
import Reasons
import TestKit
import Testing

/// One table of reasons: `Sources/Reasons` contains every code once, and all other code refers to it.
@Suite struct VocabularyTests {
    private static let sources = Vectors.repository.appendingPathComponent("Sources").resolvingSymlinksInPath()
    /// The files of the product and of the repository's tools.
    private static let files =
        swiftFiles(below: sources) + swiftFiles(below: Vectors.repository.appendingPathComponent("Tools"))
    private static let words = sources.path + "/Reasons/"
    /// The files that spell keys of `gatehouse.toml`. A key begins with the name of its section, and some of these names
    /// are also families of codes.
    private static let keys = Set(
        [
            "Settings/Configuration.swift", "Kiosk/OutputRole.swift",
            "Settings/NamedPlace+Configuration.swift", "Settings/Places/NamedPlace.swift",
            "Settings/Places/SetupPlaces.swift", "Settings/Sections/DoorSection.swift",
            "Settings/Sections/Sections+Hardware.swift", "Settings/Sections/Sections+Service.swift",
            "Settings/Sections/Sections+Trust.swift", "Settings/Sections/UsedFiles.swift",
            "Features/Wiegand/WiegandSection.swift", "Commissioning/Setup/SetupDraft.swift",
        ].map { "\(sources.path)/\($0)" })
    private static let codes = Set(ReasonCode.all.map(\.text))
    /// The parts of the codes before their first dot.
    private static let families = Set(codes.filter { $0.contains(".") }.map { String($0.prefix { $0 != "." }) })

    /// Names of events in the log and in `--json` output that look like codes: they name an event, not a
    /// reason.
    private static let events: Set = [
        "ledger.head", "ledger.removed", "transfer.started", "transfer.progress", "transfer.received", "ledger.failed",
        "policy.group-unknown", "policy.not-kept", "trust.refreshed", "trust.refresh-failed", "trust.changed",
        "trust.not-kept", "radio.ready", "radio.failed", "radio.lapsed", "radio.adapter-reset", "radio.phones",
        "radio.bluetoothd-stopped",
        "radio.violation", "door.mode", "door.passage", "door.not-passed", "door.exit-request", "door.ordered",
    ]

    /// A key of the configuration that a page about wiring names.
    private static let keysElsewhere: Set = ["gpio.chip"]

    /// Returns the codes that a source outside the table spells out, with their lines.
    private static func faults(in source: String) -> [String] {
        var faults: [String] = []
        for literal in SwiftSource(source).literals {
            // The name of a JSON member is not a code: {"interrupted": 3}.
            if literal.next == ":", !literal.text.contains(".") { continue }
            let isKnown = events.contains(literal.text) || keysElsewhere.contains(literal.text)
            if codes.contains(literal.text) || isCodeShaped(literal.text) && !isKnown {
                faults.append("\(literal.line): \"\(literal.text)\"")
            }
        }
        for (number, line) in source.components(separatedBy: "\n").enumerated()
        where ["Reason(\"", "ReasonCode("].contains(where: line.contains) {
            faults.append("\(number + 1): \(line)")
        }
        return faults
    }

    /// Returns whether a text is a family (for example `transfer`), a dot, and more letters or an
    /// interpolation.
    private static func isCodeShaped(_ text: String) -> Bool {
        guard let dot = text.firstIndex(of: "."), families.contains(String(text[..<dot])) else { return false }
        let rest = text[text.index(after: dot)...]
        return rest.hasPrefix("\\(")
            || rest.allSatisfy { $0.isLetter || $0.isNumber || "-_.".contains($0) }
                && !["json", "toml", "pem", "cbor"].contains(rest)
    }

    @Test func noCodeIsWrittenASecondTime() throws {
        var checked = 0
        for file in Self.files where !file.path.hasPrefix(Self.words) {
            checked += 1
            let faults = Self.faults(in: try String(contentsOf: file, encoding: .utf8))
            if Self.keys.contains(file.path) {
                #expect(!faults.isEmpty, "\(file.lastPathComponent) spells no keys: remove its row")
            } else {
                #expect(
                    faults.isEmpty, "\(file.lastPathComponent): refer to the row of ReasonCode in place of \(faults)")
            }
        }
        #expect(checked > 200)
    }

    @Test func aSecondSpellingIsFound() {
        let planted = [
            "let a = \"validity.expired\"", "fail(\"internal\")", "let b = \"transfer.\\(code.rawValue)\"",
            "let c = \"policy.\" + rule", "return \"\\(isRight ? \"ok\" : \"x\")\"", "log(\"ledger.full\")",
            "Outcome.Reason(\"anything\")", "ReasonCode(text, meaning, remedy)",
        ]
        for line in planted { #expect(!Self.faults(in: line).isEmpty, "\(line)") }
        let lawful = [
            "// \"validity.expired\"", "let a = \"trust.changed\"", "[\"interrupted\": 3]", "\"validity\"",
            "Reason(.ok)", "\"\"\"\nvalidity.expired\n\"\"\"",
        ]
        for line in lawful { #expect(Self.faults(in: line).isEmpty, "\(line)") }
    }

    @Test func everyRowIsInTheTableOnce() throws {
        var rows = 0
        var literals: [String: Int] = [:]
        for file in swiftFiles(below: URL(fileURLWithPath: Self.words)) {
            let source = try String(contentsOf: file, encoding: .utf8)
            rows += source.components(separatedBy: "static let ").dropFirst().count { declaration in
                declaration.prefix { $0 != "\n" }.contains("= ReasonCode(")
            }
            for literal in SwiftSource(source).literals { literals[literal.text, default: 0] += 1 }
        }
        // All rows except the family of the policy's rules, which is made from its prefix.
        let fixed = ReasonCode.all.filter { $0 != .policy(named: "<id>") }
        #expect(rows == fixed.count)
        #expect(fixed.count > 80)
        for row in fixed {
            let isTuvali = row.refines == nil && row.mosip.map { row.text.hasSuffix("." + $0) } ?? false
            #expect(literals[isTuvali ? row.mosip ?? "" : row.text] == 1, "\(row)")
        }
    }

    @Test func eventsExistAndAreNoReasons() throws {
        #expect(Self.events.union(Self.keysElsewhere).isDisjoint(with: Self.codes))
        let sources = try Self.files.map { try String(contentsOf: $0, encoding: .utf8) }
        for event in Self.events { #expect(sources.contains { $0.contains("\"\(event)\"") }, "\(event)") }
    }
}
