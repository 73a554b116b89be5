import Foundation
import Glibc
import Synchronization
import Testing

@testable import Backup

/// The place of a backup while it is only checked: on a disk, not in /tmp, and removed afterwards.
@Suite(.timeLimit(.minutes(3))) struct CheckedBackupTests {
    private let (box, card): (BackupBox, BackupBox)
    private let backup: String

    init() async throws {
        (box, card) = (try BackupBox(), try BackupBox())
        try await box.serve(3)
        backup = box.path("usb/b")
        _ = try await box.making.make(backup)
    }

    private func names(_ folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }

    /// Checks it; returns the files that were in that folder when everything was unpacked.
    private func check(_ restoring: BackupRestorer, looking folder: String, elsewhere: String) async throws -> [String]
    {
        let seen = Mutex<[String]>([])
        var restoring = restoring
        restoring.progress = { _ in seen.withLock { $0 = names(folder) } }
        let done = try await restoring.check(backup, passphrase: nil, elsewhere: elsewhere)
        #expect(done.report.first?.hasPrefix("intact") == true)
        return seen.withLock { $0 }
    }

    @Test func itIsUnpackedNextToTheLedger() async throws {
        // The folders of a killed check, of a running check, and of another program.
        let gone = try ended()
        let others = ["gatehouse.db.checking-1", "gatehouse.db.checking", "gatehouse.db.checking-x"]
        for name in others + ["gatehouse.db.checking-\(gone)"] { try card.write("state/" + name, "x") }
        let seen = try await check(try card.restoring, looking: card.path("state"), elsewhere: card.path("usb"))
        #expect(Set(seen) == Set(others + ["gatehouse.db.checking-\(getpid())"]))
        #expect(Set(card.names) == Set(others) && names(card.path("usb")).isEmpty)
    }

    /// As before a package is installed, and for a user who may not write next to the ledger.
    @Test func itIsUnpackedElsewhereWhereThereIsNoFolder() async throws {
        try FileManager.default.removeItem(atPath: card.path("state"))
        let seen = try await check(try card.restoring, looking: card.path("usb"), elsewhere: card.path("usb"))
        #expect(seen.count == 1 && names(card.path("usb")).isEmpty)
    }

    /// For both places: a disk without room is reported before a byte is written.
    @Test func roomIsLookedForFirst() throws {
        let most = Int(1) << 60
        for (ledger, elsewhere) in [
            (card.path("state/gatehouse.db"), "/nowhere"), ("/nowhere/gatehouse.db", card.path("usb")),
        ] {
            do throws(BackupFailure) {
                _ = try CheckScratch(beside: ledger, elsewhere: elsewhere, bytes: most)
                Issue.record("there is room for \(most) bytes")
            } catch { #expect(error.text.contains("MB are needed") && !error.isRefusal, "\(error)") }
        }
        #expect(card.names.isEmpty && names(card.path("usb")).isEmpty)
    }

    /// Returns the id of a process that has ended.
    private func ended() throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/true")
        try process.run()
        process.waitUntilExit()
        return process.processIdentifier
    }
}
