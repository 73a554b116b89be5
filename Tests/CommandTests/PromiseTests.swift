import Foundation
import TestKit
import Testing

/// `docs/promises.md`: each promise names tests, and each of these tests exists.
@Suite struct PromiseTests {
    @Test func everyPromiseNamesTestsThatExist() throws {
        let root = Vectors.repository
        let page = try String(contentsOf: root.appendingPathComponent("docs/promises.md"), encoding: .utf8)
        let lines = page.components(separatedBy: "\n")
        let rows = lines.drop { $0 != "| promise | held by | tests |" }.dropFirst(2).prefix { $0.hasPrefix("| ") }
        #expect(rows.count >= 20)
        for row in rows {
            let cells = row.components(separatedBy: " | ")
            #expect(cells.count == 3, "\(row)")
            let tests = (cells.last ?? "").components(separatedBy: "; ")
            for test in tests {
                let names = test.components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
                guard names.count == 2 else {
                    Issue.record("not a file and a test: \(test)")
                    continue
                }
                let source = try? String(contentsOf: root.appendingPathComponent(names[0]), encoding: .utf8)
                let parts = source?.components(separatedBy: "func \(names[1])(") ?? []
                #expect(parts.count == 2 && parts[0].suffix(400).contains("@Test"), "\(names[0]): \(names[1])")
            }
        }
    }
}
