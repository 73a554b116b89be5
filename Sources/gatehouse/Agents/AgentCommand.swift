import Administration
import ArgumentParser
import Clocks
import Console
import Encoding
import Observation

/// `gatehouse agent`: the commands for connections to cloud agents.
struct AgentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "agent", abstract: "Makes, shows and deletes the connections to cloud agents.",
        discussion: """
            Uses the running service, which keeps working; without one, its database. Root and the service's user may \
            make changes; members of control.group may only read.
            """,
        subcommands: [
            AgentConnectCommand.self, AgentListCommand.self, AgentShowCommand.self, AgentDeleteCommand.self,
            AgentPingCommand.self, AgentMessagesCommand.self, AgentAnswerCommand.self,
        ])
}

/// `gatehouse agent list`: prints all connections.
struct AgentListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists the connections and their problems.")
    @OptionGroup var input: ConfigurationInput
    @Flag(help: "One JSON object per line, for machines.")
    var json = false

    func run() async throws {
        let cards = try await AgentClient.open(input, for: .looking) { try await $0.list() }
        if json {
            for card in cards { Terminal.json(card.json) }
        } else {
            for line in AgentListing.list(cards) { Terminal.line(line) }
        }
    }
}

/// `gatehouse agent show`: prints one connection.
struct AgentShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Shows the details of a connection.")
    @OptionGroup var input: ConfigurationInput
    @Argument(help: "The connection's id, or the name of its destination.")
    var connection: String
    @Flag(help: "A JSON object, for machines.")
    var json = false

    func run() async throws {
        let name = Text(connection)
        let card = try await AgentClient.open(input, for: .looking) { try await $0.show(name) }
        if json { return Terminal.json(card.json) }
        for line in AgentListing.card(card) { Terminal.line(line) }
    }
}

struct AgentPingCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ping", abstract: "Pings an agent and prints the response time.",
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
        let card = try await AgentClient.open(input, for: .talking) { client in
            let begun = try await client.ask(.ping(name))
            guard let id = ConnectionReport(begun).id, let number = ConnectionReport.Ping(begun).number else {
                return ConnectionReport(begun)
            }
            return try await client.watch(id, within: limit) { card in
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
            let problem = card.problem?.words ?? "it accepts messages and does not answer"
            let limit = Self.isOver(card) ? "" : " within \(wait) s"
            throw CommandFailure(
                "no answer\(limit): \(Terminal.printable(problem))",
                remedy: card.problem?.remedy
                    ?? "check the agent: if it has deleted the connection, connect again with a new invitation",
                exitCode: 1)
        }
    }

    /// Returns whether no answer can arrive any more over the connection.
    private static func isOver(_ card: ConnectionReport) -> Bool {
        card.state == .ended || card.state == .deleting
    }
}

/// `gatehouse agent delete`: deletes a connection.
struct AgentDeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Deletes a connection and its keys without notifying its agent.",
        discussion: """
            The agent keeps its side of the connection until its operator deletes it. With --tell the running \
            service, or the next start of it, notifies the agent and then deletes the keys.

            A connection to a destination with unconfirmed records is not deleted without --force.
            """)
    @OptionGroup var input: ConfigurationInput
    @Argument(help: "The connection's id, or the name of its destination.")
    var connection: String
    @Flag(help: "Delete also with unconfirmed records for its destination; they stay in the ledger.")
    var force = false
    @Flag(help: "The service notifies the agent first, for at most 5 seconds.")
    var tell = false
    @Flag(help: "A JSON object, for machines.")
    var json = false

    func run() async throws {
        let request = AgentRequest.delete(Text(connection), isForced: force, tellsAgent: tell)
        let answer = try await AgentClient.open(input, for: .looking) { try await $0.ask(request) }
        if json { return Terminal.json(answer) }
        let id = Terminal.printable(ConnectionReport(answer).id?.string ?? connection)
        Terminal.line(
            tell
                ? "\(id) is marked for deletion: the service notifies its agent and then deletes its keys"
                : "deleted \(id); its agent was not notified: delete the connection there, too")
    }
}

