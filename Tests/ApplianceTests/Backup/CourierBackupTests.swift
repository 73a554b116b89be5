import Encoding
import Foundation
import Ledger
import Store
import TestKit
import Testing

@testable import Backup

/// The courier's database in backups: with the ledger's, without it as in version 0.1.0, and damaged.
@Suite(.timeLimit(.minutes(5))) struct CourierBackupTests {
    private let passphrase = Array("five words are quite good".utf8)

    /// Puts the ledger of an earlier version into a box. Opens it once, and does not move its connection.
    private func putReleased(_ box: BackupBox) async throws {
        let kept = Vectors.repository.appendingPathComponent("Tests/Databases/schema-3").path
        for (file, name) in [("gatehouse.sqlite", ""), ("witness", ".witness"), ("key", ".witness-key")] {
            let path = box.path("state/gatehouse.db" + name)
            try FileManager.default.copyItem(atPath: "\(kept)/\(file)", toPath: path)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        }
        await (try await box.open()).close()
    }

    /// A backup of version 0.1.0 has the connections in its ledger's database. They come back, and those of the card
    /// are put aside.
    @Test func aBackupWithoutACouriersDatabaseBringsItsConnections() async throws {
        let (box, card) = (try BackupBox(), try BackupBox())
        try await putReleased(box)
        _ = try await box.making.make(box.path("usb/b"), passphrase: passphrase)
        #expect(try BackupFile(box.path("usb/b")).courier == nil)
        #expect(!box.names.contains { $0.contains(".courier") }, "a backup makes no database")
        try await card.serve(1)
        let present = try card.read("state/gatehouse.db.courier")
        let done = try await card.restoring.restore(box.path("usb/b"), .with(passphrase, replaces: true))
        #expect(done.aside == ["replaced-1", "courier.replaced-1"].map { card.path("state/gatehouse.db.\($0)") })
        #expect(try card.read("state/gatehouse.db.courier.replaced-1") == present)
        let store = try await card.open()
        #expect(store.hasBegunNewLedger)
        #expect(try await card.states(store) == [[1, 2, 3]])
        #expect(try await card.states(store) == [[1, 2, 3]], "and again")
        await store.close()
    }

    /// A card without a ledger, but with connections: they are replaced only if the operator says so.
    @Test func aPresentCouriersDatabaseIsNotReplacedUnasked() async throws {
        let (box, card) = (try BackupBox(), try BackupBox())
        try await box.serve(1)
        _ = try await box.making.make(box.path("usb/b"), passphrase: passphrase)
        try await card.serve(1)
        for ending in ["", "-wal", "-shm", ".witness"] {
            try? FileManager.default.removeItem(atPath: card.path("state/gatehouse.db" + ending))
        }
        let present = try card.read("state/gatehouse.db.courier")
        await #expect(throws: BackupFailure.self) {
            try await card.restoring.restore(box.path("usb/b"), .with(passphrase))
        }
        #expect(try card.read("state/gatehouse.db.courier") == present)
        let done = try await card.restoring.restore(box.path("usb/b"), .with(passphrase, replaces: true))
        #expect(done.aside == [card.path("state/gatehouse.db.courier.replaced-1")])
    }

    /// Questions in a backup may have been answered since: none is answered a second time.
    @Test func aRestoredQuestionIsClosed() async throws {
        let (box, card) = (try BackupBox(), try BackupBox())
        try await box.serve(1)
        var store = try await box.open()
        let question = MessageEntry(
            uid: "question", connection: "agent", did: "did", kind: "question", at: Timestamp(seconds: 1_767_225_600),
            status: .pending, result: "waits", content: [UInt8]("{}".utf8))
        var courier = try await box.courier(store)
        try await courier.saveConnection("agent", [4, 5], handled: [[7]], messages: [question])
        try await courier.setAside([1], uid: "m", for: "agent", reason: "no key")
        // The backup is made next to the running service.
        _ = try await box.making.make(box.path("usb/b"), passphrase: passphrase)
        #expect(try await courier.messages() == [question])
        await courier.close()
        await store.close()
        _ = try await card.restoring.restore(box.path("usb/b"), .with(passphrase))
        store = try await card.open()
        courier = try await card.courier(store)
        #expect(try await courier.connections().map(\.snapshot) == [[4, 5]])
        #expect(try await courier.handledMessages(last: 9) == [[7]])
        #expect(try await courier.quarantine().map(\.uid) == ["m"])
        let message = try #require(try await courier.messages().first)
        #expect(message.status == .rejected && message.content.isEmpty)
        await courier.close()
        await store.close()
    }

    /// A restore that continues the ledger also continues the open questions, because this gate alone has them.
    @Test func aContinuedQuestionStaysOpen() async throws {
        let (box, card) = (try BackupBox(), try BackupBox())
        try await box.serve(1)
        let store = try await box.open()
        let question = MessageEntry(
            uid: "question", connection: "agent", did: "did", kind: "question", at: Timestamp(seconds: 1_767_225_600),
            status: .pending, result: "waits", content: [UInt8]("{}".utf8))
        let courier = try await box.courier(store)
        try await courier.saveConnection("agent", [4, 5], messages: [question])
        await courier.close()
        await store.close()
        _ = try await box.making.make(box.path("usb/b"), passphrase: passphrase, isLast: true)
        _ = try await card.restoring.restore(box.path("usb/b"), .with(passphrase, continues: true))
        let restored = try await card.open()
        let questions = try await card.courier(restored)
        #expect(try await questions.messages() == [question])
        await questions.close()
        await restored.close()
    }

    /// A page that only the check of the copy reads: the error names the courier's database, not the temporary copy.
    /// The remedy is not that of a ledger.
    @Test func aDamagedPageOfTheCouriersDatabaseIsNamed() async throws {
        let box = try BackupBox()
        try await box.serve(1)
        let store = try await box.open()
        let courier = try await box.courier(store)
        for number in 1...40 {
            try await courier.setAside([UInt8](repeating: 7, count: 300), uid: Text("m\(number)"), for: "", reason: "")
        }
        await courier.close()
        await store.close()
        let path = box.path("state/gatehouse.db.courier")
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let page = bytes.count / 512 * 3 / 4 * 512
        bytes.replaceSubrange(page..<page + 512, with: Data(repeating: 0xAA, count: 512))
        try bytes.write(to: URL(fileURLWithPath: path))
        await #expect {
            try await box.making.make(box.path("usb/b"), passphrase: passphrase)
        } throws: { error in
            let failure = error as? BackupFailure
            return failure?.text.contains("\(path) is damaged") == true
                && failure?.remedy.hasPrefix("restart the service, which renames the file") == true
        }
    }

    /// A gate whose courier's database is damaged: the backup fails with a reason, and leaves no file. Without the
    /// connections it is made, and the restore names what is missing.
    @Test func aDamagedCouriersDatabaseIsNamed() async throws {
        let box = try BackupBox()
        try await box.serve(2)
        try Data(repeating: 0x55, count: 8192).write(to: URL(fileURLWithPath: box.path("state/gatehouse.db.courier")))
        await #expect {
            try await box.making.make(box.path("usb/b"), passphrase: passphrase)
        } throws: { error in
            "\(error)".contains("gatehouse.db.courier") && "\(error)".contains("--without-connections")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: box.path("usb")) == [])
        #expect(!box.names.contains { $0.contains("backup") })
        var making = try box.making
        making.takesConnections = false
        _ = try await making.make(box.path("usb/b"), passphrase: passphrase)
        let card = try BackupBox()
        let done = try await card.restoring.restore(box.path("usb/b"), .with(passphrase))
        #expect(done.notices.contains { $0.contains("no connections") }, "\(done.notices)")
        #expect(try card.read("state/gatehouse.db.courier").isEmpty)
    }
}
