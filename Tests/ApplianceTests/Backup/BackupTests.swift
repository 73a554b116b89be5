import Encoding
import Foundation
import Ledger
import LinuxIO
import Store
import Synchronization
import Testing

@testable import Backup

/// A gate's backup and its restore on another card: everything is restored, or nothing is changed.
@Suite(.timeLimit(.minutes(5))) struct BackupTests {
    private let passphrase = Array("five words are quite good".utf8)

    @Test func aPassphraseCostsSixtyFourMegabytes() { #expect(KeyBox.work == 65_536) }

    /// A backup next to the open store, with keys, restored onto an empty card of the same board; all of it
    /// as in production.
    @Test func aNewCardContinuesAfterTheBackup() async throws {
        let box = try BackupBox(isAsInLife: true)
        try await box.serve(5)
        let store = try await box.open()
        let (ledger, siteKey) = (await store.head.ledger, try await store.siteKey().name(ofSignedContent: [1]))
        let shares = Mutex<[Double]>([])
        var making = try box.making
        making.progress = { share in shares.withLock { $0.append(share) } }
        let made = try await making.make(box.path("usb/backup.tar"), passphrase: passphrase)
        #expect(shares.withLock { $0 == $0.sorted() && $0.last == 1 })
        try await BackupBox.record(3, store)
        await store.close()
        #expect(made.manifest.hasKeys && !made.manifest.isLast && made.manifest.end.count == 10 && !made.isOpenToOthers)
        #expect(
            try FileManager.default.attributesOfItem(atPath: box.path("usb/backup.tar"))[.posixPermissions] as? Int
                == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: box.path("usb")) == ["backup.tar"])
        #expect(!box.names.contains { $0.contains("backup") })

        let card = try BackupBox(isAsInLife: true)
        let done = try await card.restoring.restore(box.path("usb/backup.tar"), .with(passphrase, configuration: true))
        #expect(done.aside.isEmpty && done.report.first?.hasPrefix("intact: 10 entries") == true, "\(done)")
        #expect(done.report.contains { $0.hasPrefix("witness: agrees") }, "\(done.report)")
        let next = try await card.open()
        guard case .restored(let why) = next.standing else {
            Issue.record("\(String(describing: next.standing))")
            return
        }
        #expect(why.contains("which has 10 entries"))
        #expect(await next.head.ledger != ledger)
        #expect(try await card.states(next) == [[1, 2, 3]])
        #expect(try await next.siteKey().name(ofSignedContent: [1]) == siteKey)
        #expect(next.keysAtRest.unreadable == 0 && next.keysAtRest.failure == nil)
        try await BackupBox.record(1, next)
        #expect(try await next.audit().isIntact)
        await next.close()
        let again = try await card.open()
        #expect(again.standing == .continued)
        await again.close()
    }

    /// Two backups at the same time, as when a timer fires while an operator makes one: one reports that and
    /// ends, and every file that is made is complete.
    @Test func ofTwoAtOnceEachThatIsMadeIsWhole() async throws {
        let (box, card) = (try BackupBox(), try BackupBox())
        try await box.serve(20)
        var made = 0
        for round in 0..<20 {
            let making = try box.making
            @Sendable func attempt(_ path: String) async -> Result<BackupMaker.Made, BackupFailure> {
                do throws(BackupFailure) { return .success(try await making.make(path)) } catch {
                    return .failure(error)
                }
            }
            async let first = attempt(box.path("usb/a\(round)"))
            async let second = attempt(box.path("usb/b\(round)"))
            for (name, result) in [("a", await first), ("b", await second)] {
                let path = box.path("usb/\(name)\(round)")
                switch result {
                case .success:
                    made += 1
                    _ = try BackupFile(path)
                    _ = try await card.restoring.check(path, passphrase: nil)
                case .failure(let failure):
                    #expect(failure.text == "another backup of this ledger is in progress", "\(failure)")
                    #expect(!FileManager.default.fileExists(atPath: path))
                }
            }
        }
        #expect(made >= 20)
        #expect(!box.names.contains { $0.contains("backup") })
    }

    /// Restored onto a card whose service has already run: the card's keys stay, and the database is used
    /// with them.
    @Test func aCardWithKeysOfItsOwnKeepsThem() async throws {
        let (box, card) = (try BackupBox(), try BackupBox())
        try await box.serve(5)
        try await card.serve(1)
        _ = try await box.making.make(box.path("usb/b"), passphrase: passphrase)
        let keys = try (card.read("state/gatehouse.db.witness-key"), card.read("state/gatehouse.db.agent-key"))
        let before = card.names
        await #expect(throws: BackupFailure.self) {
            try await card.restoring.restore(box.path("usb/b"), .with(passphrase))
        }
        #expect(card.names == before)
        let done = try await card.restoring.restore(box.path("usb/b"), .with(passphrase, replaces: true))
        #expect(done.aside == ["courier.replaced-1", "replaced-1"].map { card.path("state/gatehouse.db.\($0)") })
        let old = try await LedgerReader(path: done.aside[1]).verify()
        #expect(old.isIntact && old.entries == 2)
        let siteKey = try await {
            let store = try await box.open()
            let key = try await store.siteKey().name(ofSignedContent: [1])
            await store.close()
            return key
        }()
        let store = try await card.open()
        guard case .restored = store.standing else {
            Issue.record("\(String(describing: store.standing))")
            return
        }
        #expect(try await card.states(store) == [[1, 2, 3]])
        #expect(try await store.siteKey().name(ofSignedContent: [1]) == siteKey)
        await store.close()
        #expect(try card.read("state/gatehouse.db.witness-key") == keys.0)
        #expect(try card.read("state/gatehouse.db.agent-key") == keys.1)
    }

    /// A backup without keys can be proved and lists its visits; connections have to be made again.
    @Test func withoutKeysItIsProvedAndNotContinued() async throws {
        let (box, card) = (try BackupBox(), try BackupBox())
        try await box.serve(5)
        let made = try await box.making.make(box.path("usb/b"))
        #expect(!made.manifest.hasKeys)
        let bytes = try box.read("usb/b")
        for name in ["state/gatehouse.db.witness-key", "state/gatehouse.db.agent-key"] {
            let key = try box.read(name).prefix(64)
            #expect(!bytes.indices.contains { bytes[$0...].starts(with: key) })
        }
        let shown = try await card.restoring.check(box.path("usb/b"), passphrase: nil)
        #expect(shown.report.first?.hasPrefix("intact") == true)
        #expect(card.names.isEmpty)
        let done = try await card.restoring.restore(box.path("usb/b"), .with())
        #expect(done.notices.contains { $0.contains("connect again") }, "\(done.notices)")
        let store = try await card.open()
        #expect(store.hasBegunNewLedger)
        let courier = try await card.courier(store)
        #expect(courier.keysAtRest.unreadable == 1)
        await courier.close()
        let first = try #require(try await store.entries(after: 0, limit: 1).first)
        guard case .outcome(let record) = try LedgerRecord(bytes: first.body) else { return }
        #expect(record.outcome.predecessor?.count == 10)
        await store.close()
    }

    /// Every flipped byte, every truncation and everything after the end is refused before anything is
    /// changed.
    @Test func aDamagedBackupChangesNothing() async throws {
        let (box, card) = (try BackupBox(), try BackupBox())
        try await box.serve(2)
        try await card.serve(1)
        _ = try await box.making.make(box.path("usb/b"), passphrase: passphrase)
        let whole = try box.read("usb/b")
        func state() throws -> [String: [UInt8]] {
            Dictionary(uniqueKeysWithValues: try card.names.map { ($0, try card.read("state/" + $0)) })
        }
        let before = try state()
        var refused = 0
        func refuse(_ bytes: [UInt8]) async throws {
            try Data(bytes).write(to: card.folder.appendingPathComponent("usb/b"))
            do {
                _ = try await card.restoring.restore(card.path("usb/b"), .with(passphrase, replaces: true))
                Issue.record("taken")
            } catch let error as BackupFailure {
                refused += 1
                #expect(!error.remedy.isEmpty)
            }
        }
        let places = Array(stride(from: 0, to: whole.count, by: max(1, whole.count / 60))) + [whole.count - 1]
        for place in places {
            var bytes = whole
            bytes[place] ^= 0x41
            try await refuse(bytes)
            try await refuse(Array(whole[..<place]))
        }
        try await refuse([])
        try await refuse(whole.reversed())
        #expect(refused == 2 * places.count + 2)
        #expect(try state() == before)
        // A wrong passphrase.
        await #expect(throws: BackupFailure.self) {
            try await card.restoring.restore(box.path("usb/b"), .with(Array("another passphrase".utf8), replaces: true))
        }
        #expect(try state() == before)
    }

    @Test func choicesThatTheOperatorMustMake() async throws {
        let (box, card) = (try BackupBox(), try BackupBox())
        try await box.serve(2)
        _ = try await box.making.make(box.path("usb/b"), passphrase: passphrase)
        func refusal(_ choices: BackupRestorer.Choices, machine: Text = "one") async throws -> String {
            var restoring = try card.restoring
            restoring.machine = machine
            do { _ = try await restoring.restore(box.path("usb/b"), choices) } catch {
                return error.description
            }
            return ""
        }
        #expect(try await refusal(.with(passphrase), machine: "two").contains("--other-machine"))
        #expect(try await refusal(.with(passphrase), machine: "").contains("--other-machine"))
        #expect(try await refusal(.with(passphrase, continues: true)).contains("only a last backup"))
        // A running service keeps its ledger.
        let store = try await card.open()
        #expect(try await refusal(.with(passphrase, replaces: true)).contains("in use by another process"))
        await store.close()
        #expect(try await refusal(.with(passphrase)).contains("--replace"))
        // A file that exists, and a folder that does not.
        await #expect(throws: BackupFailure.self) { try await box.making.make(box.path("usb/b")) }
        await #expect(throws: BackupFailure.self) { try await box.making.make(box.path("nowhere/b")) }
        #expect(try await refusal(.with(passphrase, replaces: true, isOther: true), machine: "two") == "")
    }

    /// A planned move: the ledger continues on the new card, and the old one cannot continue it.
    @Test func aLastBackupGoesOnElsewhereAndNotHere() async throws {
        let (box, card) = (try BackupBox(), try BackupBox())
        try await box.serve(4)
        var store = try await box.open()
        let (ledger, end) = (await store.head.ledger, await store.head.point)
        await #expect(throws: BackupFailure.self) {
            try await box.making.make(box.path("usb/b"), passphrase: passphrase, isLast: true)
        }
        await store.close()
        let made = try await box.making.make(box.path("usb/b"), passphrase: passphrase, isLast: true)
        #expect(made.manifest.isLast)
        _ = try await card.restoring.restore(box.path("usb/b"), .with(passphrase, continues: true))
        let next = try await card.open()
        #expect(next.standing == .continued && next.keysAtRest.unreadable == 0)
        let (nextLedger, nextEnd) = (await next.head.ledger, await next.head.point)
        #expect(nextLedger == ledger && nextEnd == end)
        #expect(await next.deliveries[DeliveryCursor.primary]?.connection == "agent")
        await next.close()
        store = try await box.open()
        guard case .rewritten(let why) = store.standing else {
            Issue.record("\(String(describing: store.standing))")
            return
        }
        #expect(why.contains("ended by a last backup"))
        #expect(await store.head.ledger != ledger)
        await store.close()
    }

    /// A power cut after each step of a restore: the next start finds the complete old ledger, or the
    /// complete restored one.
    @Test func aCutAtAnyStepLosesNothing() async throws {
        let (box, card) = (try BackupBox(), try BackupBox())
        try await box.serve(3)
        try await card.serve(2)
        _ = try await box.making.make(box.path("usb/b"), passphrase: passphrase)
        let (state, cuts) = (card.path("state"), card.path("cuts"))
        try FileManager.default.createDirectory(
            atPath: cuts, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        let steps = Mutex(0)
        var restoring = try card.restoring
        restoring.onStep = {
            let step = steps.withLock { steps in
                steps += 1
                return steps
            }
            try? FileManager.default.copyItem(atPath: state, toPath: "\(cuts)/\(step)")
        }
        _ = try await restoring.restore(box.path("usb/b"), .with(passphrase, replaces: true, configuration: true))
        let count = steps.withLock { $0 }
        #expect(count >= 7)
        var (old, new) = (0, 0)
        for step in 1...count {
            try? FileManager.default.removeItem(atPath: state)
            try FileManager.default.copyItem(atPath: "\(cuts)/\(step)", toPath: state)
            let store = try await card.open()
            switch store.standing {
            case .continued:
                old += 1
                let entries = await store.head.point.count
                #expect(new == 0 && entries == 4, "step \(step)")
                #expect(try await store.audit().isIntact)
            case .restored: new += 1
            default: Issue.record("step \(step): \(String(describing: store.standing))")
            }
            #expect(try await card.states(store) == [[1, 2, 3]], "step \(step)")
            await store.close()
            // The restore can be repeated.
            _ = try await card.restoring.restore(box.path("usb/b"), .with(passphrase, replaces: true))
        }
        #expect(old > 2 && new > 0)
    }

    @Test func forbiddenNamesAndSizesInArchives() {
        for name in [
            "", "/etc/passwd", "../x", "a/../b", "a//b", "./a", "a\u{0}", "a b", String(repeating: "n", count: 101),
        ] {
            #expect(ArchiveHeader(name: name, size: 1) == nil, "\(name)")
        }
        #expect(
            ArchiveHeader(name: "a", size: -1) == nil
                && ArchiveHeader(name: "a", size: ArchiveHeader.sizeLimit + 1) == nil)
        #expect(ArchiveHeader(block: ArchiveHeader(name: "trust/did/x.json", size: 513)?.block ?? [])?.padding == 511)
    }

    /// tar(1) can read the file.
    @Test func otherProgramsReadTheArchive() async throws {
        let box = try BackupBox()
        try await box.serve(2)
        _ = try await box.making.make(box.path("usb/b"), passphrase: passphrase)
        let tar = Process()
        tar.executableURL = URL(fileURLWithPath: "/bin/tar")
        tar.arguments = ["-xf", box.path("usb/b"), "-C", box.path("usb")]
        try tar.run()
        tar.waitUntilExit()
        #expect(tar.terminationStatus == 0)
        #expect(try box.read("usb/configuration.toml") == box.read("gate.toml"))
        #expect(try box.read("usb/trust/issuers.toml") == box.read("trust/issuers.toml"))
        #expect(try await LedgerReader(path: box.path("usb/gatehouse.db")).verify().isIntact)
        #expect(try JSON.parse(box.read("usb/manifest.json"))["type"] == "gatehouse/backup/1")
    }
}
