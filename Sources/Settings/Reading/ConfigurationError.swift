package import Encoding

/// All problems of a configuration file, found in one pass. The command line ends with the exit code 2 for this
/// error.
package struct ConfigurationError: Error, Hashable, Sendable {
    /// One problem in a configuration.
    package struct Problem: Hashable, Sendable {
        /// The line in the file, from 1; nil if the key is missing or its line is unknown.
        package var line: Int?
        /// The dotted key, for example `gate.pulse`; empty if the problem concerns the whole file.
        package var key: String
        /// The problem, in plain words. It follows the key.
        package var message: String
        /// The remedy in plain words: what to write instead.
        package var remedy: String

        /// Creates a problem of the value of `key`.
        package init(line: Int? = nil, key: String, message: String, remedy: String) {
            (self.line, self.key, self.message, self.remedy) = (line, key, message, remedy)
        }
    }

    /// The path of the file, as the caller named it.
    package let file: String
    /// The problems, ordered by their lines. There is at least one.
    package let problems: [Problem]
}

extension ConfigurationError: CustomStringConvertible {
    /// One line for each problem: `file:line: key: message. Remedy`.
    package var description: String {
        problems.map { problem in
            let place = problem.line.map { "\(file):\($0)" } ?? file
            let key = problem.key.isEmpty ? "" : "\(problem.key): "
            return "\(place): \(key)\(problem.message). \(problem.remedy)"
        }.joined(separator: "\n")
    }

    /// The machine-readable form: `{"file", "problems": [{"line"?, "key", "message", "remedy"}]}`.
    package var json: JSON {
        let list = problems.map { problem in
            var object: JSONObject = [:]
            object["line"] = problem.line.map { .int($0) }
            object["key"] = .text(problem.key)
            object["message"] = .text(problem.message)
            object["remedy"] = .text(problem.remedy)
            return JSON.object(object)
        }
        return ["file": .text(file), "problems": .array(list)]
    }
}
