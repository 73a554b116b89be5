import Administration
import Aries
import Clocks
import Encoding
import Features
import Foundation
import Kiosk
import Ledger
import LinuxIO
import Settings
import Simulation
import Store
import TestKit
import Testing
import VirtualKit

@testable import Courier

/// The handler's answers about stored connections, without an agent.
@Suite struct AgentHandlerTests {
    private func router(_ body: (AgentHandler, CourierStore) async throws -> Void) async throws {
        try await gate { configuration, store, courier in
            let handler = try handler(configuration, store, courier, .system, .system)
            try await handler.service.open()
            try await body(handler, courier)
        }
    }

    private func handler(
        _ configuration: Configuration, _ store: Store, _ courier: CourierStore, _ clock: Clock, _ spawner: Spawner
    ) throws -> AgentHandler {
        AgentHandler(
            store: store,
            service: AgentService(
                configuration: configuration, store: store, openCourier: { () async throws(StoreError) in courier },
                log: try LogSink(.file("/dev/null")), clock: clock, spawner: spawner, report: { _ in }))
    }

    private func gate(_ body: (Configuration, Store, CourierStore) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("desk-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        let text = "kiosk.name = \"Desk\"\n[ledger]\npath = \"a.db\"\n"
        let configuration = try Configuration.parse(Array(text.utf8), file: "c.toml", folder: folder.path)
        let store = try await Store.open(configuration.ledger.path)
        let courier = try await CourierStore.opened(besides: store)
        try await body(configuration, store, courier)
        await courier.close()
        await store.close()
    }

    /// Unreadable messages are listed as the mobile SDK lists them: reviewed, and without content.
    @Test func setAsideEntriesAreShown() async throws {
        try await router { router, courier in
            try await courier.saveConnection("one", Array("{}".utf8))
            for (uid, connection) in [("a", "one"), ("b", "gone"), ("c", "one")] as [(Text, Text)] {
                try await courier.setAside([1, 2, 3], uid: uid, for: connection, reason: "unreadable")
            }
            func ids(_ request: AgentRequest) async throws -> [[Text]] {
                try await router.answer(request)["messages"]?.array?.map { connection in
                    (connection["msgs"]?.array ?? []).compactMap { $0["uid"]?.string }
                } ?? []
            }
            #expect(try await ids(.messages(of: nil, uid: nil, pendingOnly: false)) == [["a", "c"], ["b"]])
            #expect(try await ids(.messages(of: "one", uid: nil, pendingOnly: false)) == [["a", "c"]])
            #expect(try await ids(.messages(of: nil, uid: "b", pendingOnly: false)) == [["b"]])
            #expect(try await ids(.messages(of: nil, uid: nil, pendingOnly: true)) == [], "released, so not pending")
            let answer = try await router.answer(.messages(of: nil, uid: "c", pendingOnly: false))
            let message = answer["messages"]?.array?.first?["msgs"]?.array?.first
            #expect(message?["statusCode"]?.string == "MS-106" && message?["decryptedPayload"]?.string == "null")
            #expect(answer["mailboxes"]?.int == 0)
            await #expect(throws: ControlRefusal.self) {
                try await router.answer(.messages(of: "nobody", uid: nil, pendingOnly: false))
            }
        }
    }

    /// The handler takes the requests about agents only: a request that has no handler yet is refused.
    @Test func noOtherRequestIsTaken() async throws {
        try await router { router, _ in
            var control = ControlRouter()
            router.register(in: &control)
            for request in ControlRequest.allCases where !request.rawValue.hasPrefix("agent-") {
                let answer = String(decoding: await control.answer(request.line([])), as: UTF8.self)
                #expect(answer.contains("cannot answer yet"), "\(request): \(answer)")
            }
        }
    }

    /// Eight requests, each of which waits a second for a starting service: some wait, the others are refused
    /// at once.
    @Test func onlySomeAgentRequestsWait() async throws {
        try await gate { configuration, store, courier in
            try VirtualTime.run { time in
                var control = ControlRouter()
                try handler(configuration, store, courier, time.clock, time.spawner).register(in: &control)
                let (name, members) = AgentRequest.connect(invitation: "any", destination: nil).request
                let began = time.now
                let ends = await withTaskGroup(of: String.self) { [control] group in
                    for _ in 0..<8 {
                        group.addTask { String(decoding: await control.answer(name.line(members)), as: UTF8.self) }
                    }
                    return await group.reduce(into: []) { $0.append($1) }
                }
                #expect(ends.prefix(4).allSatisfy { $0.contains("are already waiting") }, "\(ends)")
                #expect(ends.count == 8 && ends.suffix(4).allSatisfy { $0.contains("is starting") }, "\(ends)")
                #expect(began.duration(to: time.now) == .seconds(1))
            }
        }
    }

