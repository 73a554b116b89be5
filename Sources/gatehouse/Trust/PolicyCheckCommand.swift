import ArgumentParser
import Console
import Credentials
import Encoding
import TrustFiles

extension PolicyCommand {
    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Reads a policy and reports all problems and surprises.",
            discussion: """
                Without a file it reads the policy.toml in the directory or bundle of --trust, which governs each gate \
                that has no policy file of its own.

                Exit code: 0 when it can be used, 1 when it names groups, issuers, types or contexts that the trust \
                data do not contain, 2 when it cannot be used.
                """)
        @Option(
            help: ArgumentHelp(
                "The trust directory, or a bundle, for the rules.", valueName: "path"))
        var trust: String?
        @Option(help: ArgumentHelp("With a bundle: the operator's key (z6Mk…).", valueName: "key"))
        var key: String?
        @Flag(help: "For machines: the policy's name and rules, or every problem, as one JSON object.")
        var json = false
        @Argument(help: "The policy file.")
        var file: String?

        func run() async throws {
            if let file { CommandRole.take(for: file) }
            // Report the problems of the rules before those of the trust data.
            if json, let problem = RulesInForce(file: file, over: nil).problem {
                Terminal.json(problem.json)
                throw ExitCode(2)
            }
            if let file { _ = try PolicyCommand.load(file) }
            let directory = try trust.map { try TrustCommand.reading($0, key: key) }
            let inForce = RulesInForce(file: file, over: directory)
            guard let policy = try PolicyCommand.usable(inForce) else {
                throw CommandFailure(
                    trust.map { "there is no policy.toml in \($0)" } ?? "no policy file given",
                    remedy: "gatehouse policy check FILE")
            }
            let advice = directory.map { PolicyAdvice(policy, by: $0.store) }
            let warnings = policy.warnings + (advice?.unknown ?? []) + (advice?.hints ?? [])
            let name = inForce.source.path ?? trust ?? ""
            if json {
                Terminal.json(description(of: policy, name, warnings, directory))
            } else {
                show(policy, name, warnings)
            }
            if let advice, !advice.unknown.isEmpty { throw ExitCode(1) }
        }

        private func show(_ policy: GatePolicy, _ name: String, _ warnings: [PolicyAdvice.Warning]) {
            let count = warnings.count == 1 ? "a warning" : "\(warnings.count) warnings"
            Terminal.line(Terminal.printable("\(name): \(warnings.isEmpty ? "good" : "can be used, with \(count)")"))
            Terminal.line("policy  \(policy.name)")
            if let end = policy.validUntil { Terminal.line("until   \(end.rfc3339)") }
            Terminal.line("zone    \(policy.zone.name)")
            for rule in policy.deny { Terminal.line("deny    \(rule.id)") }
            for rule in policy.accept { Terminal.line("accept  \(rule.id)") }
            Terminal.line("tests   \(policy.tests.count)")
            for warning in warnings {
                let place = warning.line.map { "\(name):\($0): " } ?? ""
                Terminal.error(Terminal.printable(place + warning.message), remedy: Terminal.printable(warning.remedy))
            }
        }

        private func description(
            of policy: GatePolicy, _ name: String, _ warnings: [PolicyAdvice.Warning], _ directory: TrustDirectory?
        ) -> JSON {
            var object: JSONObject = ["file": .text(name), "policy": .text(policy.name)]
            object["validUntil"] = policy.validUntil.map { .text($0.rfc3339) }
            object["zone"] = .string(policy.zone.name)
            object["deny"] = .array(policy.deny.map { .string($0.id) })
            object["accept"] = .array(policy.accept.map { .string($0.id) })
            object["tests"] = .int(policy.tests.count)
            object["groups"] = .array(policy.groups.sorted().map { .string($0) })
            if let store = directory?.store {
                let unknown = policy.groups.sorted().filter { store.members(ofGroup: $0) == nil }
                object["unknownGroups"] = .array(unknown.map { .string($0) })
            }
            object["warnings"] = .array(warnings.map(\.json))
            return .object(object)
        }
    }
}
