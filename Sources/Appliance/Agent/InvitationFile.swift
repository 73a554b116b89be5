import Encoding
import Foundation

/// A file with an invitation: when it is to be read.
struct InvitationFile {
    /// What tells one content of the file from the next, as far as the file system does.
    private struct Edition: Equatable {
        var changed: Date?
        var size: Int?
        var number: Int?
        var readers: FileReaders?
    }

    /// First pause after a failure; doubled up to the last.
    static let pauses = (first: Duration.seconds(10), last: Duration.seconds(300))

    let path: String
    private var used: Edition?
    private var failed: Edition?
    private var pause = Self.pauses.first
    private var retryAt = Instant.zero

    init(path: String) { self.path = path }

    /// Whether it was not read since it changed, or reading it failed a while ago.
    func isDue(at now: Instant) -> Bool {
        let edition = edition
        if edition == used { return false }
        return edition != failed || now >= retryAt
    }

    /// It was read and led to a connection.
    mutating func succeeded() {
        used = edition
        pause = Self.pauses.first
    }

    /// It could not be read or used.
    mutating func failed(at now: Instant) {
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
