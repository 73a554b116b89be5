import Glibc
import LinuxIO

/// Copies of the database's files. A start makes them before SQLite reads the write-ahead log and truncates its
/// invalid part. If the ledger turns out to be damaged or changed, the copies are evidence.
///
/// At most ``most`` copies are kept, as `PATH.found-N` and `PATH.found-N-wal`. The operator removes them after an
/// examination.
struct FoundFiles {
    /// The maximum size of a file to copy, in bytes. An ordinary write-ahead log has a few million bytes.
    static let limit = 64 * 1024 * 1024
    /// The maximum number of copies that are kept. A further copy is not made.
    static let most = 2

    private let path: String
    /// The name endings of the copied files.
    private var endings: [String] = []

    /// Copies the write-ahead log that an interrupted run left, if there is one. A start does not depend on the copy:
    /// nothing is copied if ``most`` copies exist, and a failure to copy is ignored.
    init(_ path: String) {
        self.path = path
        guard Self.free(path) != nil else { return }
        copy("-wal")
    }

    /// Copies the database if its write-ahead log was copied. Call this before the content of the write-ahead log
    /// moves into the database.
    mutating func addDatabase() {
        if !endings.isEmpty { copy("") }
    }

    /// Removes the copies, because no fault was found.
    func discard() { for ending in endings { unlink(Self.copy(of: path) + ending) } }

    /// Gives the copies their permanent names and returns their paths. Returns no path if ``most`` copies exist.
    func keep() -> [String] {
        guard let name = Self.free(path) else { return [] }
        let kept = endings.filter { rename(Self.copy(of: path) + $0, name + $0) == 0 }.map { name + $0 }
        try? StoreFile.sync(folder: StoreFile.folder(of: path))
        return kept
    }

    private mutating func copy(_ ending: String) {
        if Self.copy(path + ending, to: Self.copy(of: path) + ending) {
            endings.append(ending)
        } else {
            unlink(Self.copy(of: path) + ending)
        }
    }

    private static func copy(of path: String) -> String { path + ".found" }

    /// Returns the first unused name for a permanent copy; nil if ``most`` copies exist.
    private static func free(_ path: String) -> String? {
        (1...most).map { "\(path).found-\($0)" }.first { access($0, F_OK) != 0 && access($0 + "-wal", F_OK) != 0 }
    }

    private static func copy(_ source: String, to target: String) -> Bool {
        do throws(SystemError) {
            let from = try OpenFile(source, .reading)
            let status = try from.status()
            guard status.kind == .file, (1...limit).contains(status.size) else { return false }
            let to = try OpenFile(target, .replacing(mode: 0o600))
            while true {
                let bytes = try from.readOnce(64 * 1024)
                if bytes.isEmpty { return true }
                try to.write(bytes)
            }
        } catch {
            return false
        }
    }
}
