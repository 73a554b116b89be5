import Encoding
import Foundation
import LinuxIO

/// A file with an invitation, and the state from which the time of the next read follows.
struct InvitationFile {
    /// The attributes by which the file system distinguishes one content of the file from the next.
    struct Edition: Equatable, Sendable {
        private var changed: Date?
        private var size: Int?
        private var number: Int?
        private var readers: FileReaders?

        /// The edition of a file that does not exist.
        static let absent = Edition()

        private init() {}

        /// Reads the attributes of the file at `path`.
        init(of path: String) {
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            (changed, size) = (attributes?[.modificationDate] as? Date, attributes?[.size] as? Int)
            (number, readers) = (attributes?[.systemFileNumber] as? Int, attributes.map(FileReaders.init))
        }
    }

    /// The first pause after a failure, and the longest. Each failure doubles the pause.
    static let pauses = (first: Duration.seconds(10), last: Duration.seconds(300))

    let path: String
    private var used: Edition?
    private var failed: Edition?
    private var pause = Self.pauses.first
    private var retryAt = Instant.zero

    init(path: String) { self.path = path }

    /// Returns whether the file, of which `edition` is the present one, is to be read now: it changed since the last
    /// read, or reading it failed a while ago. The result of the read is recorded for this edition, because the file
    /// may change during the read.
    func isDue(_ edition: Edition, at now: Instant) -> Bool {
        edition != used && (edition != failed || now >= retryAt)
    }

    /// Records that this edition was read and led to a connection.
    mutating func succeeded(_ edition: Edition) {
        used = edition
        pause = Self.pauses.first
    }

    /// Records that this edition could not be read or used.
    mutating func failed(_ edition: Edition, at now: Instant) {
        failed = edition
        retryAt = now.advanced(by: pause)
        pause = min(pause * 2, Self.pauses.last)
    }
}
