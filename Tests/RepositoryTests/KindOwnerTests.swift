import Foundation
import TestKit
import Testing

/// One folder decides the kind of a signed thing: `Sources/Credentials/Kind`. Nothing else in `Credentials`
/// reads the type from a header or chooses by the members that distinguish kinds.
@Suite struct KindOwnerTests {
    private static let root = Vectors.repository.appendingPathComponent("Sources/Credentials")

    /// Returns whether a line determines the kind of a token: by the header's `typ` or `cty`, by the name of
    /// its type, or by one of the members that distinguish kinds.
    private static func asks(_ line: Substring) -> Bool {
        let code = line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line
        let words = [#""typ""#, #""cty""#, "TokenType.named"]
        if words.contains(where: { code.contains($0) }) { return true }
        return code.contains(#/\["(vct|vc|vp|_sd_alg|_sd|status_list)"\]\s*[!=]=\s*nil/#)
    }

    @Test func onlyOneFolderAsksWhatATokenIs() throws {
        let files = try #require(FileManager.default.enumerator(at: Self.root, includingPropertiesForKeys: nil))
        var (found, owned): ([String], Int) = ([], 0)
        for case let file as URL in files where file.pathExtension == "swift" {
            let path = String(file.path.dropFirst(Self.root.path.count + 1))
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter(Self.asks)
            if path.hasPrefix("Kind/") { owned += lines.count } else { found += lines.map { "\(path): \($0)" } }
        }
        #expect(owned > 5)
        #expect(found.isEmpty, "\(found.joined(separator: "\n"))")
    }

    /// The test detects what it searches for.
    @Test func aSecondAnswerIsFound() {
        #expect(Self.asks(#"if header["typ"]?.string == "vc+jwt" {"#))
        #expect(Self.asks(#"let isCredential = claims["vc"] != nil"#))
        #expect(!Self.asks(#"guard let inner = claims["vc"]?.object else {"#) && !Self.asks(#"// claims["vc"] == nil"#))
    }
}
