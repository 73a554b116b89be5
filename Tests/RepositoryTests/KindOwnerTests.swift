import Foundation
import TestKit
import Testing

/// What a signed thing is has one owner: `Sources/Credentials/Kind`. Nothing else of `Credentials` asks a header for
/// its type or chooses by the members that tell kinds apart.
@Suite struct KindOwnerTests {
    private static let root = Vectors.repository.appendingPathComponent("Sources/Credentials")

    /// Where a line asks what a token is: for the header's `typ` or `cty`, for the name of its type, or whether it has
    /// one of the members that tell.
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

    /// The test finds what it looks for.
    @Test func aSecondAnswerIsFound() {
        #expect(Self.asks(#"if header["typ"]?.string == "vc+jwt" {"#))
        #expect(Self.asks(#"let isCredential = claims["vc"] != nil"#))
        #expect(!Self.asks(#"guard let inner = claims["vc"]?.object else {"#) && !Self.asks(#"// claims["vc"] == nil"#))
    }
}
