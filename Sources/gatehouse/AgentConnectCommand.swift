import Administration
import ArgumentParser
import Aries
import Clocks
import Courier
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
        let (begun, card) = try await AgentDoor.open(input, for: .connecting(to: to.map { Text($0) })) { door in
            try await connect(Text(invitation.json.compactText), door)
        }
        try report(begun, card)
    }

    /// Returns the result of the invitation, and the last card of the connection; nil if the invitation led
    /// to no connection.
    private func connect(_ invitation: Text, _ door: AgentDoor) async throws -> (begun: JSON, card: JSON?) {
        let end = Machine.clock.now().advanced(by: .seconds(wait))
        let request = AgentRequest.connect(invitation: invitation, destination: to.map { Text($0) })
        var begun = try await door.ask(request)
        if begun["underWay"] == true { tell("asking the agent") }
        while begun["underWay"] == true, Machine.clock.now() < end {
            try await door.rest(.milliseconds(100))
            begun = try await door.ask(request)
        }
        guard begun["underWay"] != true, begun["failure"]?.string == nil, let id = begun["id"]?.string else {
            return (begun, nil)
        }
        var card = try await door.ask(.show(id))
        if card["state"]?.string != "connected" {
            tell("asking \(AgentListing.name(card)) for a connection")
            card = try await door.watch(
                id, within: Machine.clock.now().duration(to: end), until: { $0["state"]?.string != "connecting" },
                problem: { tell("  " + Terminal.printable($0)) })
        }
        return (begun, card["state"]?.string == "connected" ? try await settled(card, door, until: end) : card)
    }

    /// How long an agent may take to say whether it keeps messages. After that, its connection is reported as
    /// it is.
    private static let mailboxPatience = Duration.seconds(5)

    /// Returns the card of the connection that leads to the agent in the end. The agent may grant a mailbox
    /// over a first connection. That connection then leads to the mailbox, and a second connection is made
    /// through the mailbox with the same invitation.
    private func settled(_ first: JSON, _ door: AgentDoor, until end: Instant) async throws -> JSON {
        var card = first
        let patience = min(end, Machine.clock.now().advanced(by: Self.mailboxPatience))
        func isOpen() -> Bool {
            if card["destination"]?.string == "mailbox" || card["state"]?.string == "connecting" {
                return Machine.clock.now() < end
            }
            return card["asksForMailbox"] != false && Machine.clock.now() < patience
        }
        while isOpen() {
            try await door.rest(.milliseconds(100))
            let cards = try await door.ask(.list)["connections"]?.array ?? []
            let same = cards.filter { $0["invitation"] == first["invitation"] && $0["state"]?.string != "deleting" }
            card = same.last { $0["destination"]?.string != "mailbox" } ?? same.last ?? card
        }
        // The second connection may still be made later. The first connection, which leads to the mailbox,
        // exists.
        guard card["state"]?.string == "connecting", let id = first["id"]?.string else { return card }
        return try await door.ask(.show(id))
    }

    private func tell(_ line: String) { if !json { Terminal.line(line) } }

    private func report(_ begun: JSON, _ card: JSON?) throws {
        let isConnected = card?["state"]?.string == "connected"
        let isDone = isConnected || begun["way"]?.string == "once" && begun["failure"]?.string == nil
        if json {
            var members = card?.object ?? [:]
            members["way"] = begun["way"]
            if let failure = begun["failure"], !failure.isNull { members["failure"] = failure }
            Terminal.json(JSON.object(members))
        } else if let card, isConnected {
            Terminal.line(Self.words(begun["way"]?.string, card))
        } else if isDone, begun["underWay"] != true {
            Terminal.line("the invitation offers no lasting connection; what it asks was answered")
        } else {
            throw card.map(Self.failure) ?? Self.unanswered(begun)
        }
        if !isDone || begun["underWay"] == true { throw ExitCode(1) }
    }

    private static func words(_ way: Text?, _ card: JSON) -> String {
        let (name, id) = (AgentListing.name(card), Terminal.printable(card["id"]?.string?.string ?? ""))
        if card["destination"]?.string == "mailbox" {
            return
                "connected to \(name), which keeps messages for us; the connection through its mailbox is not "
                + "made yet: see gatehouse agent list"
        }
        return switch way {
        case "known": "already connected: this invitation was accepted before, as \(id)"
        case "reuse": "already connected to \(name): it goes on over \(id)"
        case "answer": "already connected to \(name): what the invitation asks is answered over \(id)"
        default: "connected to \(name) as \(id)"
        }
    }

    /// Returns the failure of a request in the invitation that needs no connection of its own.
    private static func unanswered(_ begun: JSON) -> CommandFailure {
        let reason = begun["failure"]?.string?.string ?? "the agent did not answer it in time"
        return CommandFailure(
            "the invitation was not carried out: " + Terminal.printable(reason),
            remedy: "look at the agent, and ask its operator for a new invitation", exitCode: 1)
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

    /// Reads the invitation, or fetches it in this process: with the rights of this user, and without a
    /// timeout of the service.
    private func read() async throws -> Invitation {
        // Use the default settings if this user may not read the configuration.
        let settings = (try? input.load(.roots)).map(AgentService.settings) ?? HTTPExchange.Settings()
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
