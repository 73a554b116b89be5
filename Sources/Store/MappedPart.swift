import GRDB
import GRDBSQLite
import Glibc

/// A part of a file as memory that the kernel fills from the file when it is read.
final class MappedPart: @unchecked Sendable {  // nothing changes after init, and the pages are read-only
    private let start: UnsafeMutableRawPointer
    private let (offset, size): (Int, Int)

    /// Maps the `size` bytes from byte `offset` on of a regular file, which must have them; at least one byte. `path`
    /// is for errors only.
    init(_ descriptor: Int32, offset: Int, size: Int, path: String) throws(StoreError) {
        var status = stat()
        let (end, isTooLarge) = offset.addingReportingOverflow(size)
        guard offset >= 0, size > 0, !isTooLarge, fstat(descriptor, &status) == 0,
            status.st_mode & S_IFMT == S_IFREG, end <= Int(status.st_size)
        else { throw .corrupt(path: path, detail: "the file does not hold the whole database") }
        // From the beginning of the file: an offset in mmap(2) is one of whole pages.
        guard let start = mmap(nil, end, PROT_READ, MAP_PRIVATE, descriptor, 0), start != MAP_FAILED else {
            throw StoreFile.failure(path)
        }
        (self.start, self.offset, self.size) = (start, offset, size)
    }

    deinit { munmap(start, offset + size) }

    /// Puts the bytes in the place of the connection's database, read-only (sqlite3_deserialize). They must be all of
    /// one database. This object must live as long as the connection reads.
    func open(in db: Database) throws {
        let bytes = start.advanced(by: offset).assumingMemoryBound(to: UInt8.self)
        let code = sqlite3_deserialize(
            db.sqliteConnection, "main", bytes, Int64(size), Int64(size), UInt32(SQLITE_DESERIALIZE_READONLY))
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
        let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
        let bytesOfPage = try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 0
        guard pages.multipliedReportingOverflow(by: bytesOfPage).partialValue == size else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the file holds more than the database")
        }
    }
}
