import Encoding
import Foundation
import Testing

@testable import Store

/// The message book: the messages that agents sent on their own initiative.
@Suite struct MessageBookTests {
    private func entry(
        _ uid: Text, _ status: MessageEntry.Status = .reviewed, of connection: Text = "c", bytes: Int? = nil
    ) -> MessageEntry {
        let content = [UInt8](repeating: UInt8(ascii: " "), count: bytes ?? (status == .pending ? 10 : 0))
        return MessageEntry(
            uid: uid, connection: connection, did: "did", kind: "message", at: Timestamp(seconds: 1_767_225_600),
            status: status, result: "understood", content: content)
    }

    private func withCourier(_ body: (CourierStore) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("book-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        let ledger = folder.appendingPathComponent("ledger.db").path
        try await Store.open(ledger).close()
        let courier = try await CourierStore.open(besides: ledger)
        try await body(courier)
        await courier.close()
    }

    private func add(_ entries: [MessageEntry], _ courier: CourierStore) async throws {
        try await courier.saveConnection("c", Array("{}".utf8), messages: entries)
    }

    /// A message is added once, together with the state to which it led.
    @Test func aMessageIsInTheBookOnce() async throws {
        try await withCourier { courier in
            try await add([entry("a"), entry("b", .pending)], courier)
            try await add([entry("a"), entry("a", of: "d")], courier)
            let book = try await courier.messages()
            #expect(book == [entry("a"), entry("b", .pending), entry("a", of: "d")])
        }
    }

    /// The status of a question changes together with the state that its answer is part of.
    @Test func onlyAPendingMessageIsAnswered() async throws {
        try await withCourier { courier in
            func change(_ uid: Text, _ status: MessageEntry.Status, of connection: Text = "c") async throws {
                try await courier.saveConnection(
                    connection, Array("{}".utf8), answers: [.init(uid: uid, status: status, result: "changed")])
            }
            try await add([entry("a"), entry("b", .pending)], courier)
            let before = try await courier.messages()
            try await change("a", .accepted)
            try await change("b", .accepted, of: "d")
            #expect(try await courier.messages() == before && before.map(\.isOpen) == [false, true])
            try await change("b", .pending)
            var question = try #require(try await courier.messages().last)
            #expect(question.status == .pending && !question.isOpen && question.content.isEmpty)
            try await change("b", .accepted)
            question = try #require(try await courier.messages().last)
            #expect(question.status == .accepted && question.result == "changed")
            // The message arrives again after a crash: the answer stays.
            try await change("b", .rejected)
            try await add([entry("b", .pending)], courier)
            #expect(try await courier.messages().last == question)
        }
    }

    /// Of a connection's messages, the oldest are removed first, and unanswered questions last.
    @Test func theBookIsBounded() async throws {
        try await withCourier { courier in
            try await add([entry("question", .pending)], courier)
            for start in stride(from: 0, to: 300, by: 50) {
                try await add((start..<start + 50).map { entry(Text("m\($0)")) }, courier)
            }
            var book = try await courier.messages()
            #expect(book.count == CourierStore.messageLimit && book.first?.uid == "question")
            #expect(book.dropFirst().first?.uid == Text("m\(301 - CourierStore.messageLimit)"))
            try await add([entry("huge", .pending, bytes: CourierStore.messageBytes + 1)], courier)
            #expect(try await courier.messages().last?.content == [])
            for number in 0..<80 {
                try await add([entry(Text("large\(number)"), .pending, bytes: CourierStore.messageBytes)], courier)
            }
            book = try await courier.messages()
            #expect(
                book.reduce(0) { $0 + $1.content.count } <= CourierStore.messagesBytes && book.last?.uid == "large79")
        }
    }

    /// An agent that floods the book displaces its own messages only.
    @Test func eachConnectionHasItsShare() async throws {
        try await withCourier { courier in
            let others = ["d", "e"].flatMap { (connection: Text) in
                [entry("question", .pending, of: connection), entry("message", of: connection)]
            }
            try await add(others, courier)
            for number in 0..<400 {
                let isLarge = number % 2 == 0
                try await add(
                    [
                        entry(
                            Text("flood\(number)"), isLarge ? .pending : .reviewed,
                            bytes: isLarge ? CourierStore.messageBytes : 10)
                    ], courier)
            }
            let book = try await courier.messages()
            #expect(book.count <= CourierStore.messageLimit)
            #expect(book.filter { $0.connection != "c" }.map(\.uid) == others.map(\.uid))
            #expect(book.filter { $0.connection != "c" }.map(\.isOpen) == [true, false, true, false])
        }
    }

    /// Only a question that waits for the operator keeps its content.
    @Test func messagesWithoutAnAnswerHaveNoContent() async throws {
        try await withCourier { courier in
            let all: [MessageEntry.Status] = [.pending, .accepted, .rejected, .reviewed]
            try await add(all.map { entry(Text($0.rawValue), $0, bytes: 10) }, courier)
            #expect(try await courier.messages().map { $0.content.isEmpty } == [false, true, true, true])
        }
    }

    /// No question of a deleted connection waits, and the connection does not come back.
    @Test func aDeletedConnectionAsksNothing() async throws {
        try await withCourier { courier in
            for id in ["marked", "gone", "kept"] as [Text] {
                try await courier.saveConnection(id, [1], messages: [entry("q", .pending, of: id)])
            }
            _ = try await courier.beginDeletion(of: "marked")
            try await courier.forgetConnection("gone")
            let book = try await courier.messages()
            #expect(
                book.map(\.status) == [.rejected, .rejected, .pending] && book.map(\.isOpen) == [false, false, true])
            try await courier.finishDeletion(of: "marked")
            for id in ["marked", "gone", "kept"] as [Text] { try await courier.saveConnection(id, [2], to: "mailbox") }
            #expect(try await courier.connections().map(\.id) == ["kept"])
        }
    }

    /// A question that arrives between the two steps of a deletion does not wait either.
    @Test func aQuestionOfAMarkedConnectionIsClosed() async throws {
        try await withCourier { courier in
            try await add([], courier)
            _ = try await courier.beginDeletion(of: "c")
            try await add([entry("late", .pending)], courier)
            #expect(try await courier.messages().map(\.isOpen) == [true])
            try await courier.finishDeletion(of: "c")
            let book = try await courier.messages()
            #expect(book.map(\.status) == [.rejected] && book.map(\.isOpen) == [false])
            // A second call finds no connection, and changes nothing.
            try await courier.finishDeletion(of: "c")
            #expect(try await courier.messages() == book)
        }
    }
}
