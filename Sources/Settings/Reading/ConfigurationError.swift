package import Encoding

/// All problems of a configuration, found in one pass. The command line exits with code 2 for this error.
package struct ConfigurationError: Error, Hashable, Sendable {
    /// One problem in a configuration.
    package struct Problem: Hashable, Sendable {
        /// The line in the file, from 1; nil when the key is absent or cannot be located.
        package var line: Int?
        /// The key with its sections, e.g. `gate.pulse`; empty for the file as a whole.
        package var key: String
        /// The fault, in plain words.
        package var message: String
        /// The remedy: what to write instead, in plain words.
        package var remedy: String

        /// Creates a problem of the value of `key`.
        package init(line: Int? = nil, key: String, message: String, remedy: String) {
            (self.line, self.key, self.message, self.remedy) = (line, key, message, remedy)
        }
    }

    /// The file's path as it was given.
    package let file: String
    /// The problems in the order of their lines. The list is never empty.
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
