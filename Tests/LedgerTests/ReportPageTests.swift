import Encoding
import Foundation
import TestKit
import Testing

@testable import Ledger

/// Compares `docs/protocols/reports.md` with the messages: bodies with their members in order, reports with
/// every member.
@Suite struct ReportPageTests {
    private func page() throws -> String {
        let file = Vectors.repository.appendingPathComponent("docs/protocols/reports.md")
        return try String(contentsOf: file, encoding: .utf8)
    }

    /// Returns the names in backticks in the table row that begins with `name`.
    private func names(_ name: String) throws -> [String] {
        let row = try page().components(separatedBy: "\n").first { $0.hasPrefix("| `\(name)` |") }
        return try #require(row).components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 1 }
            .map(\.element)
    }

    private func entries() throws -> (intent: LedgerEntry, outcome: LedgerEntry) {
        var head = LedgerHead(ledger: "l", point: .genesis(ledger: "l"))
        let intent = try head.appendIntent(Samples.visit(1), stamp: Samples.stamp())
        var outcome = Samples.accepted
        outcome.credential = Outcome.Credential(
            format: "ldp_vc", issuer: "i", types: [], name: "n", validFrom: Timestamp(seconds: 1),
            validUntil: Timestamp(seconds: 2))
        outcome.others = [Outcome.Credential(format: "ldp_vc", issuer: "o", types: ["t"])]
        (outcome.repeated, outcome.finding) = (1, "f")
        outcome.repeatedSpan = .zero...(.zero.advanced(by: .seconds(1)))
        return (intent, try head.appendOutcome(Samples.visit(1), outcome, stamp: Samples.stamp()).entry)
    }

    @Test func bodiesAreInTheirOrder() throws {
        let (intent, outcome) = try entries()
        for (kind, entry) in [("intent", intent), ("outcome", outcome)] {
            let members = try JSON.parse(entry.body).object?.members.map(\.name.string) ?? []
            let listed = try names(kind).dropFirst().filter { $0 != "predecessor" }
            #expect(members.count > 8 && Array(listed) == members, "\(kind)")
        }
    }

    @Test func everyMemberOfAReportIsSaid() throws {
        let report = try #require(Report.json(of: try entries().outcome, in: "l")?.object)
        let page = try page()
        let table = try #require(page.components(separatedBy: "## Reports").last)
        for member in report.members {
            #expect(table.contains("`\(member.name)`"), "\(member.name)")
            for inner in member.value.object?.members ?? [] {
                #expect(try names(member.name.string).contains(inner.name.string), "\(member.name).\(inner.name)")
            }
        }
        #expect(report.members.count == 23)
    }

    @Test func theChainIsThatOfThePage() throws {
        let page = try page()
        for words in ["gatehouse/ledger/genesis/1", "gatehouse/ledger/entry/1"] { #expect(page.contains(words)) }
    }
}
