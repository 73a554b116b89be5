/// All problems of a trust directory. A command ends with the exit code 2 for this error.
package struct TrustDirectoryError: Error, Hashable, Sendable {
    /// One problem in a trust directory.
    package struct Problem: Hashable, Sendable {
        /// The path of the file, relative to the directory.
        package let file: String
        /// The line in the file, from 1; nil if it is unknown.
        package let line: Int?
        /// The problem, in plain words.
        package let message: String
        /// The remedy, in plain words.
        package let remedy: String
    }

    /// The path of the directory, as the caller named it.
    package let directory: String
    /// The problems. There is at least one.
    package let problems: [Problem]
}

extension TrustDirectoryError: CustomStringConvertible {
    /// The first problem and the number of further problems, for a line of the log.
    package var summary: String { description.firstProblem(of: problems.count) }

    /// One line for each problem: `directory/file:line: message. Remedy`.
    package var description: String {
        problems.map { problem in
            let line = problem.line.map { ":\($0)" } ?? ""
            return "\(directory)/\(problem.file)\(line): \(problem.message). \(problem.remedy)"
        }.joined(separator: "\n")
    }
}

extension String {
    /// Returns the first line of a description of `count` problems, at most 400 characters, and the number of further
    /// problems.
    func firstProblem(of count: Int) -> String {
        let first = split(separator: "\n").first.map { String($0.prefix(400)) } ?? ""
        return count > 1 ? "\(first) (and \(count - 1) more)" : first
    }
}