    /// A connection that cannot be read can be deleted, and a connection that does not run is not pinged.
    @Test func aSpoiltConnection() async throws {
        try await router { router, courier in
            try await courier.saveConnection("bad", Array("{}".utf8))
            try await courier.saveConnection(
                "post", Array("{\"connection\": {}}".utf8), to: MailboxManagerCore.destination)
            let cards = try await router.answer(.list)["connections"]?.array ?? []
            #expect(cards.map { $0["state"]?.string } == ["unreadable", "unreadable"])
            #expect(cards.allSatisfy { $0["problem"]?["remedy"]?.string != nil })
            #expect(cards.map { $0["waiting"] != nil } == [true, false], "a mailbox gets no records")
            for id in ["bad", "post"] as [Text] {
                await #expect(throws: ControlRefusal.self, "\(id)") { try await router.answer(.ping(id)) }
                let marked = try await router.answer(.delete(id, isForced: false, tellsAgent: true))
                #expect(marked == ["id": .string(id), "state": "deleting"])
            }
            // The service, which does not run here, would notify their agents. After a second deletion
            // nothing is left to notify.
            #expect(try await courier.connections().map(\.tellsPeer) == [true, true])
            for id in ["bad", "post"] as [Text] {
                let deleted = try await router.answer(.delete(id, isForced: false, tellsAgent: false))
                #expect(deleted == ["id": .string(id), "state": "deleted", "told": false])
            }
            #expect(try await courier.connections().isEmpty)
        }
    }

    private func entry(
        _ uid: Text, _ status: MessageEntry.Status, _ message: JSON, of connection: Text = "one"
    ) -> MessageEntry {
        MessageEntry(
            uid: uid, connection: connection, did: "did-1", kind: "question", at: Timestamp(seconds: 1_767_225_600),
            status: status, result: "as it is", content: message.compactBytes)
    }

    /// The messages of agents are listed with their content, time and result; a question that waits is pending.
    @Test func theMessageBookIsShown() async throws {
        try await router { router, courier in
            let question: JSON = [
                "@type": "https://didcomm.org/questionanswer/1.0/question", "@id": "q", "question_text": "Open?",
                "valid_responses": [["text": "Yes"]],
            ]
            try await courier.saveConnection(
                "one", Array("{}".utf8),
                messages: [entry("u1", .rejected, ["@type": "x", "@id": "x"]), entry("u2", .pending, question)])
            func found(_ request: AgentRequest) async throws -> [JSON] {
                try await router.answer(request)["messages"]?.array?.flatMap { $0["msgs"]?.array ?? [] } ?? []
            }
            #expect(
                try await found(.messages(of: nil, uid: nil, pendingOnly: false)).map { $0["statusCode"] } == [
                    "MS-105", "MS-103",
                ])
            let pending = try await found(.messages(of: "one", uid: nil, pendingOnly: true))
            #expect(pending.map { $0["uid"] } == ["u2"])
            let message = try #require(try await found(.messages(of: nil, uid: "u2", pendingOnly: false)).first)
            #expect(message["time"] == "2026-01-01T00:00:00.000Z" && message["result"] == "as it is")
            let payload = try JSON.parse(try #require(message["decryptedPayload"]?.string).string)
            #expect(payload["@type"]?["name"] == "question")
            #expect(try JSON.parse(try #require(payload["@msg"]?.string).string) == question)

            // What cannot be answered is refused with a remedy: an unknown message, one that does not wait, an answer
            // that the question does not permit, and a connection that does not run.
            for (uid, response) in [("u3", "Yes"), ("u1", "Yes"), ("u2", "Maybe"), ("u2", "Yes")] as [(Text, Text)] {
                await #expect { try await router.answer(.answer(uid: uid, response: response, of: nil)) } throws: {
                    error in
                    (error as? ControlRefusal)?.remedy != nil
                }
            }
            #expect(try await courier.messages().map(\.status) == [.rejected, .pending])

            // Another agent has given its question the same uid: the connection has to be named.
            try await courier.saveConnection(
                "two", Array("{}".utf8), messages: [entry("u2", .pending, question, of: "two")])
            await #expect {
                try await router.answer(.answer(uid: "u2", response: "Yes", of: nil))
            } throws: { error in
                (error as? ControlRefusal)?.message.contains("one, two") == true
            }
            // An answer that waits to be sent is not given again.
            try await courier.saveConnection(
                "two", Array("{}".utf8), answers: [.init(uid: "u2", status: .pending, result: "it waits")])
            await #expect {
                try await router.answer(.answer(uid: "u2", response: "Yes", of: "two"))
            } throws: { error in
                (error as? ControlRefusal)?.message.contains("it waits") == true
            }
            #expect(try await found(.messages(of: "two", uid: nil, pendingOnly: true)).isEmpty)
        }
    }

    /// The mailbox that connections depend on is not deleted: they would stay connected and receive nothing.
    @Test(arguments: [true, false]) func aMailboxThatIsNeededStays(isForced: Bool) async throws {
        try await router { router, courier in
            let exchange = try VirtualAgentExchange()
            let link = try AgentLinks.new(
                try Invitation(await exchange.invitation), id: "user", reception: .mailbox, .impatient,
                AgentLink.Dependencies(exchange: exchange, store: courier, clock: .system))
            try await link.keep()
            try await courier.saveConnection(
                "post", Array("{\"connection\": {}}".utf8), to: MailboxManagerCore.destination)
            await #expect {
                try await router.answer(.delete("mailbox", isForced: isForced, tellsAgent: false))
            } throws: { error in
                (error as? ControlRefusal)?.message.contains("user (primary)") == true
            }
            let card = try await router.answer(.show("user"))
            #expect(card["wholeInvitation"] == (await exchange.invitation))
            #expect(card["problem"]?["text"]?.string?.string.contains("waits for the mailbox") == true, "\(card)")
            _ = try await router.answer(.delete("user", isForced: true, tellsAgent: false))
            _ = try await router.answer(.delete("post", isForced: isForced, tellsAgent: false))
            #expect(try await courier.connections().isEmpty)
        }
    }
}
