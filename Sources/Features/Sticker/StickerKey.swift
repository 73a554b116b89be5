import Crypto
package import Encoding
import Glibc
package import Kiosk
import LinuxIO
package import Tuvali

/// The file with the key of a printed code. It contains 64 hexadecimal digits and the day on which the key was made.
/// Its mode is 0600.
///
/// The day limits how long the key can be in force, whatever the configuration says. Otherwise an operator could use
/// one key forever by moving `sticker.until`.
package struct StickerKey: Sendable {
    /// The maximum number of days from the day on which a key was made to its last day in force.
    static let longestLife = 31

    /// The X25519 private key, 32 bytes.
    private let privateKey: [UInt8]
    /// The X25519 public key, 32 bytes.
    package let publicKey: [UInt8]
    /// The beginning of the day on which the key was made, 00:00 UTC.
    package let made: Timestamp

    /// Returns the URI in the printed code of a gate with the name `name`; nil if the key is invalid.
    package func uri(name: Identifier) -> String? {
        (try? VerifierKey(privateBytes: privateKey)).map { Invitation(identifier: name, key: $0).uri }
    }

    /// Returns the key for the kiosk's visits. Its validity ends at `until`.
    package func printed(until: Instant) -> PrintedKey { PrintedKey(privateKey: privateKey, until: until) }

    /// Returns the path of the log of used sessions for the key in the file `path`.
    package static func sessions(of path: String) -> String { path + ".sessions" }

    /// The size of the head of the log of used sessions, in bytes.
    static let sessionsHeadBytes = 32

    /// Returns the head of the log of used sessions for a key. The head contains a hash of the key, so that a log of
    /// another key is recognised.
    static func sessionsHead(of publicKey: [UInt8]) -> [UInt8] {
        Array("GHBOOK1\n".utf8) + SHA256.hash(data: publicKey).prefix(sessionsHeadBytes - 8)
    }

    /// Reads the key's file. Throws if the file is missing or invalid, or if other users can access it.
    package init(reading path: String) throws(StickerFailure) {
        let file: OpenFile
        do throws(SystemError) { file = try OpenFile(path, .reading) } catch {
            if error.code == ENOENT {
                throw StickerFailure(
                    "\(path) is not there",
                    remedy: "Create it as the service's user (gatehouse sticker --png FILE) and restart the service.")
            }
            throw StickerFailure(path, error)
        }
        guard let status = try? file.status(), status.kind == .file else {
            throw StickerFailure("\(path) is not a file", remedy: StickerFailure.files)
        }
        guard !status.isOpenToOthers else {
            throw StickerFailure(
                "\(path) can be read by other users",
                remedy: "Anyone who has read this key can impersonate the gate. "
                    + "\(StickerFailure.files)")
        }
        let bytes = try StickerFailure.with(path) { () throws(SystemError) in try file.readOnce(128) }
        let words = bytes.split { $0 <= 0x20 }.map { String(decoding: $0, as: UTF8.self) }
        guard words.count == 2, let key = Hex.decode(words[0]), let made = StickerDay.parse(words[1]),
            let verifier = try? VerifierKey(privateBytes: key)
        else {
            throw StickerFailure(
                "\(path) does not contain 64 hexadecimal digits and a day", remedy: StickerFailure.files)
        }
        (privateKey, publicKey, self.made) = (key, verifier.publicKey, made)
    }

    /// Throws if the key may not be in force until the end of `day`, because that is too late or already past, or if
    /// it was made after `now`.
    package func check(until day: Timestamp, at now: Timestamp) throws(StickerFailure) {
        try Self.check(until: day, ofKeyMadeAt: made, at: now)
    }

    /// As ``check(until:at:)``, for a key that was made on the day of `made`.
    package static func check(
        until day: Timestamp, ofKeyMadeAt made: Timestamp, at now: Timestamp
    ) throws(StickerFailure) {
        if made > now {
            throw StickerFailure(
                "the key was created on \(StickerDay.text(made)), which is in the future",
                remedy: "Check the date of this "
                    + "machine.")
        }
        if day > made.advanced(by: StickerDay.length * longestLife) {
            throw StickerFailure(
                "sticker.until is more than \(longestLife) days after the creation of the key "
                    + "(\(StickerDay.text(made)))",
                remedy: "Write an earlier day, or create a new key: remove sticker.key, then gatehouse sticker.")
        }
        if now >= day.advanced(by: StickerDay.length) {
            throw StickerFailure(
                "its last day was \(StickerDay.text(day))",
                remedy: "Remove the printed code. For a new one remove sticker.key, write a later sticker.until, "
                    + "then gatehouse sticker and restart.")
        }
    }

    /// Makes a new key, and creates its file and the log of its used sessions. Both files are durable when the call
    /// returns. Never changes an existing key: the key's file is written last, and only if none exists.
    package static func make(_ path: String, at now: Timestamp) throws(StickerFailure) {
        guard access(path, F_OK) != 0 else {
            throw StickerFailure("\(path) already exists", remedy: "Remove it if a new key is wanted.")
        }
        var random = SystemRandomNumberGenerator()
        let key = (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }
        guard let verifier = try? VerifierKey(privateBytes: key) else {
            throw StickerFailure("no key could be created", remedy: "Try again.")
        }
        let sessions = Self.sessions(of: path)
        unlink(sessions)
        try PrivateFile.make(sessions, sessionsHead(of: verifier.publicKey))
        try PrivateFile.make(path, Array("\(Hex.encode(key)) \(StickerDay.text(now))\n".utf8))
    }
}

/// Creates files that other users may not read.
private enum PrivateFile {
    /// Creates a file, durably, and either completely or not at all. Throws if the file exists already, and leaves
    /// that file unchanged.
    static func make(_ path: String, _ bytes: [UInt8]) throws(StickerFailure) {
        let temporary = path + ".new"
        unlink(temporary)
        let file = try StickerFailure.with(temporary) { () throws(SystemError) in
            try OpenFile(temporary, .making(mode: 0o600))
        }
        try StickerFailure.with(path) { () throws(SystemError) in
            defer { unlink(temporary) }
            try file.write(bytes)
            try file.sync()
            guard link(temporary, path) == 0 else { throw SystemError("linking \(path)", code: errno) }
        }
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        try StickerFailure.with(folder) { () throws(SystemError) in
            try OpenFile(folder, .folder, links: .followed).sync()
        }
    }
}

/// Calendar days in UTC.
package enum StickerDay {
    /// The length of a day: 24 hours.
    package static let length: Duration = .seconds(86_400)

    /// Returns the beginning of the day that is written as `2026-12-31`; nil for any other text.
    package static func parse(_ text: String) -> Timestamp? {
        guard text.utf8.count == 10 else { return nil }
        return Timestamp(rfc3339: text + "T00:00:00Z")
    }

    /// Returns the day of `moment` as `2026-12-31`.
    package static func text(_ moment: Timestamp) -> String { String(moment.rfc3339.prefix(10)) }

    /// Returns the day of `moment` as `31 December 2026`.
    package static func words(_ moment: Timestamp) -> String {
        let months = [
            "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
            "November", "December",
        ]
        let (year, month, day) = moment.civilDate
        return "\(day) \(months[(month - 1) % months.count]) \(year)"
    }
}
