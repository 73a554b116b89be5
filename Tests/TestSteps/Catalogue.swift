/// Every test function of a bundle with its tags.
package struct Catalogue: Sendable {
    /// A test function.
    package struct Test: Hashable, Sendable {
        /// `Module.Suite/function()/File.swift:1:2`; the last part is the source location.
        package let id: String
        /// Its tags without the dot: `realTime`.
        package let tags: Set<String>

        /// Creates a test with that id.
        package init(id: String, tags: Set<String> = []) {
            (self.id, self.tags) = (id, tags)
        }

        /// The id without the source location.
        package var name: String { Self.withoutLastPart(id) }

        /// `Module.Suite`; for a function without a suite, its name.
        package var suite: String {
            let suite = Self.withoutLastPart(name)
            return suite.isEmpty ? name : suite
        }

        private static func withoutLastPart(_ path: String) -> String {
            path.split(separator: "/").dropLast().joined(separator: "/")
        }
    }

    /// The functions in the bundle's order.
    package private(set) var tests: [Test] = []

    /// An empty catalogue.
    package init() {}

    /// Adds a record; ignores one that is not a test function.
    package mutating func add(_ record: TestRecord) {
        guard record.kind == .test, record.payload.kind == "function", let id = record.payload.id else { return }
        tests.append(Test(id: id, tags: Set((record.payload.tags ?? []).map { String($0.drop { $0 == "." }) })))
    }

    /// Returns the tests whose names contain `part`; all tests for an empty text.
    package func only(_ part: String) -> Catalogue {
        var result = Catalogue()
        result.tests = part.isEmpty ? tests : tests.filter { $0.name.contains(part) }
        return result
    }
}
