import Encoding
import Foundation
import TestKit
import Testing

/// The comparison with other verifiers: every line names a case that runs and that expects what the line
/// claims.
@Suite struct ComparisonTests {
    private struct Row {
        let claim: String
        let folder: String
        let id: String
    }

    private func rows() throws -> [Row] {
        let page = try String(
            contentsOf: Vectors.repository.appendingPathComponent("docs/comparison.md"), encoding: .utf8)
        return page.components(separatedBy: "\n").compactMap { line in
            let cells = line.components(separatedBy: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 8, cells[6].hasPrefix("`") else { return nil }
            let path = cells[6].trimmingCharacters(in: CharacterSet(charactersIn: "`"))
            let parts = path.split(separator: "/", omittingEmptySubsequences: false)
            return Row(
                claim: cells[1], folder: parts.dropLast().joined(separator: "/"), id: String(parts.last ?? ""))
        }
    }

    @Test func everyLineNamesACaseThatIsRun() throws {
        let rows = try rows()
        #expect(rows.count >= 15)
        for row in rows {
            let file = Vectors.repository.appendingPathComponent("Tests/Vectors/\(row.folder)/cases.json")
            let cases = try JSON.parse([UInt8](Data(contentsOf: file))).array ?? []
            let named = cases.filter { row.id.isEmpty || $0["id"]?.string?.string == row.id }
            #expect(!named.isEmpty, "\(row.claim): no case \(row.id) in \(row.folder)")
            #expect(named.contains { $0["scope"]?.string != "out" }, "\(row.claim): the case is not run")
        }
    }

    /// A line about a refusal must name a case that is refused.
    @Test func refusalsRestOnRefusals() throws {
        for row in try rows() where ["refused", "must", "Only", "never", "limit"].contains(where: row.claim.contains) {
            let file = Vectors.repository.appendingPathComponent("Tests/Vectors/\(row.folder)/cases.json")
            let cases = try JSON.parse([UInt8](Data(contentsOf: file))).array ?? []
            let decision = cases.first { $0["id"]?.string?.string == row.id }?["expect"]?["decision"]?.string
            #expect(decision == "reject", "\(row.claim): \(row.id)")
        }
    }
}
