import Foundation
import TestSteps

/// The arguments of the command line.
struct Options {
    /// An argument that is not known.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private(set) var bundle = ""
    /// The folder for logs and times.
    private(set) var folder = FileManager.default.temporaryDirectory.appendingPathComponent("gatehouse-steps").path
    private(set) var isNightly = false
    /// The number of seconds that a process may run without an event.
    private(set) var patience: TimeInterval = 900
    /// A part of test names: only tests whose names contain it run.
    private(set) var part = ""
    private var names: [String] = []

    init(_ words: [String]) throws {
        var words = words[...]
        while let word = words.popFirst() {
            switch word {
            case "--nightly": isNightly = true
            case "--only": part = try Self.value(of: word, &words)
            case "--folder": folder = try Self.value(of: word, &words)
            case "--patience":
                guard let seconds = TimeInterval(try Self.value(of: word, &words)), seconds > 0 else {
                    throw Failure(description: "--patience takes a number of seconds")
                }
                patience = seconds
            case _ where word.hasPrefix("-"): throw Failure(description: "there is no option \(word)")
            case _ where bundle.isEmpty: bundle = word
            default: names.append(word)
            }
        }
        guard !bundle.isEmpty else { throw Failure(description: "which bundle?") }
    }

    private static func value(of option: String, _ words: inout ArraySlice<String>) throws -> String {
        guard let value = words.popFirst() else { throw Failure(description: "\(option) takes a value") }
        return value
    }

    /// Returns the steps that the arguments name; all steps when they name none.
    func steps() throws -> [Step] {
        let all = Step.all(nightly: isNightly)
        if names.isEmpty { return all }
        return try names.map { name in
            guard let step = all.first(where: { $0.name == name }) else {
                throw Failure(description: "there is no step \(name): \(all.map(\.name).joined(separator: ", "))")
            }
            return step
        }
    }
}
