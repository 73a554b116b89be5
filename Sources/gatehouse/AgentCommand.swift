import Administration
import ArgumentParser
import Encoding
import Observation

/// Connections to cloud agents.
struct AgentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "agent", abstract: "Makes, shows and deletes the connections to cloud agents.",
        discussion: """
            Beside the running service, which goes on serving; without one, on its database. Root and the service's own \
            user may change something; members of control.group may look.
            """,
        subcommands: [
            AgentConnectCommand.self, AgentListCommand.self, AgentShowCommand.self, AgentDeleteCommand.self,
            AgentPingCommand.self, AgentMessagesCommand.self,
        ])
}

/// Lists the connections.
struct AgentListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists the connections, and what stands in their way.")
    @OptionGroup var input: ConfigurationInput
    @Flag(help: "One JSON object a line, for machines.")
    var json = false

    func run() async throws {
        let cards = try await AgentDoor.open(input, for: .looking) { try await $0.list() }
        if json {
            for card in cards { Terminal.json(card.json) }
        } else {
            for line in AgentListing.list(cards) { Terminal.line(line) }
        }
    }
}

/// Shows one connection.
struct AgentShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Shows all that is known of a connection.")
    @OptionGroup var input: ConfigurationInput
    @Argument(help: "The connection's id, or the name of its destination.")
    var connection: String
    @Flag(help: "A JSON object, for machines.")
    var json = false

    func run() async throws {
        let name = Text(connection)
        let card = try await AgentDoor.open(input, for: .looking) { try await $0.show(name) }
        if json { return Terminal.json(card.json) }
        for line in AgentListing.card(card) { Terminal.line(line) }
    }
}

/// Pings an agent.
struct AgentPingCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ping", abstract: "Asks an agent for a sign of life, and says how long it took.",
        discussion: "Exit code: 0 when it answered, 1 when it did not in time.")
    @OptionGroup var input: ConfigurationInput
    @Argument(help: "The connection's id, or the name of its destination.")
    var connection: String
    @Option(help: ArgumentHelp("How long to wait for the answer, in seconds.", valueName: "seconds"))
    var wait = 20
    @Flag(help: "A JSON object, for machines.")
    var json = false

    func run() async throws {
        guard (1...3600).contains(wait) else { throw CommandFailure("--wait takes 1 to 3600 seconds") }
        let (name, limit) = (Text(connection), Duration.seconds(wait))
        let card = try await AgentDoor.open(input, for: .talking) { door in
            let begun = try await door.ask(.ping(name))
            guard let id = ConnectionReport(begun).id, let number = ConnectionReport.Ping(begun).number else {
                return ConnectionReport(begun)
            }
            return try await door.watch(id, within: limit) { card in
                Self.isOver(card) || card.ping?.number ?? 0 >= number && card.ping?.milliseconds != nil
            }
        }
        let took = card.ping?.milliseconds
        if json {
            let answer: JSON = [
                "id": card.id.map(JSON.string) ?? .null, "answered": .bool(took != nil),
                "milliseconds": took.map(JSON.int) ?? .null, "problem": card.problem?.json ?? .null,
            ]
            Terminal.json(answer)
            if took == nil { throw ExitCode(1) }
        } else if let took {
            Terminal.line("\(AgentListing.name(card)) answered after \(took) ms")
        } else {
            let problem = card.problem?.words ?? "it takes messages and answers none"
            let limit = Self.isOver(card) ? "" : " within \(wait) s"
            throw CommandFailure(
                "no answer\(limit): \(Terminal.printable(problem))",
                remedy: card.problem?.remedy
                    ?? "look at the agent: one that has deleted the connection needs a new invitation", exitCode: 1)
        }
    }

    /// Returns whether no answer can arrive any more.
    private static func isOver(_ card: ConnectionReport) -> Bool {
        card.state == .ended || card.state == .deleting
    }
}

/// Deletes a connection.
struct AgentDeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Deletes a connection and its keys. Nothing is sent for it.",
        discussion: """
            Its agent keeps its own side of the connection, until its operator deletes that. With --tell the running \
            service, or the next one that is started, tells the agent and then forgets the keys.

            The way to a destination for which records wait stays, unless --force says otherwise.
            """)
    @OptionGroup var input: ConfigurationInput
    @Argument(help: "The connection's id, or the name of its destination.")
    var connection: String
    @Flag(help: "Also when records wait for its destination; they stay in the ledger.")
    var force = false
    @Flag(help: "Has the service tell its agent first, in 5 seconds at most.")
    var tell = false
    @Flag(help: "A JSON object, for machines.")
    var json = false

    func run() async throws {
        let request = AgentRequest.delete(Text(connection), isForced: force, tellsAgent: tell)
        let answer = try await AgentDoor.open(input, for: .looking) { try await $0.ask(request) }
        if json { return Terminal.json(answer) }
        let id = Terminal.printable(ConnectionReport(answer).id?.string ?? connection)
        Terminal.line(
            tell
                ? "\(id) is marked: the service tells its agent, and then forgets its keys"
                : "deleted \(id); its agent was not told: delete the connection there, too")
    }
}

/// Prints the messages that wait in the mailboxes.
struct AgentMessagesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "messages", abstract: "Prints the messages out of mailboxes that are kept.",
        discussion: """
            As the documents of the mobile SDK show them: for each connection its pairwiseDID and its msgs. What is \
            understood is released at once; what is kept are those that nobody here can read.
            """)
    @OptionGroup var input: ConfigurationInput
    @Flag(help: "Only those that nobody has looked at (status MS-103).")
    var pending = false
    @Option(help: "Only the message of this id.")
    var uid: String?
    @Option(help: ArgumentHelp("Only those of this connection or destination.", valueName: "id"))
    var connection: String?
    @Flag(help: "A JSON array, for machines.")
    var json = false

    func run() async throws {
        let request = AgentRequest.messages(
            of: connection.map { Text($0) }, uid: uid.map { Text($0) }, pendingOnly: pending)
        let answer = try await AgentDoor.open(input, for: .looking) { try await $0.ask(request) }
        if json { return Terminal.json((answer["messages"] ?? [])) }
        for line in AgentListing.messages(answer) { Terminal.line(line) }
    }
}
