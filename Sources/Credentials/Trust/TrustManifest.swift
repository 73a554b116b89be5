import Encoding

/// The signed list of the files in a ``TrustBundle``.
struct TrustManifest {
    struct File: Hashable {
        let path: Text
        let size: Int
        /// The SHA-256 hash of the file, 32 bytes.
        let digest: [UInt8]
    }

    /// The edition, with an empty digest, because a list cannot contain the hash of its own bundle.
    let edition: TrustEdition
    let files: [File]

    init(edition: TrustEdition, files: [File]) {
        (self.edition, self.files) = (edition, files)
    }

    /// Reads the list strictly: every member is required, and further members are refused.
    init(_ bytes: [UInt8], as kind: TrustBundle.Kind, limits: TrustBundle.Limits) throws(TrustBundle.Failure) {
        guard bytes.count <= limits.manifestBytes else { throw .tooLarge }
        guard let json = try? JSON.parse(bytes), let object = json.object else { throw .malformed("not strict JSON") }
        guard Set(object.names) == Self.members else { throw .malformed("members missing or unknown") }
        guard let version = object["version"]?.int, (1...Self.largest).contains(version) else {
            throw .malformed("version")
        }
        guard let issued = object["issued"]?.string.flatMap({ Timestamp(rfc3339: $0.string) }) else {
            throw .malformed("issued")
        }
        guard let until = object["validUntil"]?.string.flatMap({ Timestamp(rfc3339: $0.string) }), issued < until else {
            throw .malformed("validUntil")
        }
        guard let grace = object["graceSeconds"]?.int, (0...Self.longestGrace).contains(grace) else {
            throw .malformed("graceSeconds")
        }
        edition = TrustEdition(version: version, digest: [], issued: issued, validUntil: until, grace: .seconds(grace))
        guard let list = object["files"]?.array else { throw .malformed("files") }
        guard list.count <= limits.files else { throw .tooLarge }
        var files: [File] = []
        var seen: Set<Text> = []
        var total = 0
        for element in list {
            let file = try Self.file(element, kind, limits)
            guard seen.insert(file.path).inserted else { throw .duplicate(file.path.string) }
            total += file.size
            // The size and the number of files are limited, so this sum cannot overflow.
            guard total <= limits.bytes else { throw .tooLarge }
            files.append(file)
        }
        self.files = files
    }

    /// The list of files in its signed form: one line without spaces.
    var json: JSON {
        [
            "version": .int(edition.version), "issued": .text(edition.issued.rfc3339),
            "validUntil": .text(edition.validUntil.rfc3339),
            "graceSeconds": .int(Int(edition.grace.components.seconds)),
            "files": .array(
                files.map {
                    ["path": .string($0.path), "size": .int($0.size), "sha256": .text(Hex.encode($0.digest))]
                }),
        ]
    }

    private static func file(_ json: JSON, _ kind: TrustBundle.Kind, _ limits: TrustBundle.Limits) throws(TrustBundle
        .Failure) -> File
    {
        guard let object = json.object, Set(object.names) == fileMembers, let path = object["path"]?.string,
            let size = object["size"]?.int, size >= 0,
            let digest = object["sha256"]?.string.flatMap({ Hex.decode($0.string) }), digest.count == 32
        else { throw .malformed("an entry of files") }
        guard isPlace(path, kind, limits) else { throw .path(path.string) }
        guard size <= limits.fileBytes else { throw .tooLarge }
        return File(path: path, size: size, digest: digest)
    }

    /// Returns whether a path names a file that a bundle of the given kind may contain. A path that leads outside the
    /// bundle is refused.
    private static func isPlace(_ path: Text, _ kind: TrustBundle.Kind, _ limits: TrustBundle.Limits) -> Bool {
        guard path.utf8.count <= limits.pathBytes else { return false }
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.allSatisfy({ $0.first != UInt8(ascii: ".") && !$0.isEmpty && $0.allSatisfy(isPlain) }),
            let first = parts.first
        else { return false }
        let name = String(decoding: Array(first), as: UTF8.self)
        switch kind {
        case .trust: return parts.count == 1 ? rootFiles.contains(name) : parts.count <= 4 && folders.contains(name)
        case .configuration:
            return parts.count == 1
                ? name == "common.toml" : parts.count == 2 && name == "kiosks" && path.hasSuffix(".toml")
        }
    }

    private static func isPlain(_ letter: UInt8) -> Bool {
        switch letter {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static let members: Set<Text> = ["version", "issued", "validUntil", "graceSeconds", "files"]
    private static let fileMembers: Set<Text> = ["path", "size", "sha256"]
    private static let rootFiles: Set<String> = ["issuers.toml", "policy.toml"]
    private static let folders: Set<String> = ["did", "contexts", "status", "roots"]
    /// The largest integer that every JSON reader preserves.
    private static let largest = 1 << 53
    private static let longestGrace = 366 * 86_400
}
