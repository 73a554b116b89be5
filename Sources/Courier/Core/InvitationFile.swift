import Encoding
import Foundation
import LinuxIO

/// The state of a file with an invitation: which content was read last, and when the file is to be read next.
struct InvitationFile {
    /// The attributes of a file from which a change of its content is noticed.
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

    /// The first and the longest pause after a failed read. Each failure doubles the pause.
    static let pauses = (first: Duration.seconds(10), last: Duration.seconds(300))

    let path: String
    private var used: Edition?
    private var failed: Edition?
    private var pause = Self.pauses.first
    private var retryAt = Instant.zero

    init(path: String) { self.path = path }

    /// Returns whether the file is to be read now: its content differs from the one that was read last, or a failed
    /// read is to be repeated. `edition`: the present edition. The caller records the result of the read for this
    /// edition, because the file may change during the read.
    func isDue(_ edition: Edition, at now: Instant) -> Bool {
        edition != used && (edition != failed || now >= retryAt)
    }

    /// Records that the content with this edition was read and led to a connection.
    mutating func succeeded(_ edition: Edition) {
        used = edition
        pause = Self.pauses.first
    }

    /// Records that the content with this edition could not be read or used.
    mutating func failed(_ edition: Edition, at now: Instant) {
        failed = edition
        retryAt = now.advanced(by: pause)
        pause = min(pause * 2, Self.pauses.last)
    }
}
