/// The types that a source file declares and names.
enum DeclaredTypes {
    /// Returns the types that are declared at the left edge, and are visible in other files.
    static func names(in text: String) -> [String] {
        text.split(separator: "\n").filter { !$0.contains("private ") }.compactMap { line in
            line.firstMatch(of: /^(?:(?:package|final|indirect) )*(?:struct|enum|class|protocol|typealias|actor) (\w+)/)
                .map { String($0.1) }
        }
    }

    /// Returns the words of a text without its comments and literals.
    static func words(of text: String) -> Set<String> {
        Set(
            text.split(separator: "\n").flatMap { line in
                let code = line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line
                return String(code).replacing(/"(?:[^"\\]|\\.)*"/, with: "")
                    .split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)
            })
    }

    /// Returns the text as a release build sees it.
    static func withoutDebug(_ text: String) -> String {
        var isDebug = false
        return text.split(separator: "\n").filter { line in
            switch line.trimmingPrefix(while: \.isWhitespace) {
            case "#if DEBUG": isDebug = true
            case "#else", "#endif": isDebug = false
            default: return !isDebug
            }
            return false
        }.joined(separator: "\n")
    }
}
