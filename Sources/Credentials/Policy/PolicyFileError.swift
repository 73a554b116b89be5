/// Everything that is wrong with a policy file, found in one go.
package struct PolicyFileError: Error, Hashable, Sendable {
    /// One thing that is wrong.
    package struct Problem: Hashable, Sendable {
        /// The line in the file, from 1; nil when something is absent from the file as a whole.
        package let line: Int?
        /// What is wrong, in plain words.
        package let message: String
        /// What to write instead, in plain words.
        package let remedy: String

        /// A problem at that line.
        package init(line: Int?, message: String, remedy: String) {
            (self.line, self.message, self.remedy) = (line, message, remedy)
        }
    }

    /// In the order of their lines; never empty.
    package let problems: [Problem]

    /// An error of these problems.
    package init(problems: [Problem]) {
        self.problems = problems
    }
}
