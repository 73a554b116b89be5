import Foundation
import Glibc
import Testing

@testable import Appliance

/// The service's account owns the copy of the database while a backup is made, and can exchange or change it at each
/// moment: what is packed is a proved ledger, or there is no backup.
@Suite(.timeLimit(.minutes(2))) struct ExchangedCopyTests {
    private let box: BackupBox
    private let copy: String

    init() async throws {
        box = try BackupBox()
        try await box.serve(3)
        copy = try box.configuration.ledger.path + ".backup"
    }

    /// Why no backup was made; the steps are those of an attacker.
    private func refusal(
        copied: @escaping @Sendable () -> Void, sealed: @escaping @Sendable () -> Void = {}
    ) async throws -> String {
        var making = try box.making
        (making.copied, making.sealed) = (copied, sealed)
        var text = ""
        do throws(BackupFailure) { _ = try await making.make(box.path("usb/b")) } catch { text = error.text }
        #expect(try FileManager.default.contentsOfDirectory(atPath: box.path("usb")) == [])
        #expect(!box.names.contains("gatehouse.db.backup"))
        return text
    }

    /// Another file has the copy's name when it is opened, and the copy has it again after that.
    @Test func anotherFileIsNotPacked() async throws {
        let (copy, aside) = (copy, copy + ".true")
        let text = try await refusal {
            rename(copy, aside)
            try? Data(repeating: 7, count: 65_536).write(to: URL(fileURLWithPath: copy))
        } sealed: {
            rename(aside, copy)
        }
        #expect(text.hasPrefix("the ledger is not intact: "), "\(text)")
    }

    /// The same file, by a descriptor that its owner holds.
    @Test func anotherContentIsNotPacked() async throws {
        let copy = copy
        let text = try await refusal {
            guard let file = FileHandle(forWritingAtPath: copy) else { return }
            try? file.seek(toOffset: 4096)
            try? file.write(contentsOf: Data(repeating: 7, count: 4096))
        }
        #expect(text.hasPrefix("the ledger is not intact: "), "\(text)")
    }

    /// Another proved ledger of the same witness, but an older one.
    @Test func anOlderLedgerIsNotPacked() async throws {
        _ = try await box.making.make(box.path("old"))
        let (older, copy) = (box.path("older"), copy)
        try BackupFile(box.path("old")).extract(to: older) { _ in }
        let store = try await box.open()
        try await BackupBox.record(2, store)
        await store.close()
        let text = try await refusal { rename(older, copy) }
        #expect(text.hasPrefix("the ledger is not intact: "), "\(text)")
    }

    /// Bytes that belong to no database.
    @Test func whatIsAddedIsNotPacked() async throws {
        let copy = copy
        let text = try await refusal {
            var status = stat()
            stat(copy, &status)
            truncate(copy, status.st_size + 4096)
        }
        #expect(text.hasPrefix("the ledger is not intact: "), "\(text)")
    }

    /// A file with holes is as long as its writer likes: nothing of it is read.
    @Test(arguments: [300 << 20, 4 << 40]) func aHugeFileIsNotRead(bytes: Int) async throws {
        let copy = copy
        let text = try await refusal { truncate(copy, bytes) }
        #expect(text.contains("is not the copy that was made"), "\(text)")
    }

    /// Nobody writes into that pipe.
    @Test func aPipeIsNotWaitedFor() async throws {
        let copy = copy
        let text = try await refusal {
            unlink(copy)
            mkfifo(copy, 0o600)
        }
        #expect(text.contains("is not the copy that was made"), "\(text)")
    }
}
