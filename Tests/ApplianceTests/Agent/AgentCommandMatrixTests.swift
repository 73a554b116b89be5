import Administration
import Aries
import Clocks
import DIDComm
import Encoding
import Features
import Foundation
import HTTPTransport
import Ledger
import LinuxIO
import Mailboxes
import Settings
import Simulation
import Store
import TestKit
import Testing

@testable import Courier

/// Every command about agents, with and without a running service, with each kind of mailbox, and by an invitation
/// that serves once or many times.
@Suite(.timeLimit(.minutes(10)), .tags(.realTime)) struct AgentCommandMatrixTests {
    /// `agent.mailbox`.
    enum Mailbox: String, CaseIterable { case none, auto, invitation, agency }

    struct Row: CustomTestStringConvertible, Sendable {
        let mailbox: Mailbox
        let hasService: Bool
        let isSingleUse: Bool
        var testDescription: String {
            "\(mailbox), \(hasService ? "service" : "no service"), \(isSingleUse ? "single-use" : "multi-use")"
        }

        /// Whether the agent reaches the gate through a mailbox in the end. An agent's own mailbox needs a second
        /// connection by the same invitation, which only the service makes.
        var isReached: Bool {
            switch mailbox {
            case .none: false
            case .auto: hasService && !isSingleUse
            case .invitation, .agency: true
            }
        }
    }

    /// If the mailbox is created with the invitation of the same agent, that invitation is used up.
    static let rows = Mailbox.allCases.flatMap { mailbox in
        [true, false].flatMap { hasService in
            (mailbox == .invitation ? [false] : [true, false]).map {
                Row(mailbox: mailbox, hasService: hasService, isSingleUse: $0)
            }
        }
    }

    /// The agent and the network between it and the gate.
    private struct Peer: Sendable {
        let network: any MessageExchange
        let invitation: JSON
        /// Makes the agent ask whether the gate is open.
        let ask: @Sendable () async -> Void
        /// Returns the number of answers to that question.
        let answers: @Sendable () async -> Int
        var lines = ""

        init(_ row: Row) async throws {
            if row.mailbox == .agency {
                let network = try AgencyNetwork(.node)
                if row.isSingleUse { await network.useOnce() }
                (self.network, invitation) = (network, await network.invitation)
                (ask, answers) = ({ await network.ask() }, { await network.answers })
                let party = await network.party
                lines = """
                    [agency]
                    dialect = "node"
                    url = "http://agency.test"
                    did = "\(party.did)"
                    verkey = "\(party.key)"
                    poll = "1s"
                    """
                return
            }
            let exchange = try VirtualAgentExchange(hasPickup: row.mailbox == .none ? nil : true)
            if row.isSingleUse { await exchange.withAgent { $0.isSingleUse = true } }
            (network, invitation) = (exchange, await exchange.invitation)
            answers = { await exchange.others.count { $0["~thread"]?["thid"] == "question-1" } }
            ask = {
                await exchange.withAgent {
                    $0.send(
                        Message.make(
                            MessageType(.didcomm, Question.name, "question"), id: "question-1",
                            [.init("question_text", "open?"), .init("valid_responses", [["text": "yes"]])]))
                }
            }
        }
    }

    /// A gate's database, and the handler that answers its commands.
    private struct Gate: Sendable {
        let row: Row
        let peer: Peer
        let store: Store
        let courier: CourierStore
        let configuration: Configuration

        /// Runs `body` with the handler of a service that runs for this purpose.
        func withHandler(_ purpose: AgentService.Purpose, _ body: (AgentHandler) async throws -> Void) async throws {
            var times = AgentTimes()
            // A single-use invitation leads to no second connection; the gate waits for one as long as this.
            (times.look, times.trial) = (.milliseconds(20), row.isSingleUse ? .milliseconds(500) : .seconds(60))
            (times.connection.firstLook, times.connection.longestLook) = (.milliseconds(5), .milliseconds(50))
            times.mediator.idle = .milliseconds(20)
            let service = AgentService(
                configuration: configuration, store: store,
                openCourier: { [courier] () async throws(StoreError) in courier },
                log: try LogSink(.file("/dev/null")), purpose: purpose, times: times, clock: .system, spawner: .system,
                network: peer.network, report: { _ in })
            let running = Task { try await service.run() }
            func end() async {
                running.cancel()
                _ = await running.result
            }
            do {
                try await eventually("running") { await service.isRunning }
                try await body(AgentHandler(store: store, service: service))
                await end()
            } catch {
                await end()
                throw error
            }
        }
    }

    private func cards(_ handler: AgentHandler) async throws -> [JSON] {
        try await handler.answer(.list)["connections"]?.array ?? []
    }

    /// Asks until the answer is the expected one.
    private func until(
        _ what: String, _ handler: AgentHandler, _ request: AgentRequest, at place: SourceLocation = #_sourceLocation,
        isDone: (JSON) -> Bool
    ) async throws {
        var last = JSON.null
        try await eventually(what, at: place, telling: { "\(last)" }) {
            last = try await handler.answer(request)
            return isDone(last)
        }
    }

    private static func messages(_ answer: JSON) -> [JSON] {
        answer["messages"]?.array?.flatMap { $0["msgs"]?.array ?? [] } ?? []
    }

    private func withGate(_ row: Row, _ body: (Gate) async throws -> Void) async throws {
        try await Leftovers.ended { leftovers in
            let folder = try leftovers.folder("matrix")
            let peer = try await Peer(row)
            let invitation = folder.appendingPathComponent("mailbox.invitation")
            try Data(peer.invitation.compactBytes).write(to: invitation)
            let text = """
                kiosk.name = "Gate"
                [ledger]
                path = "a.db"
                [agent]
                allowPlainHTTP = true
                retryFirst = "100ms"
                retryLast = "1s"
                mailbox = "\(row.mailbox == .invitation ? invitation.path : row.mailbox.rawValue)"
                \(peer.lines)
                """
            let configuration = try Configuration.parse(Array(text.utf8), file: "c.toml", folder: folder.path)
            let store = try await Store.open(configuration.ledger.path)
            let gate = Gate(
                row: row, peer: peer, store: store, courier: try await CourierStore.opened(besides: store),
                configuration: configuration)
            try await body(gate)
            await gate.courier.close()
            await gate.store.close()
        }
    }

    @Test(arguments: rows) func everyCommand(_ row: Row) async throws {
        try await withGate(row) { gate in
            if row.hasService {
                try await gate.withHandler(.service) { handler in
                    for command in commands { try await command(gate, handler) }
                }
            } else {
                // Each command is a process of its own, which takes up what the one before it has stored.
                for command in commands { try await gate.withHandler(.command) { try await command(gate, $0) } }
            }
        }
    }

    /// The report about a connection says that it leads to the mailbox. If the connection has led to a destination
    /// again since the report was made, its deletion ends it at that destination.
    @Test func aConnectionIsDeletedWhereItIs() async throws {
        try await withGate(Row(mailbox: .none, hasService: true, isSingleUse: false)) { gate in
            try await gate.withHandler(.service) { handler in
                try await connects(gate, handler)
                let id = try #require(try await handler.answer(.show("primary"))["id"]?.string)
                let destination = try #require(handler.service.destination(DeliveryCursor.primary))
                #expect(await destination.link(id) != nil)
                try await gate.store.letGo(of: id)
                _ = try await gate.courier.beginDeletion(of: id, withReplaced: true, tellsPeer: false)
                try await handler.service.delete([id], of: MailboxManagerCore.destination, tellsAgent: false)
                #expect(await destination.link(id) == nil)
                #expect(await destination.isEmpty)
                #expect(try await gate.courier.connections().isEmpty)
            }
        }
    }

    private var commands: [(Gate, AgentHandler) async throws -> Void] {
        [connects, isListedAndShown, isPinged, asksAndIsAnswered, keepsTheMailbox, isDeleted]
    }

    private func connects(_ gate: Gate, _ handler: AgentHandler) async throws {
        let request = AgentRequest.connect(
            invitation: Text(gate.peer.invitation.compactText), destination: nil)
        #expect(try await handler.answer(request)["way"]?.string == "new")
        try await until("connected", handler, .list) { answer in
            let cards = answer["connections"]?.array ?? []
            let primary = cards.filter { $0["destination"] == "primary" && $0["state"]?.string != "deleting" }
            return primary.count == 1 && primary.first?["state"] == "connected"
                && (primary.first?["mailbox"]?.string != nil) == gate.row.isReached
                && primary.first?["asksForMailbox"] == false
        }
    }

    private func isListedAndShown(_ gate: Gate, _ handler: AgentHandler) async throws {
        let card = try await handler.answer(.show("primary"))
        #expect(card["state"] == "connected" && card["wholeInvitation"] == gate.peer.invitation, "\(card)")
        let mailboxes = try await cards(handler).count { $0["destination"] == "mailbox" }
        #expect(mailboxes == (gate.row.isReached ? 1 : 0))
        let again = AgentRequest.connect(
            invitation: Text(gate.peer.invitation.compactText), destination: nil)
        #expect(try await handler.answer(again)["way"]?.string == "known")
    }

    private func isPinged(_ gate: Gate, _ handler: AgentHandler) async throws {
        let number = try await handler.answer(.ping("primary"))["number"]?.int
        try await until("answered", handler, .show("primary")) {
            $0["ping"]?["number"]?.int == number && $0["ping"]?["milliseconds"]?.int != nil
        }
    }

    /// The agent asks a question that no rule answers. The operator finds it and answers it.
    private func asksAndIsAnswered(_ gate: Gate, _ handler: AgentHandler) async throws {
        // Like a real agent: an agent with mailboxes stores no message for a gate that it reaches without a mailbox.
        guard gate.row.isReached || gate.row.mailbox == .none else { return }
        await gate.peer.ask()
        var uid: Text?
        try await eventually("asked") {
            // Without a mailbox, a message arrives in the answer to a message of the gate.
            if !gate.row.isReached { _ = try await handler.answer(.ping("primary")) }
            let pending = try await handler.answer(.messages(of: "primary", uid: nil, pendingOnly: true))
            uid = Self.messages(pending).first?["uid"]?.string
            return uid != nil
        }
        let found = try #require(uid)
        let one = Self.messages(try await handler.answer(.messages(of: nil, uid: found, pendingOnly: false)))
        #expect(one.count == 1 && one.first?["decryptedPayload"]?.string?.string.contains("open?") == true)
        await #expect(throws: ControlRefusal.self) {
            try await handler.answer(.answer(uid: found, response: "perhaps", of: nil))
        }
        _ = try await handler.answer(.answer(uid: found, response: "yes", of: "primary"))
        await #expect(throws: ControlRefusal.self, "a question is answered once") {
            try await handler.answer(.answer(uid: found, response: "yes", of: "primary"))
        }
        try await until("sent", handler, .messages(of: "primary", uid: found, pendingOnly: false)) {
            Self.messages($0).first?["statusCode"] == "MS-104"
        }
        #expect(await gate.peer.answers() == 1)
        let rest = try await handler.answer(.messages(of: nil, uid: nil, pendingOnly: true))
        #expect(Self.messages(rest).isEmpty)
        await #expect(throws: ControlRefusal.self) {
            try await handler.answer(.answer(uid: found, response: "yes", of: nil))
        }
    }

    private func keepsTheMailbox(_ gate: Gate, _ handler: AgentHandler) async throws {
        guard gate.row.isReached else { return }
        for isForced in [true, false] {
            await #expect(throws: ControlRefusal.self) {
                try await handler.answer(.delete("mailbox", isForced: isForced, tellsAgent: false))
            }
        }
        let card = try await handler.answer(.show("primary"))
        #expect(card["state"] == "connected" && card["mailbox"]?.string != nil)
    }

    private func isDeleted(_ gate: Gate, _ handler: AgentHandler) async throws {
        _ = try await handler.answer(.delete("primary", isForced: true, tellsAgent: false))
        #expect(try await cards(handler).allSatisfy { $0["destination"]?.string != "primary" })
        if gate.row.isReached, gate.row.mailbox != .auto {
            let answer = try await handler.answer(.delete("mailbox", isForced: false, tellsAgent: false))
            #expect(answer["state"] == "deleted")
        }
    }
}
