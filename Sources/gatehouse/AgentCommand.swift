import Appliance
import ArgumentParser
import Aries
import Encoding
import HTTPTransport
import LinuxIO
import Store

/// Connections to cloud agents.
struct AgentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "agent", abstract: "Connects to cloud agents and lists the connections.",
        discussion: "The service owns the database: stop it first (`systemctl stop gatehouse`).",
        subcommands: [Connect.self, List.self])

    /// Opens the database and the HTTP client that the configuration names, for the time of `body`.
    static func withSurroundings<Result: Sendable>(
        _ configuration: Configuration, observe: @escaping @Sendable (AgentNotice) -> Void,
        _ body: (HTTPExchange, AgentLink.Surroundings) async throws -> Result
    ) async throws -> Result {
        let store: Store
        do {
            store = try await Store.open(configuration.ledger.path)
        } catch let error as StoreError {
            throw CommandFailure(error.text, remedy: error.remedy)
        }
        let exchange = HTTPExchange(AgentService.settings(configuration))
        let surroundings = AgentLink.Surroundings(
            exchange: exchange, store: store, outbox: nil, clock: .system(), observe: observe)
        do {
            let result = try await body(exchange, surroundings)
            await exchange.shutdown()
            await store.close()
            return result
        } catch {
            await exchange.shutdown()
            await store.close()
            throw error
        }
    }

    struct Connect: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Accepts an invitation: an out-of-band URL or a file with one.",
            discussion: "Exit code: 0 when connected, 1 when the agent did not answer in time or refused.")
        @OptionGroup var input: ConfigurationInput
        @Argument(help: "The invitation's URL, or a file with its URL or JSON.")
        var invitation: String
        @Option(help: "How long to wait for the agent, in seconds.")
        var wait = 60

        func run() async throws {
            let configuration = try input.load()
            let text = invitation
            let limit = Duration.seconds(max(1, wait))
            let result = try await AgentCommand.withSurroundings(
                configuration, observe: { Terminal.line("  " + $0.text) }
            ) { exchange, surroundings -> AgentLink.ConnectResult in
                let invitation: Invitation
                do {
                    invitation = try await InvitationReader.read(text, by: exchange)
                } catch let failure as InvitationReader.Failure {
                    throw CommandFailure("\(failure)", remedy: failure.remedy)
                }
                let settings = AgentService.connection(configuration)
                let stored = try await AgentLinks.stored(settings, surroundings)
                switch try AgentLinks.link(for: invitation, existing: stored.links, settings, surroundings) {
                case .existing(let link), .new(let link): return await link.connect(within: limit)
                }
            }
            switch result {
            case .connected(let did): Terminal.line("connected; the agent is \(did.string.prefix(60))…")
            default:
                Terminal.error(
                    "not connected: \(result)",
                    remedy: "check the agent; the attempt is stored and goes on with `gatehouse run`")
                throw ExitCode(1)
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists the stored connections.")
        @OptionGroup var input: ConfigurationInput
        @Flag(help: "One JSON object a line, for machines.")
        var json = false

        func run() async throws {
            let configuration = try input.load()
            let isJSON = json
            try await AgentCommand.withSurroundings(configuration, observe: { _ in }) { _, surroundings in
                let stored = try await AgentLinks.stored(AgentService.connection(configuration), surroundings)
                for link in stored.links {
                    let label = link.invitation.label ?? ""
                    if isJSON {
                        let line: JSON = ["id": .string(link.id), "label": .string(label)]
                        Terminal.line(line.compactText)
                    } else {
                        Terminal.line("\(link.id)  \(label)")
                    }
                }
                for id in stored.unreadable { Terminal.error("connection \(id) cannot be read", remedy: "delete it") }
                if stored.links.isEmpty, !isJSON {
                    Terminal.line("no connection; make one with `gatehouse agent connect URL`")
                }
            }
        }
    }
}
