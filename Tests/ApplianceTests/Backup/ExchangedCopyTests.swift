import Foundation
import Glibc
import Settings
import Testing

@testable import Backup

/// The service's account owns the folder in which a backup copies the database, and can replace the copy by
/// another file: the command reads no more bytes than a copy has, and blocks on no pipe.
@Suite(.timeLimit(.minutes(2))) struct ExchangedCopyTests {
    private let box: BackupBox
    private let copy: String

    init() async throws {
        box = try BackupBox()
        try await box.serve(3)
        copy = try box.configuration.ledger.path + ".backup"
    }

    /// Makes a backup whose copy is replaced: nothing is packed, and nothing is left over.
    private func isRefused(
        _ reason: String = "differs from the copy that was written", _ exchange: @escaping @Sendable () -> Void
    ) async throws {
        var making = try box.making
        making.copied = exchange
        do throws(BackupFailure) {
            _ = try await making.make(box.path("usb/b"))
            Issue.record("it was packed")
        } catch {
            #expect(error.text.contains(copy) && error.text.contains(reason), "\(error)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: box.path("usb")) == [])
        #expect(!box.names.contains("gatehouse.db.backup"))
    }

    /// A sparse file has any length that its writer chooses.
    @Test(arguments: [300 << 20, 4 << 40]) func aHugeFile(bytes: Int) async throws {
        try await isRefused { [copy] in _ = truncate(copy, bytes) }
    }

    @Test func aPipe() async throws {
        try await isRefused { [copy] in
            unlink(copy)
            mkfifo(copy, 0o600)
        }
    }

    @Test func aLink() async throws {
        try await isRefused("symbolic link") { [copy] in
            unlink(copy)
            symlink("/etc/hostname", copy)
        }
    }
}
