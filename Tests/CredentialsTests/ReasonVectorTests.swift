import Encoding
import Foundation
import Reasons
import TestKit
import Testing

/// Compares the table of reason codes with the one that the vectors document.
@Suite struct ReasonVectorTests {
    /// Every code that a case expects exists, and so does every code of the README's table.
    @Test func everyDocumentedCodeExists() throws {
        let known = Set(ReasonCode.all.map(\.text))
        guard let readme = Vectors.path("README.md") else { return }
        let text = String(decoding: try Vectors.bytes(readme), as: UTF8.self)
        let table = text.components(separatedBy: "## Stages and codes").last ?? ""
        var documented: Set<String> = []
        for row in table.components(separatedBy: "\n") where row.hasPrefix("| `") {
            var family = ""
            for name in row.components(separatedBy: "|")[1].components(separatedBy: "`") where name.contains(".") {
                if !name.hasPrefix(".") { family = String(name.prefix { $0 != "." }) }
                documented.insert(name.hasPrefix(".") ? family + name : name)
            }
        }
        #expect(documented.count > 50)
        #expect(documented.subtracting(known).isEmpty)
        for folder in ["vc/mosip", "vc/generated", "mdoc/generated", "sd-jwt/testcases"] {
            guard let path = Vectors.path(folder) else { continue }
            for item in try VerdictCase.all(in: path) {
                #expect(Set(item.wantedCodes).isSubset(of: known), "\(item.id): \(item.wantedCodes)")
            }
        }
    }
}
