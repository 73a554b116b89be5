import Encoding
import Foundation
import Ledger
import LinuxIO
import Store

/// A backup that was read from beginning to end: it contains exactly the files of its manifest, and each matches its
/// hash.
package struct BackupFile {
    /// The path of the backup.
    package let path: String
    /// The manifest of the backup.
    package let manifest: BackupManifest
    /// The contents of the backup's files except the ledger's database, by name.
    let files: [String: [UInt8]]
    /// The archive. It stays open, because the user who may read it need not be the owner of the ledger.
    private let archive: ArchiveReader

    /// Reads and checks the whole backup.
    package init(_ path: String) throws(BackupFailure) {
        let archive = try ArchiveReader(path)
        guard let first = try archive.next(), first.name == BackupManifest.Name.manifest,
            first.size <= BackupManifest.bytesLimit
        else { throw .damaged(path, "it does not begin like a backup") }
        var text: [UInt8] = []
        _ = try archive.hash { text += $0 }
        guard let manifest = BackupManifest(bytes: text) else {
            throw BackupFailure(
                "\(path) has a list of contents that this version does not support",
                remedy: "use the version that created it, or a newer one", isRefusal: true)
        }
        var files: [String: [UInt8]] = [:]
        for file in manifest.files {
            guard let header = try archive.next(), header.name == file.name, header.size == file.size else {
                throw .damaged(path, "\(file.name) is not at its position")
            }
            let isDatabase = file.name == BackupManifest.Name.database
            guard isDatabase || file.size <= BackupManifest.smallLimit else {
                throw .damaged(path, "\(file.name) is too long")
            }
            var content: [UInt8] = []
            let hash = try archive.hash { if !isDatabase { content += $0 } }
            guard hash == file.hash else { throw .damaged(path, "\(file.name) does not match its hash") }
            if !isDatabase { files[file.name] = content }
        }
        guard try archive.next() == nil else { throw .damaged(path, "it contains more than its list") }
        guard manifest.files.contains(where: { $0.name == BackupManifest.Name.database }) else {
            throw .damaged(path, "it contains no database")
        }
        (self.path, self.manifest, self.files, self.archive) = (path, manifest, files, archive)
    }

    /// The size of the ledger's database in bytes.
    var databaseSize: Int { manifest.files.first { $0.name == BackupManifest.Name.database }?.size ?? 0 }

    /// The content of the courier's database; nil if the backup contains none. In a backup of an earlier version, the
    /// ledger's database contains the connections.
    var courier: [UInt8]? { files[BackupManifest.Name.courier] }

    /// The newest statement of the witness from before the copy; `.absent` if the backup contains none.
    var head: WitnessReading {
        guard let bytes = files[BackupManifest.Name.head], let signed = try? SignedHead(bytes: bytes) else {
            return .absent
        }
        return .read(signed, isTorn: false)
    }

    /// Opens the keys with `passphrase`. Returns nil if the backup contains no keys. `work`: the scrypt cost with
    /// which the keys were sealed.
    func keys(_ passphrase: [UInt8], work: Int) throws(BackupFailure) -> KeyBox? {
        guard let sealed = files[BackupManifest.Name.keys] else { return nil }
        guard let keys = KeyBox(sealed, passphrase, manifest: manifest.digest, work: work) else {
            throw BackupFailure(
                "the keys cannot be decrypted with this passphrase, or the backup was changed",
                remedy: "give the right passphrase, or use another copy; nothing was changed",
                isRefusal: true)
        }
        return keys
    }

    /// Writes the ledger's database to a new file at `target`. Calls `progress` with the written fraction, from 0 to
    /// 1.
    func extract(to target: String, progress: (Double) -> Void) throws(BackupFailure) {
        try archive.rewind()
        while let header = try archive.next() {
            guard header.name == BackupManifest.Name.database else { continue }
            // Remove the file that an interrupted attempt left. The new file is then made only if no other file has
            // this name.
            unlink(target)
            guard let file = try? OpenFile(target, .making(mode: 0o600)) else {
                throw BackupFailure(
                    "\(target) cannot be created", remedy: "check its folder: free space and permissions")
            }
            var done = 0
            let hash = try archive.hash { bytes throws(BackupFailure) in
                do throws(SystemError) { try file.write(bytes) } catch {
                    throw BackupFailure(
                        "\(target) cannot be written", remedy: "free some space on its disk; nothing was changed")
                }
                done += bytes.count
                progress(Double(done) / Double(max(header.size, 1)))
            }
            // The archive is read for the second time here, and may have changed since the first.
            guard hash == manifest.files.first(where: { $0.name == header.name })?.hash else {
                throw .damaged(path, "it changed while it was read")
            }
            return
        }
        throw .damaged(path, "it contains no database")
    }
}
