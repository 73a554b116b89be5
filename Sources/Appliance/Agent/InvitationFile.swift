import Encoding
import Foundation

/// A file with an invitation: when it is to be read.
struct InvitationFile {
    /// What tells one content of the file from the next, as far as the file system does.
    struct Edition: Equatable, Sendable {
        fileprivate var changed: Date?
        fileprivate var size: Int?
        fileprivate var number: Int?
        fileprivate var readers: FileReaders?
    }

    /// First pause after a failure; doubled up to the last.
    static let pauses = (first: Duration.seconds(10), last: Duration.seconds(300))

    let path: String
    private var used: Edition?
    private var failed: Edition?
    private var pause = Self.pauses.first
    private var retryAt = Instant.zero

    init(path: String) { self.path = path }

    /// The edition to be read now, because it was not read since it changed, or reading it failed a while ago; nil: none. What is then
    /// said of it is said of this one: the file may be another before that.
    func due(at now: Instant) -> Edition? {
        let edition = edition
        return edition != used && (edition != failed || now >= retryAt) ? edition : nil
    }

    /// That edition was read and led to a connection.
    mutating func succeeded(_ edition: Edition) {
        used = edition
        pause = Self.pauses.first
    }

    /// That edition could not be read or used.
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
