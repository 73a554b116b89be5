import Crypto
package import Encoding
import Foundation
import GateService
import Ledger
import LinuxIO
package import Settings
import Store
import TrustFiles

/// Makes a backup. The service may run meanwhile.
///
/// The maker first copies the ledger's and the courier's database on their own disk, and from there to the backup. A
/// slow destination therefore does not make the write-ahead log grow. Before the backup gets its name, the maker
/// verifies the ledger in the copy, and reads the whole backup back from its disk. Only one backup is made at a time.
/// A backup contains no invitations, and contains keys only if a passphrase is given under which they are sealed. It
/// contains neither the key of a printed code nor the list of its sessions, because an older list would permit the
/// replay of sessions.
///
/// If root runs the command, it reads the gate's files and makes the copy as the owner of the gate's folders
/// (``OwnerRole``). The backup belongs to root: root opens it once, writes and checks it through the descriptor, and
/// never follows a link of that owner. The service therefore determines the content of its records, but not where
/// root writes. If the service wrote the backup into a folder and root fetched it from there, this would be the same.
/// It would need the space twice, and would end the ledger before the last backup is at its destination.
package struct BackupMaker: Sendable {
    /// The number of bytes that must stay free on the database's disk for the running service.
    static let reserve = 64 << 20
    /// The maximum number of bytes by which the ledger may grow while it is copied.
    static let growth = 64 << 20
    /// The minimum length of a passphrase in bytes.
    package static let shortestPassphrase = KeyBox.shortest

    /// The configuration that is in force.
    package var configuration: Configuration
    /// The path of the configuration file.
    package var configurationFile: String
    /// The version of this program.
    package var software: Text
    /// The environment variables. They name the folder of the credentials that systemd provides.
    package var environment: [String: String]
    /// The mark of this machine.
    package var machine: Text = MachineMark.here()
    /// The date of the backup.
    package var now: Timestamp
    /// Whether the backup contains the courier's database.
    package var takesConnections = true
    /// The scrypt cost of one attempt with the passphrase.
    var keyWork = KeyBox.work
    /// Called when the copies of both databases are complete.
    var copied: @Sendable () -> Void = {}
    /// Called when the ledger in the copy has been verified.
    var proved: @Sendable () -> Void = {}
    /// Called with the progress as a fraction, from 0 to 1.
    package var progress: @Sendable (Double) -> Void = { _ in }

    /// Creates the maker of backups of a gate with `configuration`. `file`: the path of the configuration.
    /// `software`: the version of the program. `now`: the date of the backup.
    package init(
        _ configuration: Configuration, file: String, software: Text, environment: [String: String], at now: Timestamp
    ) {
        (self.configuration, configurationFile) = (configuration, file)
        (self.software, self.environment, self.now) = (software, environment, now)
    }

    /// A finished backup.
    package struct Made: Sendable {
        /// The manifest of the backup.
        package var manifest: BackupManifest
        /// Whether the file system permits other users to read the backup.
        package var isOpenToOthers: Bool
    }

    /// Makes the backup `path`, which must not exist. `passphrase`: the passphrase under which the keys are sealed;
    /// nil: the backup contains no keys. `isLast`: whether this backup ends the ledger; the service must be stopped,
    /// and its next start begins another ledger.
    package func make(
        _ path: String, passphrase: [UInt8]? = nil, isLast: Bool = false
    ) async throws(BackupFailure) -> Made {
        let role = OwnerRole(of: folder)
        defer { role?.end() }
        try role.at(path) { () throws(BackupFailure) in try ArchiveWriter.checkName(path) }
        guard FileBytes.isFile(configuration.ledger.path) else {
            throw BackupFailure(StoreError.absent(path: configuration.ledger.path))
        }
        let scratch = try BackupScratch(beside: configuration.ledger.path)
        defer { scratch.end() }
        let secrets = try passphrase.map { passphrase throws(BackupFailure) in (passphrase, try keys()) }
        let files = try texts(role)
        do {
            guard isLast else {
                try role.at(path) { () throws(BackupFailure) in try Self.spare(path, ledger: nil) }
                return try await make(try ArchiveWriter(path, role), scratch, files, secrets, closing: nil)
            }
            // Open the ledger before the files of an earlier attempt are removed: that attempt may have ended the
            // ledger.
            let store: Store
            do {
                store = try await self.store()
            } catch {
                let made = try end().flatMap { end throws(BackupFailure) in
                    try role.at(path) { () throws(BackupFailure) in try Self.finish(path, behind: end) }
                }
                if let made { return made }
                throw error
            }
            do {
                try await restoreReserve(store)
                let ledger = await store.head.ledger
                try role.at(path) { () throws(BackupFailure) in try Self.spare(path, ledger: ledger) }
                let made = try await make(try ArchiveWriter(path, role), scratch, files, secrets, closing: store)
                await store.close()
                return made
            } catch {
                await store.close()
                throw error
            }
        } catch {
            throw BackupFailure(of: error)
        }
    }

    var folder: String { (configuration.ledger.path as NSString).deletingLastPathComponent }

    private func make(
        _ archive: ArchiveWriter, _ scratch: BackupScratch, _ files: [(String, [UInt8])],
        _ secrets: (passphrase: [UInt8], keys: KeyBox)?, closing store: Store?
    ) async throws -> Made {
        let ledger = configuration.ledger
        let size = [ledger.path, courier].reduce(0) { $0 + Self.size($1) + Self.size($1 + "-wal") }
        // Check the free space of both disks. The copy is the first half of the progress, and the backup file the
        // second.
        try Self.check(room: Self.room(folder), for: size + Self.reserve, at: folder)
        try Self.check(room: archive.room, for: size + (1 << 20), at: "the backup's place")
        let source = ledger.witness(environment)
        let key = try? source.key()
        // Read the witness before the copy is made: the copy must contain everything that the witness's statement
        // includes.
        let reading = source.reading(key)
        let witness = store == nil ? nil : FileBytes.read(ledger.witness, limit: 1 << 16)
        try await LedgerReader(path: ledger.path).copy(to: scratch.path) { done, total in
            progress(0.5 * Double(done) / Double(max(total, 1)))
        }
        let connections = takesConnections ? try await courierCopy() : nil
        self.copied()
        // Compute the hash before the verification: if the file changes after that, its content does not match the
        // hash. The limit includes the growth since the size was measured.
        let (copied, hash) = try scratch.seal(atMost: size + Self.growth)
        let copy = try LedgerReader(path: scratch.path)
        let report = try await copy.verify(proof: Proof(key: key, witness: reading))
        guard report.isIntact else {
            throw BackupFailure(
                "the ledger is not intact: \(report.findings.first?.text ?? "")",
                remedy: "gatehouse ledger verify; copy the files as evidence")
        }
        let state = try await copy.state()
        proved()
        var parts = files
        if case .read(let signed, _) = reading {
            parts.insert((BackupManifest.Name.head, signed.json.compactBytes), at: 0)
        }
        if let witness { parts.append((BackupManifest.Name.witness, witness)) }
        if let connections { parts.append((BackupManifest.Name.courier, connections)) }
        func entry(_ name: String, _ bytes: [UInt8]) -> BackupManifest.File {
            .init(name: name, size: bytes.count, hash: Array(SHA256.hash(data: bytes)))
        }
        var manifest = BackupManifest(
            software: software, made: now, kiosk: Text(configuration.kiosk.id), machine: machine,
            end: Checkpoint(ledger: state.ledger, count: state.end.count, hash: state.end.hash), isLast: store != nil,
            files: parts.map(entry) + [.init(name: BackupManifest.Name.database, size: copied, hash: hash)])
        if let secrets {
            let sealed = try seal(secrets.keys, secrets.passphrase, manifest.digest)
            manifest.files.insert(entry(BackupManifest.Name.keys, sealed), at: parts.count)
            parts.append((BackupManifest.Name.keys, sealed))
        }
        try archive.add(BackupManifest.Name.manifest, manifest.json.compactBytes)
        for (name, bytes) in parts { try archive.add(name, bytes) }
        try archive.add(BackupManifest.Name.database, from: scratch, size: copied) { done in
            progress(0.5 + 0.5 * Double(done) / Double(max(copied, 1)))
        }
        try archive.sync()
        try archive.prove(manifest)
        if let store {
            archive.keep()
            let isEnded = await store.contradict(Text("\(Self.ended) at \(now.rfc3339)"))
            guard isEnded else {
                throw BackupFailure(
                    "the ledger's witness cannot be written, so nothing would prevent this ledger from continuing here",
                    remedy: "check ledger.witness and its disk, or make a backup without --last")
            }
        }
        try archive.finish()
        return Made(manifest: manifest, isOpenToOthers: archive.isOpenToOthers)
    }

    // MARK: - Contents

    /// Returns the names and contents of the configuration, the rules and the trust data, as the files on the disk
    /// contain them.
    private func texts(_ role: OwnerRole?) throws(BackupFailure) -> [(String, [UInt8])] {
        var files: [(String, [UInt8])] = []
        func add(_ name: String, _ path: String?) throws(BackupFailure) {
            guard let path, FileBytes.isFile(path) else { return }
            guard let bytes = FileBytes.whole(path, limit: BackupManifest.smallLimit) else {
                throw BackupFailure(
                    "\(path) cannot be read",
                    remedy: "run it as a user with permission to read it, "
                        + "or as root")
            }
            files.append((name, bytes))
        }
        // The command has read the configuration as root. If root owns all folders on the way to the file, only root
        // may be able to read it.
        let owned = OwnerRole.owner(of: configurationFile) != nil
        if owned {
            try add(BackupManifest.Name.configuration, configurationFile)
        } else {
            try role.asRoot { () throws(BackupFailure) in
                try add(BackupManifest.Name.configuration, configurationFile)
            }
        }
        try add(BackupManifest.Name.policy, configuration.policy.file)
        try add(BackupManifest.Name.bundle, TrustState(configuration.trust).bundlePath)
        do throws(TrustDirectoryError) {
            let trust = try TrustDirectoryFiles.read(configuration.trust.directory)
            files += trust.map { (BackupManifest.Name.trust + $0.path, $0.bytes) }
        } catch {
            throw BackupFailure(
                "the trust directory cannot be read: \(error.summary)",
                remedy: "run it as a user with permission to "
                    + "read it, or as root")
        }
        return files
    }

    private func keys() throws(BackupFailure) -> KeyBox {
        do throws(StoreError) {
            let keys = KeyBox(
                witness: try StoppedStore.secret(configuration.ledger.witnessKey),
                agent: try StoppedStore.secret(configuration.agent.keyFile))
            guard keys.witness != nil || keys.agent != nil else {
                throw .absent(path: configuration.ledger.witnessKey)
            }
            return keys
        } catch .absent {
            throw BackupFailure(
                "there are no key files: systemd provides the keys, or the service never ran",
                remedy:
                    "remove --with-keys and keep a copy of systemd's credentials "
                    + "(/usr/share/doc/gatehouse/docs/maintenance.md)"
            )
        } catch { throw BackupFailure(error) }
    }

    private func seal(
        _ keys: KeyBox, _ passphrase: [UInt8], _ manifest: [UInt8]
    ) throws(BackupFailure) -> [UInt8] {
        guard let random = try? SystemRandom.bytes(KeyBox.randomBytes),
            let sealed = keys.seal(passphrase, manifest: manifest, random: random, work: keyWork)
        else { throw BackupFailure("the keys cannot be sealed", remedy: "check the memory: it needs 64 MB") }
        return sealed
    }

    // MARK: - Disks

    static func check(room: Int, for wanted: Int, at place: String) throws(BackupFailure) {
        guard room < wanted else { return }
        throw BackupFailure(
            "\(place) has \(room >> 20) MB of free space, and \(wanted >> 20) MB are needed",
            remedy: "free some space there")
    }

    static func room(_ folder: String) -> Int {
        var status = statvfs()
        guard statvfs(folder, &status) == 0 else { return .max }
        return Int(clamping: status.f_bavail).multipliedReportingOverflow(by: Int(clamping: status.f_frsize))
            .partialValue
    }

    private static func size(_ path: String) -> Int {
        (try? FileStatus(path, links: .followed))?.size ?? 0
    }
}
