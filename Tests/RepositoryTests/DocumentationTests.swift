import Foundation
import TestKit
import Testing

/// Every `package` or `public` declaration has a doc comment. Witnesses of well-known protocols are
/// documented by their protocols, and a row of the table of reasons consists of its documentation: the code, its
/// meaning and its remedy.
@Suite struct DocumentationTests {
    private let witnesses = [
        "static func ==", "static func <", "func hash(into", "var description", "var errorDescription",
        "init(stringLiteral", "init(integerLiteral", "init(booleanLiteral", "init(nilLiteral", "init(arrayLiteral",
        "init(dictionaryLiteral", "func advanced(by", "func duration(to", "var id:", "mutating func run()",
        "func run() async", "static let configuration", "= ReasonCode(",
    ]

    @Test func everyDeclarationBetweenModulesIsDocumented() throws {
        var checked = 0
        for file in swiftFiles(below: Vectors.repository.appendingPathComponent("Sources")) {
            let lines = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
            for (number, line) in lines.enumerated() where isDeclaration(line) {
                checked += 1
                let text = line.trimmingCharacters(in: .whitespaces)
                if witnesses.contains(where: text.contains) { continue }
                #expect(isDocumented(lines, number), "\(file.lastPathComponent):\(number + 1): \(text)")
            }
        }
        #expect(checked > 100)
    }

    private func isDeclaration(_ line: String) -> Bool {
        let words = line.trimmingCharacters(in: .whitespaces).split(separator: " ").map(String.init)
        guard let access = words.first(where: { !$0.hasPrefix("@") }), access == "package" || access == "public" else {
            return false
        }
        let kinds: Set = [
            "struct", "enum", "class", "actor", "protocol", "func", "var", "let", "typealias", "subscript", "extension",
            "macro",
        ]
        return words.contains { kinds.contains($0) && $0 != "extension" } || line.contains("package init")
            || line.contains("public init")
    }

    private func isDocumented(_ lines: [String], _ number: Int) -> Bool {
        var above = number - 1
        while above >= 0, lines[above].trimmingCharacters(in: .whitespaces).hasPrefix("@") { above -= 1 }
        return above >= 0 && lines[above].trimmingCharacters(in: .whitespaces).hasPrefix("///")
    }
}
