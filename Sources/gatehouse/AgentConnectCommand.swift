import Appliance
import ArgumentParser
import Aries
import Encoding
import HTTPTransport

/// Accepts an invitation.
struct AgentConnectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "connect", abstract: "Accepts an invitation: an out-of-band URL or a file with one.",
        discussion: """
            A new invitation takes its destination over from the connection there: reports go on where they stopped. \
            Exit code: 0 when connected, 1 when the agent did not answer in time or refused.
            """)
    @OptionGroup var input: ConfigurationInput
    @Argument(help: "The invitation's URL in quotes, or a file with its URL or JSON.")
    var invitation: String
    @Option(help: ArgumentHelp("The destination that it leads to: primary, or a copy's name.", valueName: "name"))
    var to: String?
    @Option(help: ArgumentHelp("How long to wait for the agent, in seconds.", valueName: "seconds"))
    var wait = 60
    @Flag(help: "A JSON object at the end, for machines.")
    var json = false

    func run() async throws {
        guard (1...3600).contains(wait) else { throw CommandFailure("--wait takes 1 to 3600 seconds") }
        let invitation = try await read()
        let connection = try await AgentDoor.open(input, runs: true) { door in
            try await connect(Text(invitation.json.compactText), door)
        }
        guard let (card, isKnown) = connection else {
            return tell("the invitation offers no lasting connection; what it asks is answered")
        }
        try report(card, isKnown)
    }

    /// The connection's last card, and whether it was there before; nil for an invitation that offers none.
    private func connect(_ invitation: Text, _ door: AgentDoor) async throws -> (card: JSON, isKnown: Bool)? {
        let begun = try await door.ask(.connect(invitation: invitation, destination: to.map { Text($0) }))
        if begun["answered"] == true { return nil }
        guard let id = begun["id"]?.string else { throw CommandFailure("the service answers with something unknown") }
        let first = try await door.ask(.show(id))
        if begun["known"] == true, first["state"]?.string == "connected" { return (first, true) }
        tell("asking \(AgentListing.name(first)) for a connection")
        let last = try await door.watch(
            id, within: .seconds(wait), until: { $0["state"]?.string != "connecting" },
            problem: { tell("  " + Terminal.printable($0)) })
        return (last, false)
    }

    private func tell(_ line: String) { if !json { Terminal.line(line) } }

    private func report(_ card: JSON, _ isKnown: Bool) throws {
        let isConnected = card["state"]?.string == "connected"
        if json {
            var members = card.object ?? [:]
            members["known"] = .bool(isKnown)
            Terminal.line(JSON.object(members).compactText)
            if !isConnected { throw ExitCode(1) }
        } else if isConnected {
            let id = Terminal.printable(card["id"]?.string?.string ?? "")
            if card["destination"]?.string == "mailbox" {
                return Terminal.line(
                    "connected to \(AgentListing.name(card)), which keeps messages for us: \(id) leads to that mailbox, and "
                        + "another connection is made through it")
            }
            Terminal.line(
                isKnown
                    ? "already connected: this invitation was accepted before, as \(id)"
                    : "connected to \(AgentListing.name(card)) as \(id)")
        } else {
            throw Self.failure(card)
        }
    }

    private static func failure(_ card: JSON) -> CommandFailure {
        let problem = card["problem"]?["text"]?.string?.string
        let reason =
            switch card["state"]?.string {
            case "connecting": problem ?? "the agent has taken the request and did not answer it in time"
            case "replaced": "a newer connection has taken its place"
            default: problem ?? "it was deleted meanwhile"
            }
        let remedy =
            card["problem"]?["remedy"]?.string?.string
            ?? (card["state"]?.string == "connecting"
                ? "if the invitation was a single-use one, its answer may have been lost: ask for a multi-use invitation"
                : "see gatehouse agent list")
        return CommandFailure(
            "not connected: " + Terminal.printable(reason), remedy: Terminal.printable(remedy), exitCode: 1)
    }

    /// The invitation, fetched here: what this user may read, and as long as that takes.
    private func read() async throws -> Invitation {
        // Who may not read the configuration has its defaults.
        let settings = (try? input.load()).map(AgentService.settings) ?? HTTPExchange.Settings()
        let text = invitation
        return try await HTTPExchange.withExchange(settings) { exchange in
            do throws(InvitationReader.Failure) {
                return try await InvitationReader.read(text, by: exchange)
            } catch {
                throw CommandFailure(Terminal.printable(error.text), remedy: Terminal.printable(error.remedy))
            }
        }
    }
}
