import ArgumentParser
import Console
import Credentials
import Encoding
import Reasons
import TrustFiles

/// The command `gatehouse policy`: checks and tests the gate's rules.
struct PolicyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "policy", abstract: "Checks and tests the gate's rules.", subcommands: [Check.self, Test.self])

    /// Returns the direction that `--direction` names; nil if the option is absent.
    static func direction(_ word: String?) throws -> GateDirection? {
        try word.map { word in
            guard let direction = GateDirection.allCases.first(where: { Text($0.rawValue) == Text(word) }) else {
                throw CommandFailure("there is no direction \(word)", remedy: "use in or out")
            }
            return direction
        }
    }

    /// Reads a policy file. Throws all its problems as one ``CommandFailure``.
    static func load(_ path: String) throws -> GatePolicy {
        CommandRole.take(for: path)
        do throws(PolicyLoadError) {
            return try CommandRole.asOwner(of: path) { () throws(PolicyLoadError) in try PolicyFile.load(path) }
        } catch { throw failure(error) }
    }

    /// Returns the rules in force; nil if the gate has none. Throws all their problems as one ``CommandFailure``.
    static func usable(_ inForce: RulesInForce) throws -> GatePolicy? {
        if let problem = inForce.problem { throw failure(problem) }
        return inForce.rules
    }

    private static func failure(_ error: PolicyLoadError) -> CommandFailure {
        .problems("the policy", error.problems.count, error.description)
    }

    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Runs the test cases that policies carry.",
            discussion: """
                A test names the clock, a credential (described inline, or a file with a trust directory) and the \
                expected result: the decision, and the rule or the code. Paths are relative to the policy file.

                Exit code: 0 when all tests pass, 1 when some fail or a policy has none, 2 when a policy cannot be used.
                """)
        @Flag(help: "One JSON object per test.")
        var json = false
        @Argument(help: ArgumentHelp("Policy files.", valueName: "file"))
        var files: [String]

        func run() async throws {
            guard !files.isEmpty else { throw CommandFailure("no file given", remedy: "gatehouse policy test FILE…") }
            var worst: Int32 = 0
            for file in files {
                do {
                    if !(try run(file)) { worst = max(worst, 1) }
                } catch let failure as CommandFailure {
                    Terminal.error(failure.message, remedy: failure.remedy)
                    worst = failure.exitCode
                }
            }
            if worst != 0 { throw ExitCode(worst) }
        }

        /// Runs the tests in a policy file. Returns whether the file has at least one test and all tests passed.
        private func run(_ file: String) throws -> Bool {
            let policy = try PolicyCommand.load(file)
            var trial = PolicyCheck(policy, path: file)
            var passed = 0
            if !json { Terminal.line("\(file): \(policy.name)") }
            for test in policy.tests {
                let result = trial.run(test)
                if result.passed { passed += 1 }
                if json {
                    Terminal.json(line(file, test, result))
                } else {
                    tell(test, result)
                }
            }
            let isGood = passed == policy.tests.count && passed > 0
            if !json { Terminal.line("  \(passed) of \(policy.tests.count) tests passed") }
            return isGood
        }

        private func line(_ file: String, _ test: PolicyTest, _ result: PolicyTestResult) -> JSON {
            var object: JSONObject = ["file": .text(file), "test": .string(test.name), "line": .int(test.line)]
            object["passed"] = .bool(result.passed)
            object["decision"] = result.decision.map { .text($0.rawValue) }
            object["code"] = result.code.map { .string($0) }
            object["rule"] = result.rule.map { .string($0) }
            object["failure"] = result.failure.map { .text($0) }
            return .object(object)
        }

        private func tell(_ test: PolicyTest, _ result: PolicyTestResult) {
            let outcome = result.failure ?? Self.words(result.decision, result.code, result.rule)
            Terminal.line(Terminal.printable("  \(result.passed ? "ok    " : "FAILED")  \(test.name): \(outcome)"))
            guard !result.passed else { return }
            let wanted = Self.words(test.decision, test.code, test.rule)
            Terminal.line(Terminal.printable("            line \(test.line) expects: \(wanted)"))
            for note in result.notes { Terminal.line(Terminal.printable("            \(note.sentence)")) }
        }

        private static func words(_ decision: Verdict.Decision?, _ code: Text?, _ rule: Text?) -> String {
            let code = code == Text(ReasonCode.ok.text) ? nil : code
            return (decision?.rawValue ?? "nothing") + (code.map { " with \($0)" } ?? "")
                + (rule.map { " by \($0)" } ?? "")
        }
    }
}
