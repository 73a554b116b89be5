import Encoding
import Foundation
import TestKit
import Testing

/// `docs/handbook.md` has a complete section for each fault that the light can show.
@Suite struct HandbookTests {
    private func page() throws -> String {
        try String(contentsOf: Vectors.repository.appendingPathComponent("docs/handbook.md"), encoding: .utf8)
    }

    /// Returns the sections by their code.
    private func sections() throws -> [String: String] {
        let parts = try page().components(separatedBy: "\n### `").dropFirst()
        #expect(Set(parts.map { $0.prefix { $0 != "`" } }).count == parts.count, "a code has two sections")
        return Dictionary(parts.map { (String($0.prefix { $0 != "`" }), $0) }) { $1 }
    }

    @Test func everyFaultHasItsSection() throws {
        let rows = Ending.inProcess("reasons", "--json").json.compactMap { $0["code"]?.string?.string }
        let faults = rows.filter { $0.hasPrefix("fault.") || $0.hasPrefix("door.") }
        let wanted = Set(faults + ["gate.unavailable", "ledger.unavailable"])
        #expect(wanted.count > 30)
        let sections = try sections()
        #expect(
            Set(sections.keys) == wanted, "missing or left over: \(wanted.symmetricDifference(sections.keys).sorted())")
        for (code, text) in sections {
            for part in ["Light", "Causes", "Do", "Gone when"] {
                #expect(text.contains("\n- **\(part):** "), "\(code): \(part)")
            }
        }
    }

    /// The page names the red and amber light for exactly those faults with which no visitor can be served.
    @Test func theLightIsTheRightOne() throws {
        let red = try sections().filter { $0.value.contains("- **Light:** red and amber in turn") }.keys
        #expect(
            Set(red) == [
                "fault.radio", "gate.unavailable", "fault.gate-stuck", "fault.ledger-unopened", "fault.ledger-replaced",
            ])
    }

    /// Each code that says why radio or lines are out of order has a row below its fault, and no other code
    /// has one there.
    @Test func everyCauseHasItsRow() throws {
        let rows = Ending.inProcess("reasons", "--json").json
        for fault in ["fault.radio", "fault.gpio"] {
            let causes = rows.filter { $0["refines"]?.string == Text(fault) }.compactMap { $0["code"]?.string?.string }
            let told = try #require(try sections()[fault]).components(separatedBy: "\n| `").dropFirst()
            #expect(told.map { String($0.prefix { $0 != "`" }) }.sorted() == causes.sorted() && causes.count > 7)
        }
    }

    /// Every pattern of the light has a row, under its name in the log.
    @Test func everyPatternHasItsRow() throws {
        let source = Vectors.repository.appendingPathComponent("Sources/Kiosk/Indicator.swift")
        let text = try String(contentsOf: source, encoding: .utf8)
        let cases = text.components(separatedBy: "package enum IndicatorPattern").last?.components(
            separatedBy: "struct Step"
        ).first
        let names = (cases ?? "").components(separatedBy: "\n").filter { $0.hasPrefix("    case ") }.map {
            $0.dropFirst(9)
        }
        #expect(names.count == 12)
        for name in names { #expect(try page().contains("| `\(name)` |"), "\(name)") }
    }
}