/// `gatehouse agent messages`: prints the messages that agents sent on their own initiative.
struct AgentMessagesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "messages", abstract: "Prints the messages that agents sent on their own initiative.",
        discussion: """
            In the form of the mobile SDK's documents: for each connection its pairwiseDID and its msgs, each with its \
            result. The last 256 messages are kept, without pings and receipts, and the last 64 unreadable ones.
            """)
    @OptionGroup var input: ConfigurationInput
    @Flag(help: "Only questions that wait for an answer (status MS-103).")
    var pending = false
    @Option(help: "Only the message with this id.")
    var uid: String?
    @Option(help: ArgumentHelp("Only messages of this connection or destination.", valueName: "id"))
    var connection: String?
    @Flag(help: "A JSON array, for machines.")
    var json = false

    func run() async throws {
        let request = AgentRequest.messages(
            of: connection.map { Text($0) }, uid: uid.map { Text($0) }, pendingOnly: pending)
        let answer = try await AgentClient.open(input, for: .looking) { try await $0.ask(request) }
        if json { return Terminal.json((answer["messages"] ?? [])) }
        for line in AgentListing.messages(answer) { Terminal.line(line) }
    }
}

/// `gatehouse agent answer`: answers a question of an agent.
struct AgentAnswerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "answer", abstract: "Answers a question of an agent.",
        discussion: """
            The questions are those that gatehouse agent messages --pending lists. If the question requires a \
            signature, the answer is signed with the connection's key. Exit code: 0 when the agent's server accepted \
            the answer, 1 when it refused the answer or did not accept it in time.
            """)
    @OptionGroup var input: ConfigurationInput
    @Argument(help: "The uid of the question.")
    var uid: String
    @Argument(help: "The answer: one of those that the question permits.")
    var response: String
    @Option(help: ArgumentHelp("The connection or destination, if two questions have the same uid.", valueName: "id"))
    var connection: String?
    @Option(help: ArgumentHelp("How long to wait until it is sent, in seconds.", valueName: "seconds"))
    var wait = 20
    @Flag(help: "A JSON object, for machines.")
    var json = false

    func run() async throws {
        guard (1...3600).contains(wait) else { throw CommandFailure("--wait takes 1 to 3600 seconds") }
        let request = AgentRequest.answer(
            uid: Text(uid), response: Text(response), of: connection.map { Text($0) })
        let limit = Duration.seconds(wait)
        let (answer, card, found) = try await AgentClient.open(input, for: .talking) { client in
            let answer = try await client.ask(request)
            let id = ConnectionReport(answer).id ?? ""
            let found = try await Self.fate(Text(uid), of: id, client, within: limit)
            // A newer connection may have replaced the connection `id` meanwhile. Then use the answer of the service
            // as the report.
            return (answer, (try? await client.show(id)) ?? ConnectionReport(answer), found)
        }
        let isSent = found?["statusCode"] == "MS-104"
        if json {
            var members = answer.object ?? [:]
            members["sent"] = found == nil ? JSON.null : .bool(isSent)
            members["result"] = found?["result"] ?? .null
            Terminal.json(JSON.object(members))
            if !isSent { throw ExitCode(1) }
        } else if isSent {
            Terminal.line("\(AgentListing.name(card)) received the answer")
        } else if let found, !Self.isPending(found) {
            throw CommandFailure(
                Terminal.printable(found["result"]?.string?.string ?? "not answered"),
                remedy: "see gatehouse agent show \(Terminal.printable(card.id?.string ?? ""))", exitCode: 1)
        } else if found == nil {
            throw CommandFailure(
                "the message book no longer has the question, so the result of the answer is not known",
                remedy: "ask the operator of the agent", exitCode: 1)
        } else {
            let problem = card.problem?.words ?? "the agent's server has not accepted it yet"
            throw CommandFailure(
                "not sent within \(wait) s: \(Terminal.printable(problem))",
                remedy: card.problem?.remedy ?? "a running service keeps retrying",
                exitCode: 1)
        }
    }

    /// Polls the message book until the question is no longer pending or the time limit has passed. Returns the
    /// question; nil if the message book no longer contains it or its connection was deleted.
    private static func fate(
        _ uid: Text, of connection: Text, _ client: AgentClient, within limit: Duration
    ) async throws -> JSON? {
        let end = Machine.clock.now().advanced(by: limit)
        while true {
            let book = try? await client.ask(.messages(of: connection, uid: uid, pendingOnly: false))
            let found = book?["messages"]?.array?.first?["msgs"]?.array?.last
            guard let found, isPending(found), Machine.clock.now() < end else { return found }
            try await client.rest(.milliseconds(50))
        }
    }

    private static func isPending(_ message: JSON) -> Bool { message["statusCode"] == "MS-103" }
}
