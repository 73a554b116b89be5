import Crypto
import Glibc
import LinuxIO

/// Reads a tar archive as ``ArchiveWriter`` writes it, from its beginning, piece by piece; anything else is refused.
final class ArchiveReader {
    private let path: String
    let descriptor: Int32
    /// Bytes of the present file that were not read yet, and zeros behind it.
    private var (rest, padding) = (0, 0)

    /// Opens a plain file; of a pipe nobody waits for an end.
    init(_ path: String) throws(BackupFailure) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        self.path = path
        guard descriptor >= 0 else { throw BackupFailure(SystemError("reading \(path)", code: errno)) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .damaged(path, "it is no file")
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Where the next byte lies that is read, from the beginning of the file.
    var position: Int { Int(lseek(descriptor, 0, SEEK_CUR)) }

    /// Begins again.
    func rewind() throws(BackupFailure) {
        guard lseek(descriptor, 0, SEEK_SET) == 0 else {
            throw BackupFailure(SystemError("reading \(path)", code: errno))
        }
        (rest, padding) = (0, 0)
    }

    /// The next file, whose content is to be read before another is asked for; nil at the archive's end.
    func next() throws(BackupFailure) -> ArchiveHeader? {
        while rest > 0 { _ = try piece() }
        guard try take(padding).allSatisfy({ $0 == 0 }) else {
            throw .damaged(path, "something lies between its files")
        }
        let block = try take(ArchiveHeader.blockBytes)
        if block.allSatisfy({ $0 == 0 }) {
            guard try take(ArchiveHeader.blockBytes).allSatisfy({ $0 == 0 }) else {
                throw .damaged(path, "it has no end")
            }
            return nil
        }
        guard let header = ArchiveHeader(block: block) else { throw .damaged(path, "it is not of this form") }
        (rest, padding) = (header.size, header.padding)
        return header
    }

    /// The next bytes of the present file, at most a million; none at its end.
    func piece() throws(BackupFailure) -> [UInt8] {
        let bytes = try take(min(rest, 1 << 20))
        rest -= bytes.count
        return bytes
    }

    /// The hash of the present file.
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
            guard read > 0 else { throw .damaged(path, "it is cut off") }
            done += read
        }
        return bytes
    }
}
