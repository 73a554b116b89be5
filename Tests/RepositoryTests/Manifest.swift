import Foundation

/// The targets of a package, read from the text of its `Package.swift`.
struct Manifest {
    /// A target of the package.
    struct Target: Hashable {
        /// The name, which is the module's for everything but executables.
        let name: String
        /// The folder of its sources, relative to the package.
        let folder: String
        /// The names of the targets and modules that it depends on.
        let dependencies: Set<String>
    }

    /// The targets in the order of the file.
    let targets: [Target]

    /// Reads a manifest. It understands the declarations of this repository: `.target(name:…)` and its kinds, and the
    /// functions `target`, `tests` and `example` of the manifest. Everything else is ignored.
    init(_ text: String) {
        let code = text.split(separator: "\n").map { $0.replacing(/(^|\s)\/\/.*/, with: "") }.joined(separator: "\n")
        let products = Dictionary(
            code.matches(of: /let (\w+): Target\.Dependency = \.product\(name: "(\w+)"/)
                .map { (String($0.1), String($0.2)) }, uniquingKeysWith: { first, _ in first })
        targets = code.matches(
            of:
                /(?:^|\s)(\.target|\.executableTarget|\.systemLibrary|target|tests|example)\(\s*(?:name: )?"([\w-]+)"(?=\s*[,)])/
        ).map { match in
            let arguments = Self.arguments(of: code[match.range.upperBound...])
            var dependencies = Self.dependencies(in: arguments, isNamed: match.1.hasPrefix("."), products)
            if match.1 == "tests" { dependencies.insert("TestKit") }
            let root = match.1 == "tests" ? "Tests" : match.1 == "example" ? "Examples" : "Sources"
            let path = arguments.firstMatch(of: /path: "([^"]+)"/).map { String($0.1) }
            return Target(
                name: String(match.2), folder: path ?? "\(root)/\(match.2)", dependencies: dependencies)
        }
    }

    /// Returns the rest of a call up to its closing parenthesis.
    private static func arguments(of rest: Substring) -> Substring {
        var depth = 1
        let end = rest.firstIndex { letter in
            if letter == "(" { depth += 1 }
            if letter == ")" { depth -= 1 }
            return depth == 0
        }
        return rest[..<(end ?? rest.endIndex)]
    }

    /// Returns the list that is named `dependencies`, or the first list of a call whose arguments have no names.
    private static func dependencies(
        in arguments: Substring, isNamed: Bool, _ products: [String: String]
    ) -> Set<String> {
        let start = isNamed ? arguments.firstRange(of: "dependencies: [") : arguments.firstRange(of: "[")
        guard let start else { return [] }
        let list = arguments[start.upperBound...].prefix { $0 != "]" }
        return Set(
            list.split { $0 == "," || $0.isWhitespace }.map { word in
                word.first == "\"" ? word.filter { $0 != "\"" } : products[String(word)] ?? String(word)
            })
    }
}

// MARK: - The graph

extension Manifest {
    /// Returns the names of all targets that the targets of those names need, themselves among them.
    func reached(from names: Set<String>) -> Set<String> {
        let arrows = Dictionary(targets.map { ($0.name, $0.dependencies) }, uniquingKeysWith: { $0.union($1) })
        var reached: Set<String> = []
        var next = names
        while !next.isEmpty {
            reached.formUnion(next)
            next = Set(next.flatMap { arrows[$0] ?? [] }).filter { arrows[$0] != nil }.subtracting(reached)
        }
        return reached
    }

    /// Returns all direct dependencies of the targets of those names.
    func dependencies(of names: Set<String>) -> Set<String> {
        Set(targets.filter { names.contains($0.name) }.flatMap(\.dependencies))
    }

    /// The targets that need themselves.
    var cycles: [String] {
        targets.filter { reached(from: $0.dependencies).contains($0.name) }.map(\.name)
    }

    /// Each dependency of the targets of those names that is below its target in the file.
    func upward(among names: Set<String>) -> [String] {
        targets.indices.flatMap { index in
            let above = Set(targets[..<index].map(\.name))
            let target = targets[index]
            guard names.contains(target.name) else { return [String]() }
            return target.dependencies.filter { names.contains($0) && !above.contains($0) }.sorted()
                .map { "\(target.name) depends on \($0)" }
        }
    }
}
