import Encoding
import Foundation
import LinuxIO

/// A file with an invitation, and the state from which the time of the next read follows.
struct InvitationFile {
    /// The attributes by which the file system distinguishes one content of the file from the next.
    struct Edition: Equatable, Sendable {
        fileprivate var changed: Date?
        fileprivate var size: Int?
        fileprivate var number: Int?
        fileprivate var readers: FileReaders?
    }

    /// The first pause after a failure, and the longest. Each failure doubles the pause.
    static let pauses = (first: Duration.seconds(10), last: Duration.seconds(300))

    let path: String
    private var used: Edition?
    private var failed: Edition?
    private var pause = Self.pauses.first
    private var retryAt = Instant.zero

    init(path: String) { self.path = path }

    /// Returns the edition of the file to be read now; nil if the file need not be read. An edition is due if
    /// the file changed since the last read, or if reading it failed a while ago. The result of the read is
    /// recorded for this edition, because the file may change during the read.
    func due(at now: Instant) -> Edition? {
        let edition = edition
        return edition != used && (edition != failed || now >= retryAt) ? edition : nil
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

    private var edition: Edition {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return Edition(
            changed: attributes?[.modificationDate] as? Date, size: attributes?[.size] as? Int,
            number: attributes?[.systemFileNumber] as? Int, readers: attributes.map(FileReaders.init))
    }
}
