/// A rule of CONTRIBUTING.md about the form of the sources. Each finds the files that break it, with a number: how far,
/// or how often.
enum HouseRule: String, CaseIterable, Sendable, CustomStringConvertible {
    /// Lines over 120 columns, as far as they can be broken: comments and code.
    case longLines
    /// Lines over 120 columns that contain a string literal, which no formatter breaks.
    case longLiterals
    /// The lines of the longest function, over 70.
    case longFunctions
    /// The lines of a file, over 400.
    case longFiles
    /// Declarations with `package` that no other target uses.
    case needlessAccess
    /// Files of which no other file uses a declaration.
    case deadFiles

    var description: String { rawValue }

    /// Returns the number for each file that breaks the rule.
    func measure(_ tree: SourceTree) -> [String: Int] {
        let numbers =
            switch self {
            case .longLines: tree.files.mapValues { Self.longLines($0, withLiteral: false) }
            case .longLiterals: tree.files.mapValues { Self.longLines($0, withLiteral: true) }
            case .longFunctions: tree.files.mapValues(Self.longestFunction)
            case .longFiles: Self.longFiles(tree)
            case .needlessAccess: AccessRule(tree).needless.mapValues(\.count)
            case .deadFiles: DeadFileRule(tree).dead.reduce(into: [:]) { $0[$1] = 1 }
            }
        return numbers.filter { $0.value > 0 }
    }

    private static func longLines(_ source: SwiftSource, withLiteral: Bool) -> Int {
        source.lines.count { $0.width > HouseLimits.columns && $0.holdsLiteral == withLiteral }
    }

    private static func longestFunction(_ source: SwiftSource) -> Int {
        let longest = source.functions.map(\.lines).max() ?? 0
        return longest > HouseLimits.functionLines ? longest : 0
    }

    private static func longFiles(_ tree: SourceTree) -> [String: Int] {
        tree.files.mapValues(\.lines.count)
            .filter { $0.value > HouseLimits.fileLines }
    }
}
