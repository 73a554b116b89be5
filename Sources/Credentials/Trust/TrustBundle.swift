package import Encoding

/// A whole trust directory in one signed file, made by an operator for his gates; or their configurations (``Kind``).
///
/// Three lines of text and then the files, one after the other, without anything between or behind them:
///
/// ```text
/// gatehouse trust bundle 1
/// <86 letters: the Ed25519 signature, base64url>
/// {"version":42,"issued":"…","validUntil":"…","graceSeconds":86400,"files":[{"path":"issuers.toml","size":812,"sha256":"…"},…]}
/// ```
///
/// The signature is over the first and the third line with their line feeds; the third pins size and SHA-256 of every file, so
/// it covers them all, and nothing is read before it has been checked. There is no compression to inflate and no
/// path to follow: a bundle is never unpacked, but kept and read as it was signed.
package struct TrustBundle: Sendable {
    /// Bounds on what is read.
    package struct Limits: Sendable {
        /// Bytes of a bundle: 16 MiB, which a small machine can hold twice.
        package var bytes = 16 * 1024 * 1024
        /// Bytes of its list of files: 1 MiB.
        package var manifestBytes = 1024 * 1024
        /// Files in it.
        package var files = 4096
        /// Bytes of one file.
        package var fileBytes = 16 * 1024 * 1024
        /// Letters of a path.
        package var pathLetters = 200

        /// The documented defaults.
        package init() {}
    }

    /// What a bundle holds. Its first line says so and is signed, so that none can be taken for the other.
    package enum Kind: String, Sendable {
        /// A trust directory.
        case trust
        /// The configurations of a fleet: `common.toml`, and `kiosks/ID.toml` for each gate.
        case configuration
    }

    /// Why a bundle is not accepted.
    package enum Failure: Error, Hashable, Sendable {
        /// It does not begin as a bundle does.
        case notABundle
        /// A bundle of a format that this version does not know.
        case unknownFormat
        /// Larger than the limits.
        case tooLarge
        /// The signature was made by none of the operator's keys, or the list of files was changed after it was made.
        case wrongSignature
        /// The list of files is not as it has to be; the text says what is wrong.
        case malformed(String)
        /// A path that is no place of a trust directory.
        case path(String)
        /// Two files with one path.
        case duplicate(String)
        /// A file is not there, or not all of it.
        case truncated
        /// A file is not the one that was signed.
        case changed(String)
        /// Something stands behind the last file.
        case trailing
    }

    /// The first line without the number of the format.
    private static func magic(_ kind: Kind) -> String { "gatehouse \(kind.rawValue) bundle " }
    /// The number of this format.
    static let format = "1"

    /// Version, dates and digest.
    package let edition: TrustEdition
    /// Path → content.
    package let files: [Text: [UInt8]]

    /// Reads a bundle that one of `keys` has signed; throws the first thing that is wrong with it.
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

    /// Writes a bundle. The edition's digest is not looked at; what a reader would refuse is refused here.
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

/// Takes line after line off the front of bytes.
private struct LineReader {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    /// The next line without its line feed; nil when none ends within that many bytes.
    mutating func next(atMost limit: Int) -> ArraySlice<UInt8>? {
        guard let end = rest.prefix(limit + 1).firstIndex(of: 0x0A) else { return nil }
        defer { rest = rest[(end + 1)...] }
        return rest[..<end]
    }
}

extension TrustBundle.Failure: CustomStringConvertible {
    /// What is wrong, in plain words.
    package var description: String {
        switch self {
        case .notABundle: "this is no bundle of this kind"
        case .unknownFormat: "the bundle has a format that this version does not know"
        case .tooLarge: "the bundle is too large"
        case .wrongSignature: "none of the operator's keys has signed this bundle as it is"
        case .malformed(let what): "the bundle's list of files is wrong: \(what)"
        case .path(let path): "\(path) is no place in such a bundle"
        case .duplicate(let path): "\(path) is in the bundle twice"
        case .truncated: "the end of the bundle is missing"
        case .changed(let path): "\(path) is not the file that was signed"
        case .trailing: "something stands behind the end of the bundle"
        }
    }
}
