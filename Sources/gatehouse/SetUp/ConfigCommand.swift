import ArgumentParser
import Clocks
import Commissioning
import Console
import Encoding
import Features
import Foundation
import GateService
import LinuxIO
import Settings
import TrustFiles

/// The command `gatehouse config`: checks, bundles and imports configurations.
struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Checks the configuration, and imports signed ones.",
        subcommands: [Check.self, Bundle.self, Import.self])

    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Reads a configuration and reports all its problems.",
            discussion: """
                With --here it also checks this machine, as gatehouse doctor does, except for the running service.

                Exit code: 0 when it can be used, otherwise 2; with --here that of gatehouse doctor.
                """)
        @OptionGroup var input: ConfigurationInput
        @Argument(help: "The configuration file, if not given with --config.")
        var file: String?
        @Flag(help: "Also check this machine: radio, lines, files, disk, clock, trust, rules and displays.")
        var here = false
        @OptionGroup var machine: MachineInput
        @Flag(help: "For machines: every key with the value in force, or every problem, as one JSON object.")
        var json = false

        func validate() throws {
            guard here || machine.root == nil else { throw ValidationError("--root requires --here") }
        }

        func run() async throws {
            var input = input
            if let file {
                guard input.isStandard else {
                    throw CommandFailure("two configurations are given", remedy: "name the file once")
                }
                input.path = file
            }
            if here { return try machine.examine(input, json: json, asksService: false) }
            if json { return try printJSON(input) }
            let (file, configuration) = (input.path, try input.load())
            for line in configuration.listing { Terminal.line(line) }
            Terminal.line("\(file): good")
            Terminal.line("rules \(RuleSource.expected(configuration))")
            let key = configuration.agent.keyNotice(ProcessInfo.processInfo.environment)
            for notice in configuration.notices + [key].compactMap(\.self) {
                Terminal.error("\(notice.key) \(notice.message)", remedy: notice.remedy)
            }
            for feature in FeatureList.all {
                guard let notice = feature.notice(configuration, at: Machine.clock.utc()) else { continue }
                Terminal.error(notice.detail, remedy: notice.remedy)
            }
            // Print missing files of agents, but do not refuse the configuration because of them: the service waits for
            // these files.
            for trouble in MachineProbe.agents(configuration) { Terminal.error(trouble.detail, remedy: trouble.remedy) }
        }

        private func printJSON(_ input: ConfigurationInput) throws {
            do throws(ConfigurationError) {
                Terminal.json(try input.read().effective)
            } catch {
                Terminal.json(error.json)
                throw ExitCode(2)
            }
        }
    }
}

extension Configuration {
    /// Every key of the configuration with the setting in force, as lines for a person.
    var listing: [String] {
        (effective.object?.members ?? []).flatMap { section in
            ["[\(section.name)]"]
                + (section.value.object?.members ?? []).map { "  \($0.name) = \($0.value.compactText)" }
        }
    }
}
