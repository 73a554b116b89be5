import Foundation
import TestKit
import Testing

/// The tests named in the list of Bluetooth test cases exist.
@Suite struct BluetoothTestListTests {
    private let repository = Vectors.repository

    /// Returns the rows of the tables without their headers.
    private func rows() throws -> [[String]] {
        let page = try String(contentsOf: repository.appendingPathComponent("docs/bluetooth-tests.md"), encoding: .utf8)
        return page.components(separatedBy: "\n").filter { $0.hasPrefix("|") && $0.contains("/") }
            .map { $0.components(separatedBy: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
    }

    @Test func everyTestThatIsNamedExists() throws {
        let folder = repository.appendingPathComponent("Tests").resolvingSymlinksInPath()
        let files = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        var checked = 0
        for row in try rows() {
            try #require(row.count == 5, "\(row)")
            let tests = row[3].components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
            for test in tests {
                let parts = test.components(separatedBy: ".")
                let file = files.first { $0.hasSuffix("/\(parts[0]).swift") && !$0.hasPrefix("Fuzz/") }
                let path = try #require(file, "\(row[1]): no suite \(parts[0])")
                let text = try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
                #expect(parts.count == 2 && text.contains("func \(parts.last ?? "")("), "\(row[1]): \(test)")
                // Names in quotation marks after a test are rows of the test's table.
                let behind = row[3].components(separatedBy: "`\(test)`").dropFirst().joined()
                let quoted = behind.prefix { $0 != "`" }.components(separatedBy: "\"").enumerated()
                for (place, name) in quoted where place % 2 == 1 {
                    #expect(text.contains("\"\(name)\""), "\(row[1]): \(test) has no row \(name)")
                    checked += 1
                }
                checked += 1
            }
        }
        #expect(checked > 80)
    }

    /// Each case is listed once, in the form that the Bluetooth test suites use.
    @Test func everyCaseIsListedOnce() throws {
        var cases: [String] = []
        for row in try rows() {
            var group = ""
            for name in row[1].components(separatedBy: ", ").map({ $0.components(separatedBy: " ")[0] }) {
                if let slash = name.lastIndex(of: "/") { group = String(name[...slash]) }
                let number = name.components(separatedBy: "/").last ?? ""
                #expect(number.hasSuffix("-C") && (number.hasPrefix("BV-") || number.hasPrefix("BI-")), "\(name)")
                cases.append(group + number)
            }
        }
        #expect(cases.count > 150)
        #expect(Set(cases).count == cases.count)
    }
}
