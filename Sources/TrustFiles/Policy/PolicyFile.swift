package import Credentials
package import Encoding
import Foundation
import LinuxIO
import Settings

/// All problems of a policy file. A command ends with the exit code 2 for this error.
package struct PolicyLoadError: Error, Hashable, Sendable {
    /// The path of the policy file, as the operator named it.
    package let file: String
    /// The problems, ordered by their lines. There is at least one.
    package let problems: [PolicyFileError.Problem]
}

extension PolicyLoadError {
    /// Returns the error for a policy file that does not exist or cannot be read.
    package static func unreadable(_ file: String) -> PolicyLoadError {
        let obstacle = FileObstacle(file)
        let remedy = obstacle?.remedy ?? "Check the path and the file's permissions."
        return PolicyLoadError(
            file: file, problems: [.init(line: nil, message: obstacle?.text ?? "cannot be read", remedy: remedy)])
    }

    /// The first problem and the number of further problems, for a line of the log.
    package var summary: String { description.firstProblem(of: problems.count) }
}

extension PolicyLoadError: CustomStringConvertible {
    /// One line for each problem: `file:line: message. Remedy`.
    package var description: String {
        problems.map { problem in
            let line = problem.line.map { ":\($0)" } ?? ""
            return "\(file)\(line): \(problem.message). \(problem.remedy)"
        }.joined(separator: "\n")
    }

    /// The error in JSON: `{"file", "problems": [{"line"?, "message", "remedy"}]}`.
    package var json: JSON {
        ["file": .text(file), "problems": .array(problems.map(\.json))]
    }
}

extension PolicyFileError.Problem {
    /// The problem in JSON: `{"line"?, "message", "remedy"}`.
    package var json: JSON {
        var object: JSONObject = [:]
        object["line"] = line.map { .int($0) }
        object["message"] = .text(message)
        object["remedy"] = .text(remedy)
        return .object(object)
    }
}

/// Reads policy files.
package enum PolicyFile {
    /// The maximum size of a policy file in bytes. The parser's own limit is lower.
    private static let largest = 4 * 1024 * 1024

    /// Reads the policy file at a path. Finds the names of time zones in the system's database.
    package static func load(_ path: String) throws(PolicyLoadError) -> GatePolicy {
        guard let bytes = bytes(path) else { throw .unreadable(path) }
        return try parse(bytes, file: path)
    }

    /// Reads the content of a policy file. `file` is the name of the file in errors.
    package static func parse(_ bytes: [UInt8], file: String) throws(PolicyLoadError) -> GatePolicy {
        do throws(PolicyFileError) {
            return try GatePolicy.parse(bytes, zones: CivilZone.named)
        } catch {
            throw PolicyLoadError(file: file, problems: error.problems)
        }
    }

    /// Returns the content of a file; nil if it cannot be read or is larger than 4 MiB.
    static func bytes(_ path: String) -> [UInt8]? { FileBytes.whole(path, limit: largest) }
}
