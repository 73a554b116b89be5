import Glibc

/// Copies of the database's files as a start found them, before SQLite reads the log and cuts what it does not like: evidence, should
/// the ledger turn out to be damaged or changed.
///
/// Kept as `PATH.found-N` and `PATH.found-N-wal`, at most ``most`` of them, the first ones; whoever has looked at them removes them.
struct FoundFiles {
    /// Bytes of a file that is copied at most; an ordinary log has a few million.
    static let limit = 64 * 1024 * 1024
    /// Copies that are kept.
    static let most = 2

    private let path: String
    /// Of the files there are copies of, what their names end with.
    private var endings: [String] = []

    /// Copies the log, where a run that was cut off has left one. Nothing is copied when there are as many copies already, or when it
    /// cannot be copied: no start depends on it.
    init(_ path: String) {
        self.path = path
        guard Self.free(path) != nil else { return }
        copy("-wal")
    }

    /// Copies the database beside its log. Nobody may have it open but who calls.
    mutating func addDatabase() {
        if !endings.isEmpty { copy("") }
    }

    /// Nothing was wrong: the copies go.
    func discard() { for ending in endings { unlink(Self.copy(of: path) + ending) } }

    /// Keeps the copies; their paths.
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

    /// A name that is free; nil: there are as many copies as are kept.
    private static func free(_ path: String) -> String? {
        (1...most).map { "\(path).found-\($0)" }.first { access($0, F_OK) != 0 && access($0 + "-wal", F_OK) != 0 }
    }

    private static func copy(_ source: String, to target: String) -> Bool {
        let from = open(source, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard from >= 0 else { return false }
        defer { close(from) }
        var status = stat()
        guard fstat(from, &status) == 0, status.st_mode & S_IFMT == S_IFREG, (1...off_t(limit)).contains(status.st_size)
        else { return false }
        let to = open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard to >= 0 else { return false }
        defer { close(to) }
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = read(from, &buffer, buffer.count)
            if count == 0 { return true }
            guard count > 0, write(to, buffer, count) == count else { return false }
        }
    }
}
