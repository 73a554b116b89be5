import Encoding
import Foundation
import Testing

@testable import Store

/// The message book: the messages that agents sent on their own initiative.
@Suite struct MessageBookTests {
    private func entry(
        _ uid: Text, _ status: MessageEntry.Status = .reviewed, of connection: Text = "c", bytes: Int = 10
    ) -> MessageEntry {
        MessageEntry(
            uid: uid, connection: connection, did: "did", kind: "message", at: Timestamp(seconds: 1_767_225_600),
            status: status, result: "understood", content: [UInt8](repeating: UInt8(ascii: " "), count: bytes))
    }

    private func withStore(_ body: (Store) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("book-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try await Store.open(folder.appendingPathComponent("ledger.db").path)
        try await body(store)
        await store.close()
    }

    private func add(_ entries: [MessageEntry], _ store: Store) async throws {
        try await store.saveConnection("c", Array("{}".utf8), messages: entries)
    }

    /// A message is added once, together with the state to which it led.
    @Test func aMessageIsInTheBookOnce() async throws {
        try await withStore { store in
            try await add([entry("a"), entry("b", .pending)], store)
            try await add([entry("a"), entry("a", of: "d")], store)
            let book = try await store.messages()
            #expect(book == [entry("a"), entry("b", .pending), entry("a", of: "d")])
        }
    }

    @Test func onlyAPendingMessageIsAnswered() async throws {
        try await withStore { store in
            try await add([entry("a"), entry("b", .pending)], store)
            #expect(try await !store.answered("a", of: "c", with: "Yes"))
            #expect(try await !store.answered("b", of: "d", with: "Yes"))
            #expect(try await store.answered("b", of: "c", with: "Yes"))
            #expect(try await !store.answered("b", of: "c", with: "No"))
            let answered = try #require(try await store.messages().last)
            #expect(answered.status == .accepted && answered.result == "answered: Yes")
            // The message arrives again after a crash: the answer stays.
            try await add([entry("b", .pending)], store)
            #expect(try await store.messages().last == answered)
        }
    }

    /// The oldest messages are removed first. Messages that wait for an answer are removed last.
    @Test func theBookIsBounded() async throws {
        try await withStore { store in
            try await add([entry("question", .pending)], store)
            for start in stride(from: 0, to: 300, by: 50) {
                try await add((start..<start + 50).map { entry(Text("m\($0)")) }, store)
            }
            var book = try await store.messages()
            #expect(book.count == Store.messageLimit && book.first?.uid == "question")
            #expect(book.dropFirst().first?.uid == Text("m\(301 - Store.messageLimit)"))
            for number in 0..<80 { try await add([entry(Text("large\(number)"), bytes: Store.messageBytes)], store) }
            book = try await store.messages()
            #expect(book.reduce(0) { $0 + $1.content.count } <= Store.messagesBytes && book.first?.uid == "question")
            try await add([entry("huge", bytes: Store.messageBytes + 1)], store)
            #expect(try await store.messages().last?.content == [])
        }
    }
}
