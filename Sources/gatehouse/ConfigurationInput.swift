import Appliance
import ArgumentParser
import Encoding
import Foundation

/// The option by which a command finds the appliance's configuration.
struct ConfigurationInput: ParsableArguments {
    @Option(name: [.customLong("config")], help: "The configuration file.")
    var path = "/etc/gatehouse/gatehouse.toml"

    /// Reads it, turning its problems into one failure for people.
    func load() throws -> Configuration {
        do throws(ConfigurationError) {
            return try Configuration.load(path)
        } catch {
            throw CommandFailure(error.description)
        }
    }
}

/// Tools for the configuration.
struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Checks the configuration.", subcommands: [Check.self])

    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Reads a configuration and says everything that is wrong with it.",
            discussion: "Exit code: 0 when it can be used, 2 when not.")
        @Argument(help: "The configuration file.")
        var file = "/etc/gatehouse/gatehouse.toml"
        @Flag(help: "Print every key with the value in force as JSON.")
        var json = false

        func run() async throws {
            var input = ConfigurationInput()
            input.path = file
            let configuration = try input.load()
            if json { return Terminal.line(configuration.effective.compactText) }
            Terminal.line("\(file): good")
            for section in configuration.effective.object?.members ?? [] {
                Terminal.line("[\(section.name)]")
                for key in section.value.object?.members ?? [] {
                    Terminal.line("  \(key.name) = \(key.value.compactText)")
                }
            }
        }
    }
}
