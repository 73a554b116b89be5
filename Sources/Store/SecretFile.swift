import Encoding
import Glibc
import LinuxIO

/// A file with a secret of 32 bytes, either as raw bytes or as 64 hexadecimal digits.
enum SecretFile {
    /// The length of the secret in bytes.
    static let byteCount = 32
    private static let form = "it must be 64 hex digits or 32 bytes"

    /// Returns the secret from either form; nil if the bytes have neither form.
    static func secret(_ bytes: [UInt8]) -> [UInt8]? {
        if bytes.count == byteCount { return bytes }
        let digits = String(decoding: bytes.filter { $0 > 0x20 }, as: UTF8.self)
        return Hex.decode(digits).flatMap { $0.count == byteCount ? $0 : nil }
    }

    /// Reads the secret in a file; nil if the file does not exist. Throws if other users can read the file. The mode
    /// of a file from systemd (`isHandedOver`) is not checked: the folder protects the file, and the group bits of
    /// its mode are the mask of an access control list.
    static func read(_ path: String, isHandedOver: Bool = false) throws(StoreError) -> [UInt8]? {
        let file: OpenFile
        do throws(SystemError) { file = try OpenFile(path, .reading, links: .followed) } catch {
            if error.code == ENOENT { return nil }
            throw StoreFile.failure(path, error.code)
        }
        guard let status = try? file.status(), status.kind == .file else {
            throw .unusable(path: path, detail: "it is not a file")
        }
        guard isHandedOver || !status.isOpenToOthers else {
            throw .notPermitted(path: path, detail: "other users can read the key; set its mode to 0600")
        }
        let bytes = try StoreFile.with(path) { () throws(SystemError) in try file.readOnce(256) }
        guard let secret = secret(bytes) else { throw .corrupt(path: path, detail: form) }
        return secret
    }

    /// Makes a random secret and its file. When the function returns, the file is durable. At no time is the file
    /// incomplete.
    static func make(_ path: String) throws(StoreError) -> [UInt8] {
        let secret = (0..<byteCount).map { _ in UInt8.random(in: 0...255) }
        try make(path, of: secret)
        return secret
    }

    /// Makes the file for a secret. When the function returns, the file is durable. At no time is the file
    /// incomplete.
    static func make(_ path: String, of secret: [UInt8]) throws(StoreError) {
        let text = Array((Hex.encode(secret) + "\n").utf8)
        let temporary = path + ".new"
        unlink(temporary)
        try StoreFile.with(path) { () throws(SystemError) in
            let file = try OpenFile(temporary, .making(mode: 0o600))
            defer { unlink(temporary) }
            try file.write(text)
            try file.sync()
            // Use link(2), not rename(2): link(2) fails if another process has created a key at this path meanwhile,
            // and does not overwrite that key.
            guard link(temporary, path) == 0 else { throw SystemError("linking \(path)", code: errno) }
        }
        try StoreFile.sync(folder: StoreFile.folder(of: path))
    }
}
