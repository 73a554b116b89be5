import Foundation
import TestKit
import Testing

/// One table knows the outputs of the gate: `Sources/Kiosk/OutputRole.swift`. Other code uses the table, so a further
/// lamp or relay is one more row. A file that names a single output is listed here with its reason.
@Suite struct OutputOwnerTests {
    private static let owner = "Sources/Kiosk/OutputRole.swift"

    /// The files that name single outputs, and which.
    private static let exceptions: [String: Set<String>] = [
        // The gate's relay is the output whose openings are observed.
        "Sources/GateService/Lines/PanelSetup.swift": ["gateRelay"],
        // Some boards keep the gate's relay energised after a crash.
        "Sources/Commissioning/Doctor/Doctor+Lines.swift": ["gateRelay"],
        // Free passage needs its output; the rules do not depend on the table.
        "Sources/Settings/Sections/DoorSection.swift": ["freeRelay"],
        "Sources/Simulation/Rules/DoorRules.swift": ["freeRelay"],
    ]

    /// The only other file that has keys of outputs as literals: it reads the wires with their frame.
    private static let reader = "WiegandSection.swift"

    /// The cases of the table with their keys.
    private static func cases(_ source: String) -> [(name: String, key: String)] {
        source.matches(of: #/case (\w+) = "([^"]+)"/#).map { (String($0.1), String($0.2)) }
    }

    /// Returns the names of `cases` that the code of a file uses.
    private static func named(_ cases: [String], in source: SwiftSource) -> Set<String> {
        source.lines.reduce(into: []) { found, line in
            // Most lines need no regular expression, which is slow.
            guard cases.contains(where: line.code.contains) else { return }
            for match in line.code.matches(of: #/\.(\w+)\b/#.wordBoundaryKind(.simple))
            where cases.contains(String(match.1)) {
                found.insert(String(match.1))
            }
        }
    }

    @Test func onlyTheTableKnowsTheOutputs() throws {
        let text = try String(
            decoding: Vectors.bytes(Vectors.repository.appendingPathComponent(Self.owner)), as: UTF8.self)
        let cases = Self.cases(text)
        #expect(cases.count > 8)
        let keys = Set(cases.map(\.key))
        var (found, spelled): ([String: Set<String>], [String]) = ([:], [])
        for (path, source) in SourceTree.repository.files where path.hasPrefix("Sources/") && path != Self.owner {
            let names = Self.named(cases.map(\.name), in: source)
            if !names.isEmpty { found[path] = names }
            if source.literals.contains(where: { keys.contains($0.text) }) { spelled.append(path) }
        }
        #expect(found == Self.exceptions)
        #expect(spelled.map { String($0.split(separator: "/").last ?? "") } == [Self.reader])
    }

    /// The test detects what it searches for.
    @Test func aSecondTableIsFound() {
        let cases = Self.cases("    case redLamp = \"indicator.red\"\n    case gateRelay = \"gate.line\"\n")
        #expect(cases.map(\.key) == ["indicator.red", "gate.line"])
        let names = cases.map(\.name)
        let source = SwiftSource("switch role {\ncase .redLamp: 1\ncase .gateRelays: 2  // .gateRelay\n}\n")
        #expect(Self.named(names, in: source) == ["redLamp"])
    }
}
