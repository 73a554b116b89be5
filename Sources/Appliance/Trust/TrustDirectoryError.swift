/// What is wrong with a trust directory, all of it at once. A command ends with exit code 2 for it.
package struct TrustDirectoryError: Error, Hashable, Sendable {
    /// One thing that is wrong.
    package struct Problem: Hashable, Sendable {
        /// The file, relative to the directory.
        package let file: String
        /// The line in it, from 1, where it is known.
        package let line: Int?
        /// What is wrong, in plain words.
        package let message: String
        /// What to do about it, in plain words.
        package let remedy: String
    }

    /// The directory as it was given.
    package let directory: String
    /// Never empty.
    package let problems: [Problem]
}

extension TrustDirectoryError: CustomStringConvertible {
    /// The first thing that is wrong, and how many more there are: for a line of the log.
    package var summary: String { description.firstProblem(of: problems.count) }

    /// One line a problem: `directory/file:line: message. Remedy`.
    package var description: String {
        problems.map { problem in
            let line = problem.line.map { ":\($0)" } ?? ""
            return "\(directory)/\(problem.file)\(line): \(problem.message). \(problem.remedy)"
        }.joined(separator: "\n")
    }
}

extension String {
    /// The first of the lines that tell `count` problems, bounded, and how many more there are.
    func firstProblem(of count: Int) -> String {
        let first = split(separator: "\n").first.map { String($0.prefix(400)) } ?? ""
        return count > 1 ? "\(first) (and \(count - 1) more)" : first
    }
}
