/// All problems of a policy file, found in one pass.
package struct PolicyFileError: Error, Hashable, Sendable {
    /// One problem in a policy file.
    package struct Problem: Hashable, Sendable {
        /// The line in the file, from 1; nil if the problem concerns the file as a whole.
        package let line: Int?
        /// The problem in plain words.
        package let message: String
        /// The remedy in plain words.
        package let remedy: String

        /// Creates a problem at the line `line`, or without a line for the whole file.
        package init(line: Int?, message: String, remedy: String) {
            (self.line, self.message, self.remedy) = (line, message, remedy)
        }
    }

    /// The problems in the order of their lines. The list is never empty.
    package let problems: [Problem]

    /// Creates an error from its problems.
    package init(problems: [Problem]) {
        self.problems = problems
    }
}
