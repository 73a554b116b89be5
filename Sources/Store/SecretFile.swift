import Encoding
import Glibc

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

    /// Reads the secret in a file; nil if the file does not exist. Throws if other users can read the file. The mode of
    /// a file from systemd is not checked: its folder protects it, and its mode bits are the mask of an access list.
    static func read(_ path: String, isHandedOver: Bool = false) throws(StoreError) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw StoreFile.failure(path)
        }
        defer { close(descriptor) }
        guard StoreFile.isFile(descriptor) else { throw .unusable(path: path, detail: "it is not a file") }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw StoreFile.failure(path) }
        guard isHandedOver || status.st_mode & 0o077 == 0 else {
            throw .notPermitted(path: path, detail: "other users can read the key; set its mode to 0600")
        }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        guard count >= 0 else { throw StoreFile.failure(path) }
        guard let secret = secret(Array(bytes.prefix(count))) else { throw .corrupt(path: path, detail: form) }
        return secret
    }

    /// Makes a secret and its file. The file is durable, and is either complete or absent.
    static func make(_ path: String) throws(StoreError) -> [UInt8] {
        let secret = (0..<byteCount).map { _ in UInt8.random(in: 0...255) }
        try make(path, of: secret)
        return secret
    }

    /// Makes the file of a secret. The file is durable, and is either complete or absent.
    static func make(_ path: String, of secret: [UInt8]) throws(StoreError) {
        let text = Array((Hex.encode(secret) + "\n").utf8)
        let temporary = path + ".new"
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw StoreFile.failure(path) }
        let isWhole = write(descriptor, text, text.count) == text.count && fsync(descriptor) == 0
        let reason = errno
        close(descriptor)
        // Use link(2), not rename(2): a key that another process has just created must not be overwritten.
        guard isWhole, link(temporary, path) == 0 else {
            let reason = isWhole ? errno : reason
            unlink(temporary)
            throw StoreFile.failure(path, reason)
        }
        unlink(temporary)
        try StoreFile.sync(folder: StoreFile.folder(of: path))
    }
}
