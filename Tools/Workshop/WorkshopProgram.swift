import ArgumentParser
import Console

/// The program with the tools of this repository, for `make`, CI and tests. It is not part of any package.
@main
struct WorkshopProgram: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gatehouse-workshop",
        abstract: "The tools of Gatehouse's repository: pages, pictures, measurements and simulations.",
        discussion: """
            `make` runs these commands. A gate needs none of them, so no package contains this program.

            Exit codes: 0 done, 1 a mistake was found, 2 usage or input/output.
            """,
        subcommands: [
            ReferenceCommand.self, WiringCommand.self, BenchCommand.self, CrowdCommand.self, LinkedDataCommand.self,
        ])

    static func main() async {
        Terminal.openMissingStreams()
        await CommandStart.run(Self.self)
    }
}
