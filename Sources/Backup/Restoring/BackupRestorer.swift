package import Encoding
import Features
import Foundation
import GateService
import Ledger
import LinuxIO
import Reasons
package import Settings
import Store

/// Restores a backup. The service must be stopped.
///
/// The restorer checks everything before it changes anything. Then it writes keys, configuration and witness to their
/// paths, then the courier's database, and the ledger's database last, in one step. After a power cut before this
/// step, the previous ledger is still in place. The restorer deletes nothing: an existing file gets another name. The
/// next start begins a new ledger that names the ledger in the backup (``RestoredMark``). Therefore no report is sent
/// twice and no number is used again, whatever the gate has reported to agents since the backup. Only a last backup
/// can continue the same ledger, and only if its opened keys authenticate it as a last backup.
package struct BackupRestorer: Sendable {
    /// The choices of the operator.
    package struct Choices: Sendable {
        /// Whether existing databases may be renamed and replaced.
        package var replaces = false
        /// Whether the backup may be from another machine.
        package var isOtherMachine = false
        /// Whether the restored gate continues the same ledger. The operator states with this choice that nothing was
        /// recorded or reported after the backup. It requires `passphrase`.
        package var continues = false
        /// Whether configuration, rules and trust data are restored, too.
        package var takesConfiguration = false
        /// Whether to restore a configuration that no key authenticates even if it names further programs for the
        /// service to run.
        package var takesPrograms = false
        /// The passphrase that opens the keys; nil: the keys are not restored.
        package var passphrase: [UInt8]?

        /// Creates the choices that permit no optional step of a restore.
        package init() {}
    }

    /// The result of a restore.
    package struct Done: Sendable {
        /// The manifest of the backup.
        package var manifest: BackupManifest
        /// The lines of `gatehouse ledger verify` about the ledger in the backup.
        package var report: [String]
        /// The new names of the files that the restore has replaced.
        package var aside: [String] = []
        /// Notices for the operator.
        package var notices: [String] = []
    }

    /// The configuration that is in force.
    package var configuration: Configuration
    /// The path of the configuration file.
    package var configurationFile: String
    /// The environment variables. They name the folder of the credentials that systemd provides.
    package var environment: [String: String]
    /// The mark of this machine.
    package var machine: Text = MachineMark.here()
    /// The date of the restore, which the new ledger's first record contains.
    package var now: Timestamp
    /// The scrypt cost with which the keys were sealed.
    var keyWork = KeyBox.work
    /// Called with the progress of the reading as a fraction, from 0 to 1.
    package var progress: @Sendable (Double) -> Void = { _ in }
    /// Called after each step that changed something.
    package var onStep: @Sendable () -> Void = {}

    /// Creates the restorer of backups for a gate with `configuration`. `file`: the path of the configuration. `now`:
    /// the date of the restore.
    package init(_ configuration: Configuration, file: String, environment: [String: String], at now: Timestamp) {
        (self.configuration, configurationFile, self.environment, self.now) = (configuration, file, environment, now)
    }

    /// Reads and verifies a backup, and changes nothing. Writes the databases to a temporary file in the ledger's
    /// folder, or in `elsewhere` if this user may not write to the ledger's folder. Does not use /tmp, because /tmp
    /// is in memory on Debian 13.
    package func check(
        _ file: String, passphrase: [UInt8]?, elsewhere: String = "/var/tmp"
    ) async throws(BackupFailure) -> Done {
        let backup = try BackupFile(file)
        let keys = try passphrase.flatMap { passphrase throws(BackupFailure) in
            try backup.keys(passphrase, work: keyWork)
        }
        let role = OwnerRole(of: NamedPlace.folder(of: configuration.ledger.path))
        defer { role?.end() }
        let scratch = try CheckScratch(
            beside: configuration.ledger.path, elsewhere: elsewhere,
            bytes: backup.databaseSize + (backup.courier?.count ?? 0))
        defer { scratch.remove() }
        try backup.extract(to: scratch.path, progress: progress)
        // Remove the file's name now: an open database does not need it, and a killed process would leave the file.
        let report = try await prove(scratch.path, backup, keys) { unlink(scratch.path) }
        try await extractCourier(of: backup, to: scratch.path)
        var done = Done(manifest: backup.manifest, report: report)
        done.notices += Self.missing(in: backup)
        if backup.files[BackupManifest.Name.configuration] != nil {
            do throws(BackupFailure) {
                let target = try readConfiguration(backup)
                if keys == nil {
                    warn(of: target, &done)
                    try checkPrograms(of: target)
                }
            } catch { done.notices.append(error.description) }
        }
        return done
    }

    /// Restores the backup in `file`, as the operator's choices permit.
    package func restore(_ file: String, _ choices: Choices) async throws(BackupFailure) -> Done {
        let backup = try BackupFile(file)
        let manifest = backup.manifest
        let keys = try self.keys(backup, choices)
        var target = configuration
        if choices.takesConfiguration {
            target = try readConfiguration(backup)
            if keys == nil, !choices.takesPrograms { try checkPrograms(of: target) }
        }
        try consent(manifest, choices, isProved: keys != nil)

        let role = OwnerRole(of: (target.ledger.path as NSString).deletingLastPathComponent)
        defer { role?.end() }
        do {
            let place = try StoppedStore(path: target.ledger.path)
            defer { place.giveUp() }
            let courier = try StoppedStore(path: CourierStore.path(of: target.ledger.path))
            defer { courier.giveUp() }
            for present in [place, courier] where present.isOccupied && !choices.replaces {
                throw Self.occupied(present.path)
            }
            let folder = NamedPlace.folder(of: place.staged)
            let size = backup.databaseSize + (backup.courier?.count ?? 0)
            try BackupMaker.check(room: BackupMaker.room(folder), for: size + (1 << 20), at: folder)
            try backup.extract(to: place.staged, progress: progress)
            var done = Done(manifest: manifest, report: try await prove(place.staged, backup, keys))
            done.notices += Self.missing(in: backup)
            try await extractCourier(of: backup, to: courier.staged)
            onStep()
            let key = try placeKeys(keys, target, &done)
            let mark =
                choices.continues
                ? nil
                : RestoredMark(
                    finding: Text(
                        "restored at \(now.rfc3339) from a backup of \(manifest.made.rfc3339), which has "
                            + "\(manifest.end.count) entries"
                    ))
            try place.prepare(
                mark: mark, sealedBy: keys?.witness.flatMap { WitnessKey($0) }, key: key,
                witness: target.ledger.witness(environment).reading(key))
            onStep()
            if choices.takesConfiguration {
                role?.pause()
                defer { role?.resume() }
                try putConfiguration(backup, target, &done)
            }
            if choices.continues { try putWitness(backup, target, &done) }
            done.aside += try put(place, courier, hasCourier: backup.courier != nil, continues: choices.continues)
            tell(&done, target, keys, choices)
            if mark != nil, key == nil {
                done.notices.append(
                    "there is no witness key here to sign this: if the service gets one from systemd, it reports "
                        + "\(ReasonCode.ledgerRewritten) instead of \(ReasonCode.ledgerRestored)"
                )
            }
            return done
        } catch {
            throw BackupFailure(of: error)
        }
    }

    // MARK: - Checks before the first change

    private static func missing(in backup: BackupFile) -> [String] {
        backup.courier != nil
            ? []
            : ["the backup contains no connections, unless version 0.1.0 made it: connect the agents again"]
    }

    private static func occupied(_ path: String) -> BackupFailure {
        BackupFailure(
            "there is a database at \(path)", remedy: "give --replace: the existing database is renamed and kept"
        )
    }

    private func keys(_ backup: BackupFile, _ choices: Choices) throws(BackupFailure) -> KeyBox? {
        guard let passphrase = choices.passphrase else { return nil }
        guard let keys = try backup.keys(passphrase, work: keyWork) else {
            throw BackupFailure("there are no keys in \(backup.path)", remedy: "remove the passphrase")
        }
        return keys
    }

    /// Throws if the operator has not made a choice that this backup requires. `isProved`: whether the keys, which
    /// are sealed over the manifest, were opened.
    private func consent(
        _ manifest: BackupManifest, _ choices: Choices, isProved: Bool
    ) throws(BackupFailure) {
        guard !machine.isEmpty && machine == manifest.machine || choices.isOtherMachine else {
            throw BackupFailure(
                "the backup is of another machine, \(manifest.kiosk)",
                remedy:
                    "make sure that the other machine is out of service, then give --other-machine: two machines with "
                    + "the same keys would both report"
            )
        }
        guard !choices.continues || manifest.isLast else {
            throw BackupFailure(
                "only a last backup can continue",
                remedy: "remove --continue, or make the backup with --last --with-keys on the stopped box")
        }
        guard !choices.continues || isProved else {
            throw BackupFailure(
                "nothing proves that this is a last backup: its keys were not decrypted",
                remedy:
                    "give the passphrase of its keys; if it has none, remove --continue: a new ledger then "
                    + "begins and refers to this one",
                isRefusal: true)
        }
    }

    private func prove(
        _ database: String, _ backup: BackupFile, _ keys: KeyBox?, onOpen: () -> Void = {}
    ) async throws(BackupFailure) -> [String] {
        do throws(StoreError) {
            let reader = try LedgerReader(path: database)
            onOpen()
            let proof = Proof(key: keys?.witness.flatMap { WitnessKey($0) }, witness: backup.head)
            let report = try await reader.verify(checkpoints: [backup.manifest.end], proof: proof)
            let state = try await reader.state()
            guard report.isIntact, state.ledger == backup.manifest.end.ledger else {
                throw .corrupt(path: backup.path, detail: report.findings.first?.text ?? "it contains another ledger")
            }
            return report.lines
        } catch {
            throw BackupFailure(
                error.text, remedy: "use another copy; keep this one as evidence; nothing was changed", isRefusal: true
            )
        }
    }

    // MARK: - Keys and witness

    /// Writes the keys to the paths from which the service reads them. Returns the witness's key that the service
    /// will use; nil if there is none.
    private func placeKeys(_ keys: KeyBox?, _ target: Configuration, _ done: inout Done) throws(StoreError)
        -> WitnessKey?
    {
        if let secret = keys?.witness, !target.ledger.witness(environment).isHandedOver {
            _ = try StoppedStore.place(secret, at: target.ledger.witnessKey, mayBeBesides: false)
            onStep()
        }
        if let secret = keys?.agent {
            let path = target.agent.keyFile
            if case .besides(let old) = try StoppedStore.place(secret, at: path, mayBeBesides: true) {
                done.notices.append(
                    "this box has its own key; the backup's key is \(old) until the next start has used it")
            }
            onStep()
        }
        return try target.ledger.witness(environment).key()
    }

    private func putWitness(_ backup: BackupFile, _ target: Configuration, _ done: inout Done) throws(BackupFailure) {
        guard let bytes = backup.files[BackupManifest.Name.witness] else { return }
        let path = target.ledger.witness
        if FileBytes.isFile(path) {
            done.aside.append(try Self.setAside(path))
            unlink(path)
        }
        do throws(SystemError) { try DurableFile.replace(path, with: bytes) } catch { throw BackupFailure(error) }
        chmod(path, 0o600)
        onStep()
    }

    /// Gives a file an unused second name, and returns that name. The file also keeps its first name.
    static func setAside(_ path: String) throws(BackupFailure) -> String {
        for number in 1...1000 {
            let name = "\(path).replaced-\(number)"
            if link(path, name) == 0 { return name }
            if errno != EEXIST { break }
        }
        throw BackupFailure(SystemError("naming \(path)", code: errno))
    }

    private func tell(_ done: inout Done, _ target: Configuration, _ keys: KeyBox?, _ choices: Choices) {
        if choices.takesConfiguration, keys == nil { warn(of: target, &done) }
        if done.manifest.hasKeys, keys == nil {
            done.notices.append(
                "the keys were not restored: connections can be used only if this box has the same "
                    + "keys")
        } else if !done.manifest.hasKeys {
            done.notices.append(
                "the backup contains no keys: connections can be used only if this box has the same keys; otherwise "
                    + "connect again"
            )
        }
        done.notices += FeatureList.all.compactMap { $0.lostByRestore(target) }
    }
}
