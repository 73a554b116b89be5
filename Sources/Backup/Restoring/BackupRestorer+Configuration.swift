import Credentials
import Encoding
import Features
import Foundation
import LinuxIO
import Settings
import TrustFiles

// The restoration of the configuration, the rules and the trust data of a backup. Only the passphrase of the backup's
// keys authenticates them. Root writes each file with the rights of the owner of its path.
extension BackupRestorer {
    /// Returns the configuration in a backup, as it would apply on this machine. Checks it as far as possible without
    /// a change on the disk.
    func readConfiguration(_ backup: BackupFile) throws(BackupFailure) -> Configuration {
        guard let bytes = backup.files[BackupManifest.Name.configuration] else {
            throw BackupFailure("there is no configuration in \(backup.path)", remedy: "remove --configuration")
        }
        let target: Configuration
        do throws(ConfigurationError) {
            target = try Configuration.parse(
                bytes, file: BackupManifest.Name.configuration,
                folder: URL(fileURLWithPath: configurationFile).deletingLastPathComponent().standardizedFileURL.path)
        } catch {
            throw Self.unusable(BackupManifest.Name.configuration, error.description)
        }
        try RestorePlaces(configuration, file: configurationFile).check(target)
        if target.policy.file != nil, let policy = backup.files[BackupManifest.Name.policy] {
            do throws(PolicyLoadError) {
                _ = try PolicyFile.parse(policy, file: BackupManifest.Name.policy)
            } catch {
                throw Self.unusable(BackupManifest.Name.policy, error.description)
            }
        }
        return target
    }

    private static func unusable(_ name: String, _ problems: String) -> BackupFailure {
        BackupFailure(
            "\(name) in the backup cannot be used here: \(problems)",
            remedy: "remove --configuration, and transfer what you need by hand", isRefusal: true)
    }

    /// Throws if `target` names a program that the service would run and that neither the configuration of this
    /// machine nor this version of Gatehouse names. The caller uses this check if no key authenticates `target`. It
    /// includes programs of features that are switched off, because an operator may switch them on later.
    func checkPrograms(of target: Configuration) throws(BackupFailure) {
        let known = NamedPlace.executed(configuration).flatMap { [$0.place.path, $0.standard] }
        for (program, _) in NamedPlace.executed(target) where !known.contains(program.path) {
            throw BackupFailure(
                "\(program.key) of the configuration in the backup is a program that the service would run, "
                    + "and no key proves it: " + program.path,
                remedy:
                    "decrypt the keys of the backup, or give --programs if that program is yours; otherwise remove "
                    + "--configuration",
                isRefusal: true)
        }
    }

    /// Adds the warnings about a configuration that no key authenticates. The callers are the check of a backup and
    /// the restore.
    func warn(of target: Configuration, _ done: inout Done) {
        done.notices.append(
            "no key proves configuration, policy and trust in it: anyone who could write this file may have changed "
                + "them")
        let operators =
            [("its trust.bundleKeys", target.trust.bundleKeys)]
            + FeatureList.all.compactMap { $0.operatorKeys(target) }.map { ("its \($0.key)", $0.keys) }
        for (name, keys) in operators where !keys.isEmpty {
            done.notices.append("\(name), which must be your own: \(keys.map(\.text).joined(separator: " "))")
        }
        for (program, standard) in NamedPlace.executed(target) where program.path != standard {
            done.notices.append(
                "its \(program.key), which the service runs and which must be your own: \(program.path)")
        }
    }

    /// Writes configuration, rules and trust data to their paths, if the backup contains them. An existing file with
    /// other content first gets a second name.
    func putConfiguration(_ backup: BackupFile, _ target: Configuration, _ done: inout Done)
        throws(BackupFailure)
    {
        func put(_ name: String, _ path: String?) throws(BackupFailure) {
            guard let path, let bytes = backup.files[name] else { return }
            let role = OwnerRole(of: path)
            defer { role?.end() }
            if (try? FileStatus(path)) != nil {
                if FileBytes.whole(path, limit: BackupManifest.smallLimit) == bytes { return }
                done.aside.append(try Self.setAside(path))
            }
            do throws(SystemError) { try DurableFile.replace(path, with: bytes) } catch { throw BackupFailure(error) }
            onStep()
        }
        let trust = backup.files.filter { $0.key.hasPrefix(BackupManifest.Name.trust) }
            .map { (path: String($0.key.dropFirst(BackupManifest.Name.trust.count)), bytes: $0.value) }
        if !trust.isEmpty {
            let role = OwnerRole(of: target.trust.directory)
            defer { role?.end() }
            if Directory.names(in: target.trust.directory).isEmpty {
                do throws(SystemError) {
                    try DurableFile.replaceFolder(target.trust.directory, with: trust.sorted { $0.path < $1.path })
                } catch { throw BackupFailure(error) }
                onStep()
            } else {
                done.notices.append("\(target.trust.directory) is not empty and was not changed")
            }
        }
        try put(BackupManifest.Name.policy, target.policy.file)
        try put(BackupManifest.Name.configuration, configurationFile)
        if let bundle = backup.files[BackupManifest.Name.bundle] {
            let role = OwnerRole(of: target.trust.state)
            defer { role?.end() }
            // ``TrustState`` decides whether to install the bundle: it refuses a bundle that is older than the
            // installed one.
            do throws(TrustImportFailure) { try TrustState(target.trust).install(bundle) } catch {
                done.notices.append("the trust bundle was not restored: import the newest one (gatehouse trust import)")
            }
        }
    }
}
