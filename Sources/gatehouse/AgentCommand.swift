import Appliance
import ArgumentParser
import Aries
import Encoding
import Foundation
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
            // With the key of its seal: whoever writes to the ledger without it makes it look tampered with.
            store = try await Store.open(
                configuration.ledger.path, witness: configuration.ledger.witness(ProcessInfo.processInfo.environment))
        } catch {
            throw CommandFailure(error.text, remedy: remedy(error))
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

    /// A ledger of the service's user is not root's to write: the files it would make could keep the service out.
    private static func remedy(_ error: StoreError) -> String {
        guard case .unsafeFolder(let folder, _) = error else { return error.remedy }
        var status = stat()
        guard stat(folder, &status) == 0, status.st_uid != geteuid(), let user = getpwuid(status.st_uid) else {
            return error.remedy
        }
        let name = String(cString: user.pointee.pw_name)
        return "run the command as the user \(name): sudo -u \(name) gatehouse agent …"
    }

    struct Connect: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Accepts an invitation: an out-of-band URL or a file with one.",
            discussion: "Exit code: 0 when connected, 1 when the agent did not answer in time or refused.")
        @OptionGroup var input: ConfigurationInput
        @Argument(help: "The invitation's URL in quotes, or a file with its URL or JSON.")
        var invitation: String
        @Option(help: ArgumentHelp("How long to wait for the agent, in seconds.", valueName: "seconds"))
        var wait = 60

        func run() async throws {
            guard (1...3600).contains(wait) else { throw CommandFailure("--wait takes 1 to 3600 seconds") }
            let configuration = try input.load()
            let text = invitation
            let limit = Duration.seconds(wait)
            let result = try await AgentCommand.withSurroundings(
                configuration, observe: { Terminal.line("  " + Terminal.printable($0.text)) }
            ) { exchange, surroundings -> AgentLink.ConnectResult in
                let invitation: Invitation
                do {
                    invitation = try await InvitationReader.read(text, by: exchange)
                } catch let failure as InvitationReader.Failure {
                    throw CommandFailure(Self.text(failure), remedy: failure.remedy)
                }
                let settings = AgentService.connection(configuration)
                let stored = try await AgentLinks.stored(settings, surroundings)
                switch try await AgentLinks.link(for: invitation, existing: stored.links, settings, surroundings) {
                case .existing(let link), .new(let link), .known(let link), .asked(let link):
                    return await link.connect(within: limit)
                case .once:
                    throw CommandFailure("no lasting connection is offered", remedy: InvitationError.noHandshake.remedy)
                }
            }
            switch result {
            case .connected(let did):
                Terminal.line("connected; the agent is \(Terminal.printable(String(did.string.prefix(60))))…")
            default:
                throw CommandFailure(
                    "not connected: \(Self.text(result))",
                    remedy: result == .ended
                        ? "ask the agent's operator for a new invitation"
                        : "check the agent; the invitation is stored, and `gatehouse run` goes on trying", exitCode: 1)
            }
        }

        private static func text(_ failure: InvitationReader.Failure) -> String {
            switch failure {
            case .invitation: "no usable invitation was given"
            case .file: "no invitation was found"
            case .link, .tooManyLinks: "the invitation cannot be fetched"
            }
        }

        private static func text(_ result: AgentLink.ConnectResult) -> String {
            switch result {
            case .noAnswer(let failure?): AgentNotice.text(failure)
            case .noAnswer(nil): "the agent did not complete the handshake in time"
            case .ended: "the agent has ended this connection"
            case .cancelled: "the attempt was broken off"
            case .connected: "connected"
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
                        let line: JSON = [
                            "id": .string(link.id), "label": .string(label), "ended": .bool(link.wasEnded),
                        ]
                        Terminal.line(line.compactText)
                    } else {
                        Terminal.line(Terminal.printable("\(link.id)  \(label)\(link.wasEnded ? "  (ended)" : "")"))
                    }
                }
                for id in stored.unreadable {
                    Terminal.error(
                        "the stored connection \(id) cannot be read", remedy: "connect again with a new invitation")
                }
                if stored.links.isEmpty, !isJSON {
                    Terminal.line("no connection; make one with `gatehouse agent connect URL`")
                }
            }
        }
    }
}
