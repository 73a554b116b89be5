import Crypto
import LinuxIO

/// Reads a tar archive of the form that ``ArchiveWriter`` writes, from beginning to end in pieces. Refuses any other
/// form.
final class ArchiveReader {
    private let path: String
    private let file: OpenFile
    /// The number of bytes of the current file that were not read yet (`rest`), and the number of zeros that follow
    /// the file (`padding`).
    private var (rest, padding) = (0, 0)

    /// Opens a regular file. Refuses a pipe at once, without waiting for a writer.
    init(_ path: String) throws(BackupFailure) {
        self.path = path
        do throws(SystemError) {
            file = try OpenFile(path, .reading, links: .followed, operation: "reading")
        } catch {
            throw BackupFailure(error)
        }
        guard file.isFile else { throw .damaged(path, "it is not a file") }
    }

    /// Returns to the beginning of the archive.
    func rewind() throws(BackupFailure) {
        do throws(SystemError) { try file.rewind() } catch { throw BackupFailure(error) }
        (rest, padding) = (0, 0)
    }

    /// Returns the header of the next file; nil at the end of the archive. Skips what was not read of the current
    /// file.
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

    /// Reads the rest of the current file and passes each piece to `body`. Returns the SHA-256 hash of the rest.
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
        let bytes: [UInt8]
        do throws(SystemError) { bytes = try file.read(count, expected: count) } catch { throw BackupFailure(error) }
        guard bytes.count == count else { throw .damaged(path, "it is truncated") }
        return bytes
    }
}
