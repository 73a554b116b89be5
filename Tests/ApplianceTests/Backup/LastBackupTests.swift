import Encoding
import Foundation
import Ledger
import Settings
import Store
import Testing

@testable import Backup

/// A planned move loses nothing, wherever it is interrupted.
@Suite(.timeLimit(.minutes(5))) struct LastBackupTests {
    private let box: BackupBox
    private let card: BackupBox
    private let passphrase = Array("five words are quite good".utf8)
    private let visit = Text(UUID().uuidString.lowercased())

    init() async throws {
        (box, card) = (try BackupBox(), try BackupBox())
        try await box.serve(3)
    }

    private var reserve: String { get throws { try box.configuration.ledger.reserve } }

    /// Plays a visit whose outcome the disk refused.
    private func visitOnAFullDisk() async throws {
        let store = try await box.open()
        try await store.appendIntent(visit, stamp: BackupBox.stamp)
        await store.close()
        let outcome = Outcome(.accepted, gate: .pulsed(milliseconds: 200), software: BackupBox.software)
        try Reserve(path: reserve, bytes: 1 << 16).append([
            UnwrittenOutcome(visit: visit, outcome: outcome, stamp: BackupBox.stamp)
        ])
    }

    @Test func recordsInTheReserveArePartOfTheBackup() async throws {
        try await visitOnAFullDisk()
        let made = try await box.making.make(box.path("usb/b"), passphrase: passphrase, isLast: true)
        #expect(made.manifest.end.count == 8)
        #expect(try Reserve(path: reserve, bytes: 1 << 16).count == 0)
        _ = try await card.restoring.restore(box.path("usb/b"), .with(passphrase, continues: true))
        let outcomes = try await LedgerReader(path: card.configuration.ledger.path).visits(last: 10)
        #expect(outcomes.count == 4)
        let last = try await LedgerReader(path: card.configuration.ledger.path).entries(after: 7, limit: 2)
        guard case .outcome(let record) = try LedgerRecord(bytes: try #require(last.first).body) else {
            Issue.record("the outcome stayed behind")
            return
        }
        #expect(record.visit == visit && record.outcome.result == .accepted)
    }

    /// When the reserve cannot be read, the ledger does not end.
    @Test func aReserveThatCannotBeReadEndsNothing() async throws {
        try await visitOnAFullDisk()
        do {
            let held = try Reserve(path: reserve, bytes: 1 << 16)
            await #expect(throws: BackupFailure.self) { try await box.making.make(box.path("usb/b"), isLast: true) }
            #expect(held.count == 1)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: box.path("usb")) == [])
        let store = try await box.open()
        #expect(store.standing == .continued)
        await store.close()
    }

    /// Without opened keys, a manifest is only a claim of the stick: the ledger does not continue, and
    /// nothing is changed.
    @Test func onlyOpenedKeysProveALastBackup() async throws {
        let other = try BackupBox()
        try await other.serve(2)
        _ = try await box.making.make(box.path("usb/b"), passphrase: passphrase, isLast: true)
        _ = try await other.making.make(other.path("usb/b"), isLast: true)
        for file in [box.path("usb/b"), other.path("usb/b")] {
            let restoring = try card.restoring
            do throws(BackupFailure) {
                _ = try await restoring.restore(file, .with(continues: true))
                Issue.record("put back")
            } catch {
                #expect(error.text.hasPrefix("nothing proves that this is a last backup"), "\(error)")
                #expect(error.isRefusal && error.remedy.contains("remove --continue"))
            }
            #expect(card.names.isEmpty)
        }
        // It can be restored like any other backup.
        _ = try await card.restoring.restore(other.path("usb/b"), .with())
    }

    /// A disk that returns other bytes than were proved: the ledger does not end with them.
    @Test func aCopyDamagedAfterItsProofEndsNothing() async throws {
        let scratch = try box.configuration.ledger.path + ".backup"
        var making = try box.making
        making.proved = {
            guard let file = FileHandle(forWritingAtPath: scratch) else { return }
            try? file.seek(toOffset: 5000)
            try? file.write(contentsOf: Data("spoilt".utf8))
        }
        for isLast in [true, false] {
            let making = making
            do throws(BackupFailure) {
                _ = try await making.make(box.path("usb/b"), isLast: isLast)
                Issue.record("made")
            } catch {
                #expect(error.text.hasPrefix("the written file differs from its source"), "\(error)")
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: box.path("usb")) == [])
        }
        let store = try await box.open()
        #expect(store.standing == .continued)
        await store.close()
    }

    /// Completes a last backup except for its final name, as after a power cut at that moment.
    private func makeUnnamed(_ name: String) async throws {
        let path = box.path(name)
        var making = try box.making
        making.progress = { if $0 == 1 { mkdir(path, 0o700) } }
        await #expect(throws: BackupFailure.self) { try await making.make(path, passphrase: passphrase, isLast: true) }
        rmdir(path)
        #expect(try FileManager.default.contentsOfDirectory(atPath: box.path("usb")) == ["b.partial"])
    }

    @Test func theSameCommandFinishesWhatWasCutOff() async throws {
        let end = try await {
            let store = try await box.open()
            let point = await store.head.point
            await store.close()
            return point
        }()
        try await makeUnnamed("usb/b")
        // A backup under another name does not find the file, and damages nothing.
        await #expect(throws: BackupFailure.self) { try await box.making.make(box.path("usb/c"), isLast: true) }
        let made = try await box.making.make(box.path("usb/b"), passphrase: passphrase, isLast: true)
        #expect(made.manifest.isLast && made.manifest.end.count == end.count && !made.isOpenToOthers)
        #expect(try FileManager.default.contentsOfDirectory(atPath: box.path("usb")) == ["b"])
        _ = try await card.restoring.restore(box.path("usb/b"), .with(passphrase, continues: true))
        let next = try await card.open()
        #expect(next.standing == .continued)
        #expect(await next.head.point == end)
        await next.close()
    }

    /// The service was started in between: the file is the only copy of the previous ledger.
    @Test func aStartInBetweenCostsItNothing() async throws {
        try await makeUnnamed("usb/b")
        let store = try await box.open()
        #expect(store.hasBegunNewLedger)
        await store.close()
        for isLast in [true, false] {
            let making = try box.making
            do throws(BackupFailure) {
                _ = try await making.make(box.path("usb/b"), isLast: isLast)
                Issue.record("made")
            } catch {
                #expect(error.text.hasSuffix("b.partial is a complete last backup"), "\(error)")
            }
        }
        #expect(try BackupFile(box.path("usb/b.partial")).manifest.isLast)
        // A backup that was interrupted before its end is not kept.
        try Data("gate".utf8).write(to: box.folder.appendingPathComponent("usb/b.partial"))
        _ = try await box.making.make(box.path("usb/b"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: box.path("usb")) == ["b"])
    }
}
