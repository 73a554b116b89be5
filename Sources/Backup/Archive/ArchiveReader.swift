import Crypto
import Glibc
import LinuxIO

/// Reads a tar archive as ``ArchiveWriter`` writes it, from beginning to end, piece by piece. Refuses every
/// other form.
final class ArchiveReader {
    private let path: String
    private let descriptor: Int32
    /// The bytes of the current file that are not read yet (`rest`), and the zeros that follow the file
    /// (`padding`).
    private var (rest, padding) = (0, 0)

    /// Opens a plain file. A pipe is refused without waiting for its writer.
    init(_ path: String) throws(BackupFailure) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        self.path = path
        guard descriptor >= 0 else { throw BackupFailure(SystemError("reading \(path)", code: errno)) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .damaged(path, "it is not a file")
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Returns to the beginning of the archive.
    func rewind() throws(BackupFailure) {
        guard lseek(descriptor, 0, SEEK_SET) == 0 else {
            throw BackupFailure(SystemError("reading \(path)", code: errno))
        }
        (rest, padding) = (0, 0)
    }

    /// Returns the header of the next file; nil at the archive's end. Skips the unread rest of the current file.
    func next() throws(BackupFailure) -> ArchiveHeader? {
        while rest > 0 { _ = try piece() }
        guard try take(padding).allSatisfy({ $0 == 0 }) else {
            throw .damaged(path, "there are bytes between its files")
        }
        let block = try take(ArchiveHeader.blockBytes)
        if block.allSatisfy({ $0 == 0 }) {
            guard try take(ArchiveHeader.blockBytes).allSatisfy({ $0 == 0 }) else {
                throw .damaged(path, "its end is missing")
            }
            return nil
        }
        guard let header = ArchiveHeader(block: block) else {
            throw .damaged(path, "it does not have the expected form")
        }
        (rest, padding) = (header.size, header.padding)
        return header
    }

    /// Returns the next bytes of the current file, at most 1 MiB; an empty array at the end of the file.
    func piece() throws(BackupFailure) -> [UInt8] {
        let bytes = try take(min(rest, 1 << 20))
        rest -= bytes.count
        return bytes
    }

    /// Returns the SHA-256 hash of the rest of the current file, and passes each piece to `body`.
    func hash(_ body: ([UInt8]) throws(BackupFailure) -> Void) throws(BackupFailure) -> [UInt8] {
        var hash = SHA256()
        while rest > 0 {
            let bytes = try piece()
            hash.update(data: bytes)
            try body(bytes)
        }
        return Array(hash.finalize())
    }

    private func take(_ count: Int) throws(BackupFailure) -> [UInt8] {
        guard count > 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let read = bytes.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress?.advanced(by: done), count - done)
            }
            if read < 0, errno == EINTR { continue }
            guard read >= 0 else { throw BackupFailure(SystemError("reading \(path)", code: errno)) }
            guard read > 0 else { throw .damaged(path, "it is truncated") }
            done += read
        }
        return bytes
    }
}
