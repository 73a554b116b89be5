import Crypto
import LinuxIO

/// Reads a tar archive as ``ArchiveWriter`` writes it, from beginning to end, piece by piece. Refuses every
/// other form.
final class ArchiveReader {
    private let path: String
    private let file: OpenFile
    /// The bytes of the current file that are not read yet (`rest`), and the zeros that follow the file
    /// (`padding`).
    private var (rest, padding) = (0, 0)

    /// Opens a plain file. A pipe is refused without waiting for its writer.
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
        let bytes: [UInt8]
        do throws(SystemError) { bytes = try file.read(count, expected: count) } catch { throw BackupFailure(error) }
        guard bytes.count == count else { throw .damaged(path, "it is truncated") }
        return bytes
    }
}
