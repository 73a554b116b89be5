import Administration
import ArgumentParser
import Aries
import Clocks
import Console
import Courier
import Encoding
import HTTPTransport
import Observation

/// `gatehouse agent connect`: accepts an invitation.
struct AgentConnectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "connect", abstract: "Accepts an invitation: an out-of-band URL or a file with one.",
        discussion: """
            A new invitation replaces the connection of its destination: reports continue where they stopped. Exit \
            code: 0 when connected, 1 when the agent did not answer in time or refused.
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
        let (begun, card) = try await AgentClient.open(input, for: .connecting(to: to.map { Text($0) })) { client in
            try await connect(Text(invitation.json.compactText), client)
        }
        try report(begun, card)
    }

    /// Returns the result of the invitation, and the last report about the connection; nil in place of the report if
    /// the invitation led to no connection.
    private func connect(_ invitation: Text, _ client: AgentClient) async throws -> (
        begun: InvitationReport, card: ConnectionReport?
    ) {
        let end = Machine.clock.now().advanced(by: .seconds(wait))
        let request = AgentRequest.connect(invitation: invitation, destination: to.map { Text($0) })
        var begun = InvitationReport(try await client.ask(request))
        if begun.isUnderWay == true { tell("asking the agent") }
        while begun.isUnderWay == true, Machine.clock.now() < end {
            try await client.rest(.milliseconds(100))
            begun = InvitationReport(try await client.ask(request))
        }
        guard begun.isUnderWay != true, begun.failure == nil, let id = begun.id else { return (begun, nil) }
        func watch(until isDone: (ConnectionReport) -> Bool) async throws -> ConnectionReport {
            try await client.watch(
                id, within: Machine.clock.now().duration(to: end), until: isDone,
                problem: { tell("  " + Terminal.printable($0)) })
        }
        if begun.way == .once {
            tell("answering the invitation's request")
            return (begun, try await watch { Self.isAnswered($0) || $0.state != .connected })
        }
        var card = try await client.show(id)
        if card.state != .connected {
            tell("asking \(AgentListing.name(card)) for a connection")
            card = try await watch { $0.state != .connecting }
        }
        return (begun, card.state == .connected ? try await settled(card, client, until: end) : card)
    }

    /// The time for which the command waits for the agent's answer whether it keeps messages for the gate. After
    /// that, the command reports the connection as it is.
    private static let mailboxPatience = Duration.seconds(5)

    /// Returns the report about the connection that finally leads to the agent. The agent may grant a mailbox over a
    /// first connection. That connection then becomes the connection to the mailbox, and a second connection is made
    /// through the mailbox by the same invitation.
    private func settled(
        _ first: ConnectionReport, _ client: AgentClient, until end: Instant
    ) async throws -> ConnectionReport {
        var card = first
        let patience = min(end, Machine.clock.now().advanced(by: Self.mailboxPatience))
        func isOpen() -> Bool {
            if card.destination == "mailbox" || card.state == .connecting { return Machine.clock.now() < end }
            return card.asksForMailbox != false && Machine.clock.now() < patience
        }
        while isOpen() {
            try await client.rest(.milliseconds(100))
            let same = try await client.list().filter { $0.invitation == first.invitation && $0.state != .deleting }
            card = same.last { $0.destination != "mailbox" } ?? same.last ?? card
        }
        // If the second connection is not complete in time, return the report about the first one.
        guard card.state == .connecting, let id = first.id else { return card }
        return try await client.show(id)
    }

    private func tell(_ line: String) { if !json { Terminal.line(line) } }

    /// Returns whether all answers to the requests in the invitation were sent.
    private static func isAnswered(_ card: ConnectionReport) -> Bool { card.unsent == 0 && card.state == .connected }

    private func report(_ begun: InvitationReport, _ card: ConnectionReport?) throws {
        let isOnce = begun.way == .once
        let isDone = isOnce ? card.map(Self.isAnswered) == true : card?.state == .connected
        if json {
            var members = card?.json.object ?? [:]
            for name in [InvitationReport.name(of: \.way), InvitationReport.name(of: \.failure)] {
                if let value = begun.json[name], !value.isNull { members[name] = value }
            }
            Terminal.json(JSON.object(members))
        } else if let card, isDone {
            Terminal.line(Self.words(begun.way, card))
        } else if let card, !isOnce {
            throw Self.failure(card)
        } else {
            throw Self.unanswered(begun, card)
        }
        if !isDone || begun.isUnderWay == true { throw ExitCode(1) }
    }

    private static func words(_ way: InvitationReport.Way?, _ card: ConnectionReport) -> String {
        let (name, id) = (AgentListing.name(card), Terminal.printable(card.id?.string ?? ""))
        if card.destination == "mailbox" {
            return
                "connected to \(name), which stores messages for this gate; the connection through its mailbox is not "
                + "established yet: see gatehouse agent list"
        }
        return switch way {
        case .once: "the invitation offers no lasting connection; its request was answered over \(id)"
        case .known: "already connected: this invitation was accepted before, as \(id)"
        case .reuse: "already connected to \(name): connection \(id) continues"
        case .answer: "already connected to \(name): the invitation's request is answered over \(id)"
        case .new, nil: "connected to \(name) as \(id)"
        }
    }

    /// Returns the failure for an invitation without a handshake whose requests were not answered.
    private static func unanswered(_ begun: InvitationReport, _ card: ConnectionReport?) -> CommandFailure {
        let reason = begun.failure ?? card?.problem?.words ?? "the agent did not answer in time"
        return CommandFailure(
            "the invitation was not accepted: " + Terminal.printable(reason),
            remedy: "check the agent, and ask its operator for a new invitation", exitCode: 1)
    }

    private static func failure(_ card: ConnectionReport) -> CommandFailure {
        let problem = card.problem?.words
        let reason =
            switch card.state {
            case .connecting: problem ?? "the agent received the request and did not answer in time"
            case .replaced: problem ?? "a newer connection has replaced it"
            default: problem ?? "it has been deleted"
            }
        return CommandFailure(
            "not connected: " + Terminal.printable(reason), remedy: Terminal.printable(remedy(card)), exitCode: 1)
    }

    /// Returns the remedy for a connection that was not made.
    private static func remedy(_ card: ConnectionReport) -> String {
        if let remedy = card.problem?.remedy { return remedy }
        guard card.state == .connecting else { return "see gatehouse agent list" }
        return card.mailbox != nil
            ? "its answer may still arrive in the mailbox: a running service waits for it; otherwise repeat the command"
            : "if the invitation was a single-use one, its answer may have been lost: ask for a multi-use invitation"
    }

    /// Reads or fetches the invitation in this process, with the rights of this user and without the time limit for a
    /// request to the service.
    private func read() async throws -> Invitation {
        // If this user may not read the configuration, use the default settings.
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
