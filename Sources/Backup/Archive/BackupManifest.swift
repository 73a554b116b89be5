import Crypto
package import Encoding
package import Ledger

/// The manifest of a backup: its first file, which lists the other files with their hashes. The hashes reveal a
/// damaged backup. They do not reveal a forgery: the ledger is authenticated by its seal and its witness, and
/// everything else by the passphrase of the keys (``digest``).
package struct BackupManifest: Hashable, Sendable {
    /// A file of the backup.
    package struct File: Hashable, Sendable {
        /// The file's path in the archive.
        package var name: String
        /// The file's size in bytes.
        package var size: Int
        /// The SHA-256 hash of the file's content.
        package var hash: [UInt8]
    }

    /// The names of the files in a backup.
    package enum Name {
        static let manifest = "manifest.json"
        static let database = "gatehouse.db"
        static let courier = "gatehouse.db.courier"
        static let head = "head.json"
        static let witness = "witness"
        static let keys = "keys"
        static let configuration = "configuration.toml"
        static let policy = "policy.toml"
        static let bundle = "trust-bundle"
        static let trust = "trust/"
    }

    static let type: Text = "gatehouse/backup/1"
    /// The maximum size of a manifest in bytes, and the maximum number of files that it may list.
    static let (bytesLimit, filesLimit) = (1 << 20, 2000)
    /// The maximum size in bytes of each file in a backup except the ledger's database.
    static let smallLimit = 16 << 20

    /// The version of the program that made the backup.
    package var software: Text
    /// The time at which the backup was made, by the machine's clock.
    package var made: Timestamp
    /// The name of the backup's gate, from `kiosk.id`.
    package var kiosk: Text
    /// The ``MachineMark`` of the machine on which the backup was made.
    package var machine: Text
    /// The end of the ledger in the backup.
    package var end: Checkpoint
    /// Whether the ledger ended on its machine with this backup (`--last`), so that the restored gate may continue
    /// the same ledger.
    package var isLast: Bool
    /// The files of the backup after the manifest, in their order.
    package var files: [File]

    /// Whether the backup contains keys.
    package var hasKeys: Bool { files.contains { $0.name == Name.keys } }

    /// The SHA-256 hash of the manifest without the entry of the file `keys`. That file is sealed over this hash.
    var digest: [UInt8] {
        var others = self
        others.files.removeAll { $0.name == Name.keys }
        return Array(SHA256.hash(data: others.json.compactBytes))
    }

    /// The manifest as JSON, with its members in a fixed order.
    package var json: JSON {
        [
            "type": .string(Self.type), "software": .string(software), "made": .text(made.rfc3339),
            "kiosk": .string(kiosk),
            "machine": .string(machine),
            "ledger": [
                "id": end.ledger.map(JSON.string) ?? .null, "count": .int(end.count), "hash": .text(end.hash.hex),
            ],
            "isLast": .bool(isLast),
            "files": .array(
                files.map {
                    ["name": .text($0.name), "bytes": .int($0.size), "sha256": .text(Hex.encode($0.hash))]
                }),
        ]
    }

    /// Creates a manifest from the values of its properties.
    init(
        software: Text, made: Timestamp, kiosk: Text, machine: Text, end: Checkpoint, isLast: Bool, files: [File]
    ) {
        (self.software, self.made, self.kiosk, self.machine) = (software, made, kiosk, machine)
        (self.end, self.isLast, self.files) = (end, isLast, files)
    }

    /// Reads a manifest from its JSON form (``json``). Nil if the bytes are not a manifest of this version.
    init?(bytes: [UInt8]) {
        guard let json = try? JSON.parse(bytes), json["type"]?.string == Self.type,
            let software = json["software"]?.string,
            let made = (json["made"]?.string?.string).flatMap({ Timestamp(rfc3339: $0) }),
            let kiosk = json["kiosk"]?.string, let machine = json["machine"]?.string, let ledger = json["ledger"],
            let id = ledger["id"]?.string, let count = ledger["count"]?.int,
            let hash = (ledger["hash"]?.string?.string).flatMap({ Hex.decode($0) }).flatMap({ ChainHash($0) }),
            let isLast = json["isLast"]?.bool, let list = json["files"]?.array, list.count <= Self.filesLimit
        else { return nil }
        let files = list.compactMap { file -> File? in
            guard let name = file["name"]?.string?.string, let size = file["bytes"]?.int,
                let hash = (file["sha256"]?.string?.string).flatMap({ Hex.decode($0) }), hash.count == 32,
                let header = ArchiveHeader(name: name, size: size)
            else { return nil }
            return File(name: header.name, size: header.size, hash: hash)
        }
        guard files.count == list.count, Set(files.map(\.name)).count == files.count else { return nil }
        self.init(
            software: software, made: made, kiosk: kiosk, machine: machine,
            end: Checkpoint(ledger: id, count: count, hash: hash), isLast: isLast, files: files)
    }
}
