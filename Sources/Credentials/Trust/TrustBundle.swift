package import Encoding

/// A trust directory, or the configurations of the gates (``Kind``), in one signed file that an operator makes.
///
/// The file has three lines of text, followed by the files without separators (the third line is broken here only for
/// width):
///
/// ```text
/// gatehouse trust bundle 1
/// <86 letters: the Ed25519 signature, base64url>
/// {"version":42,"issued":"…","validUntil":"…","graceSeconds":86400,
///  "files":[{"path":"issuers.toml","size":812,"sha256":"…"},…]}
/// ```
///
/// The signature covers the first and the third line with their line feeds. The third line pins the size and the
/// SHA-256 of every file, so the signature covers all files, and no file is read before its check. A bundle is never
/// unpacked, only stored and read: there is no compression to inflate and no path to follow.
package struct TrustBundle: Sendable {
    /// The limits on reading.
    package struct Limits: Sendable {
        /// The maximum size of a bundle in bytes: 16 MiB. A small machine can keep two such bundles in memory.
        package var bytes = 16 * 1024 * 1024
        /// The maximum size of a bundle's list of files in bytes: 1 MiB.
        var manifestBytes = 1024 * 1024
        /// The maximum number of files.
        package var files = 4096
        /// The maximum size of one file in bytes.
        package var fileBytes = 16 * 1024 * 1024
        /// The maximum length of a path in bytes.
        var pathBytes = 200

        /// Creates the documented default values.
        package init() {}
    }

    /// The kinds of content of a bundle. The signed first line states the kind, so no bundle can be mistaken for
    /// another kind.
    package enum Kind: String, Sendable {
        /// A trust directory.
        case trust
        /// The configurations of a fleet: `common.toml`, and `kiosks/ID.toml` for each gate.
        case configuration
    }

    /// The reason why a bundle is not accepted.
    package enum Failure: Error, Hashable, Sendable {
        /// The bytes do not begin like a bundle.
        case notABundle
        /// The format of the bundle is unknown to this program.
        case unknownFormat
        /// The bundle exceeds the limits.
        case tooLarge
        /// No operator's key made the signature, or the list of files was changed after the signing.
        case wrongSignature
        /// The list of files is malformed; the text states the error.
        case malformed(String)
        /// The given path of a file does not belong in a bundle of this kind.
        case path(String)
        /// The bundle contains two files with the path in the text.
        case duplicate(String)
        /// A file is missing or incomplete.
        case truncated
        /// The file with the given path differs from the signed file.
        case changed(String)
        /// Bytes follow the last file.
        case trailing
    }

    /// Returns the first line of a bundle of the given kind, without the format number.
    private static func magic(_ kind: Kind) -> String { "gatehouse \(kind.rawValue) bundle " }
    static let format = "1"

    /// The version, the dates and the digest.
    package let edition: TrustEdition
    /// The files' contents, by path.
    package let files: [Text: [UInt8]]

    /// Reads a bundle signed with one of `keys`. Throws the first error.
    package init(
        _ bytes: [UInt8], keys: [OperatorKey], as kind: Kind = .trust, limits: Limits = Limits()
    ) throws(Failure) {
        let magic = Self.magic(kind)
        guard bytes.count <= limits.bytes else { throw .tooLarge }
        var lines = LineReader(bytes)
        guard let first = lines.next(atMost: 64), first.starts(with: magic.utf8) else { throw .notABundle }
        guard first.dropFirst(magic.utf8.count).elementsEqual(Self.format.utf8) else { throw .unknownFormat }
        guard let second = lines.next(atMost: 86), second.count == 86,
            let signature = Base64.decodeURL(String(decoding: second, as: UTF8.self)), signature.count == 64
        else { throw .wrongSignature }
        guard let manifest = lines.next(atMost: limits.manifestBytes) else { throw .truncated }
        let signed = Self.signedBytes(Array(manifest), kind)
        guard keys.contains(where: { $0.verifies(signature, over: signed) }) else { throw .wrongSignature }

        let contents = try TrustManifest(Array(manifest), as: kind, limits: limits)
        var files: [Text: [UInt8]] = [:]
        var rest = lines.rest
        for file in contents.files {
            guard file.size <= rest.count else { throw .truncated }
            let content = Array(rest.prefix(file.size))
            rest = rest.dropFirst(file.size)
            guard Digest.sha256(content) == file.digest else { throw .changed(file.path.string) }
            guard files.updateValue(content, forKey: file.path) == nil else { throw .duplicate(file.path.string) }
        }
        guard rest.isEmpty else { throw .trailing }
        self.files = files
        var edition = contents.edition
        edition.digest = Digest.sha256(bytes)
        self.edition = edition
    }

    /// Writes a bundle. The digest in the edition is ignored. Throws if a reader would refuse the bundle.
    package static func write(
        _ edition: TrustEdition, files: [Text: [UInt8]], key: OperatorSigningKey, as kind: Kind = .trust,
        limits: Limits = Limits()
    ) throws(Failure) -> [UInt8] {
        let paths = files.keys.sorted()
        let manifest = TrustManifest(
            edition: edition,
            files: paths.map { path in
                let content = files[path] ?? []
                return TrustManifest.File(path: path, size: content.count, digest: Digest.sha256(content))
            })
        let line = manifest.json.compactBytes
        _ = try TrustManifest(line, as: kind, limits: limits)
        guard let signature = key.signature(over: signedBytes(line, kind)) else { throw .wrongSignature }
        var bytes = Array((magic(kind) + format + "\n" + Base64.encode(signature) + "\n").utf8)
        bytes += line + [0x0A]
        for path in paths { bytes += files[path] ?? [] }
        guard bytes.count <= limits.bytes else { throw .tooLarge }
        return bytes
    }

    private static func signedBytes(_ manifest: [UInt8], _ kind: Kind) -> [UInt8] {
        Array((magic(kind) + format + "\n").utf8) + manifest + [0x0A]
    }
}

/// A reader that splits bytes into lines from the front.
private struct LineReader {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    /// Returns the next line without its line feed; nil if no line ends within `limit` bytes.
    mutating func next(atMost limit: Int) -> ArraySlice<UInt8>? {
        guard let end = rest.prefix(limit + 1).firstIndex(of: 0x0A) else { return nil }
        defer { rest = rest[(end + 1)...] }
        return rest[..<end]
    }
}

extension TrustBundle.Failure: CustomStringConvertible {
    /// The reason in plain words.
    package var description: String {
        switch self {
        case .notABundle: "this is not a bundle of this kind"
        case .unknownFormat: "the bundle has a format that this version does not know"
        case .tooLarge: "the bundle is too large"
        case .wrongSignature: "no operator's key has signed this content"
        case .malformed(let what): "the bundle's list of files is wrong: \(what)"
        case .path(let path): "\(path) is not a permitted path in such a bundle"
        case .duplicate(let path): "\(path) is in the bundle twice"
        case .truncated: "the end of the bundle is missing"
        case .changed(let path): "\(path) is not the file that was signed"
        case .trailing: "there are bytes after the end of the bundle"
        }
    }
}
