import Appliance
import ArgumentParser
import Credentials
import Encoding

/// Tools for the gate's rules.
struct PolicyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "policy", abstract: "Checks and tests the gate's rules.", subcommands: [Check.self, Test.self])

    /// The word of `--direction`.
    static func direction(_ word: String?) throws -> GateDirection? {
        try word.map { word in
            guard let direction = GateDirection.allCases.first(where: { Text($0.rawValue) == Text(word) }) else {
                throw CommandFailure("there is no direction \(word)", remedy: "use in or out")
            }
            return direction
        }
    }

    /// Reads a policy, turning its problems into one failure for people.
    static func load(_ path: String) throws -> GatePolicy {
        do throws(PolicyLoadError) {
            return try PolicyFile.load(path)
        } catch {
            throw CommandFailure.problems("the policy", error.problems.count, error.description)
        }
    }

    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Reads a policy and says everything that is wrong with it.",
            discussion: "Exit code: 0 when it can be used, 1 when it names a group that nobody is in, 2 when not.")
        @Option(
            help: ArgumentHelp(
                "The trust directory: says which groups of the rules it does not know.", valueName: "directory"))
        var trust: String?
        @Flag(help: "For machines: the policy's name and rules, or every problem, as one JSON object.")
        var json = false
        @Argument(help: "The policy file.")
        var file: String

        func run() async throws {
            let policy: GatePolicy
            do throws(PolicyLoadError) {
                policy = try PolicyFile.load(file)
            } catch {
                guard json else {
                    throw CommandFailure.problems("the policy", error.problems.count, error.description)
                }
                Terminal.line(error.json.compactText)
                throw ExitCode(2)
            }
            let store = try trust.map { try TrustCommand.reading($0) }?.store
            let unknown =
                store.map { store in policy.groups.sorted().filter { store.members(ofGroup: $0) == nil } } ?? []
            if json {
                Terminal.line(description(of: policy, unknown).compactText)
            } else {
                Terminal.line("\(file): \(unknown.isEmpty ? "good" : "groups are unknown")")
                Terminal.line("policy  \(policy.name)")
                if let end = policy.validUntil { Terminal.line("until   \(end.rfc3339)") }
                Terminal.line("zone    \(policy.zone.name)")
                for rule in policy.deny { Terminal.line("deny    \(rule.id)") }
                for rule in policy.accept { Terminal.line("accept  \(rule.id)") }
                Terminal.line("tests   \(policy.tests.count)")
                for group in unknown {
                    Terminal.error(
                        "no [[issuer]] of \(trust ?? "") is in the group \(group)",
                        remedy: "add groups = [\"\(group)\"] to an issuer, or correct the rule")
                }
            }
            if !unknown.isEmpty { throw ExitCode(1) }
        }

        private func description(of policy: GatePolicy, _ unknown: [Text]) -> JSON {
            var object: JSONObject = ["file": .text(file), "policy": .text(policy.name)]
            object["validUntil"] = policy.validUntil.map { .text($0.rfc3339) }
            object["zone"] = .string(policy.zone.name)
            object["deny"] = .array(policy.deny.map { .string($0.id) })
            object["accept"] = .array(policy.accept.map { .string($0.id) })
            object["tests"] = .int(policy.tests.count)
            object["groups"] = .array(policy.groups.sorted().map { .string($0) })
            if trust != nil { object["unknownGroups"] = .array(unknown.map { .string($0) }) }
            return .object(object)
        }
    }

    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Runs the test cases that policies carry.",
            discussion: """
                A test names the clock, a credential (described in place, or a file with a trust directory) and what must come \
                out: the decision, and the rule or the code. Paths are relative to the policy file.

                Exit code: 0 when all tests pass, 1 when some fail or a policy has none, 2 when a policy cannot be used.
                """)
        @Flag(help: "One JSON object a test.")
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

        /// Whether all tests of a file passed.
        private func run(_ file: String) throws -> Bool {
            let policy = try PolicyCommand.load(file)
            var trial = PolicyTrial(policy, path: file)
            var passed = 0
            if !json { Terminal.line("\(file): \(policy.name)") }
            for test in policy.tests {
                let result = trial.run(test)
                if result.passed { passed += 1 }
                if json {
                    Terminal.line(line(file, test, result).compactText)
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
