import Crypto
package import Encoding
package import Ledger

/// What a backup says of itself: its first file. Hashes show a damaged copy; that the ledger in it is genuine its seal and its witness
/// show, and that all else is the passphrase of the keys (``digest``).
package struct BackupManifest: Hashable, Sendable {
    /// A file of the backup.
    package struct File: Hashable, Sendable {
        /// Its path in the archive.
        package var name: String
        /// Its bytes.
        package var size: Int
        /// The SHA-256 hash of its content.
        package var hash: [UInt8]
    }

    /// The names of its files.
    package enum Name {
        static let manifest = "manifest.json"
        static let database = "gatehouse.db"
        static let head = "head.json"
        static let witness = "witness"
        static let keys = "keys"
        static let configuration = "configuration.toml"
        static let policy = "policy.toml"
        static let bundle = "trust-bundle"
        static let trust = "trust/"
    }

    static let type: Text = "gatehouse/backup/1"
    /// Bytes of it that are read at most, and files that it may name.
    static let (bytesLimit, filesLimit) = (1 << 20, 2000)
    /// Bytes of a file other than the database that are read at most.
    static let smallLimit = 16 << 20

    /// The version of the program that made it.
    package var software: Text
    /// When it was made, by the machine's clock.
    package var made: Timestamp
    /// The gate, by `kiosk.id`.
    package var kiosk: Text
    /// Names the machine: ``MachineMark``.
    package var machine: Text
    /// The ledger's end in it.
    package var end: Checkpoint
    /// Whether the box it comes from has ended this ledger (`--last`), so that it may go on from here.
    package var isLast: Bool
    /// Its other files, in their order.
    package var files: [File]

    /// Whether the keys are in it.
    package var hasKeys: Bool { files.contains { $0.name == Name.keys } }

    /// The SHA-256 hash of all that it says but for the keys' own file, which is sealed over it.
    var digest: [UInt8] {
        var others = self
        others.files.removeAll { $0.name == Name.keys }
        return Array(SHA256.hash(data: others.json.compactBytes))
    }

    /// As JSON, members in fixed order.
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

    /// Its parts.
    init(
        software: Text, made: Timestamp, kiosk: Text, machine: Text, end: Checkpoint, isLast: Bool, files: [File]
    ) {
        (self.software, self.made, self.kiosk, self.machine) = (software, made, kiosk, machine)
        (self.end, self.isLast, self.files) = (end, isLast, files)
    }

    /// Reads ``json`` back; nil when it is not such an object, or of another version.
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
