import Credentials
import Encoding
import Foundation
import TestKit
import Testing

/// The table of reason codes against the one that the vectors document.
@Suite struct ReasonTableTests {
    @Test func rowsAreCompleteAndUnique() {
        #expect(Set(ReasonCode.all).count == ReasonCode.all.count)
        for code in ReasonCode.all {
            #expect(code.meaning.hasSuffix(".") && code.remedy.hasSuffix("."), "\(code)")
        }
    }

    /// Every code that a case wants exists, and every code of the README's table.
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
