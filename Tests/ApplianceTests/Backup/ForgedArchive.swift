import Crypto
import Encoding

@testable import Backup

/// A backup as an attacker with write access to the stick can change it: any file changed, and the list of
/// contents adapted.
enum ForgedArchive {
    typealias Change = (inout [(name: String, bytes: [UInt8])]) -> Void

    static func write(
        _ source: String, to target: String, _ change: Change
    ) throws {
        let reader = try ArchiveReader(source)
        var files: [(name: String, bytes: [UInt8])] = []
        while let header = try reader.next() {
            var bytes: [UInt8] = []
            _ = try reader.hash { bytes += $0 }
            files.append((header.name, bytes))
        }
        guard var manifest = BackupManifest(bytes: files.removeFirst().bytes) else { return }
        change(&files)
        manifest.files = files.map {
            .init(name: $0.name, size: $0.bytes.count, hash: Array(SHA256.hash(data: $0.bytes)))
        }
        let writer = try ArchiveWriter(target)
        try writer.add(BackupManifest.Name.manifest, manifest.json.compactBytes)
        for file in files { try writer.add(file.name, file.bytes) }
        try writer.sync()
        try writer.finish()
    }

    /// Writes the same with another configuration and, when given, another policy.
    static func write(_ source: String, to target: String, configuration: String, policy: String? = nil) throws {
        try write(source, to: target) { files in
            files.removeAll {
                $0.name == BackupManifest.Name.configuration
                    || policy != nil && $0.name == BackupManifest.Name.policy
            }
            files.insert((BackupManifest.Name.configuration, Array(configuration.utf8)), at: 0)
            if let policy { files.insert((BackupManifest.Name.policy, Array(policy.utf8)), at: 0) }
        }
    }
}
