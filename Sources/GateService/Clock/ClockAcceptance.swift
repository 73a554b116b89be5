package import Encoding
import Foundation
package import Kiosk
package import LinuxIO

/// The file in which an operator's statement that the clock is right waits for the service: a small file next to the
/// database. `gatehouse clock accept` writes the file, also while the service is stopped. The service removes it
/// after it has read it.
package struct ClockAcceptance: Sendable {
    /// The operator's statement that the clock showed the right date at one instant.
    package struct Confirmation: Hashable, Sendable {
        /// The date that the operator confirmed, with the reading of the monotonic clock at that moment.
        package let date: DatedInstant
        /// The names of the machine's boot in which the operator confirmed the date (``Boot/names(kernel:folder:)``).
        /// The instant in ``date`` is valid only in this boot.
        package let boots: [Text]

        /// Creates the statement that the date was `date`, made in the boot with the names `boots`.
        package init(_ date: DatedInstant, boots: [Text]) { (self.date, self.boots) = (date, boots) }

        /// Returns why the service must refuse this statement; nil if it can accept the statement.
        ///
        /// - Parameters:
        ///   - boots: The names of the machine's present boot.
        ///   - look: The present readings of the clocks.
        ///   - skew: The largest permitted difference between the present date and the date that follows from the
        ///     statement: the confirmed date plus the time since the confirmation.
        package func refusal(in boots: [Text], at look: ClockGuard.Reading, skew: Duration) -> Refusal? {
            // After a reboot, the time that has passed since the statement is unknown.
            guard self.boots.contains(where: boots.contains), date.at <= look.monotonic else { return .otherStart }
            guard date.at.duration(to: look.monotonic) <= ClockAcceptance.lasting else { return .tooOld }
            let shown = DatedInstant(utc: look.utc, at: look.monotonic)
            return date.agrees(with: shown, within: max(skew, ClockGuard.leastSkew)) ? nil : .otherDate
        }
    }

    /// The reason why the service refuses a statement. The raw value is the text in the log.
    package enum Refusal: String, Hashable, Sendable {
        /// The operator made the statement in an earlier boot of the machine.
        case otherStart = "it was given before the last boot"
        /// The statement is older than ``ClockAcceptance/lasting``.
        case tooOld = "it was given more than a day ago"
        /// The clock was set after the operator made the statement.
        case otherDate = "the clock has been set since"
        /// The file contains no valid statement of a date. A file that version 0.1.0 wrote is not valid, because it
        /// lacks the reading of the monotonic clock.
        case unreadable = "it cannot be read"
    }

    /// The age up to which a statement is valid: one day.
    package static let lasting: Duration = .seconds(86_400)

    /// The path of the file.
    package let path: String

    /// Creates the object for the gate whose database has the path `database`. Creates no file.
    package init(database: String) { path = database + ".clock" }

    /// Returns the statement that is in the file; nil if there is no file or its content is not a valid statement.
    package func pending() -> Confirmation? {
        guard let bytes = FileBytes.read(path, limit: Self.longest + 1), bytes.count <= Self.longest else { return nil }
        let line = String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self)
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count >= 2, let utc = Timestamp(rfc3339: words[0]), let at = Int64(words[1]), at >= 0 else {
            return nil
        }
        return Confirmation(
            DatedInstant(utc: utc, at: Instant(nanoseconds: at)), boots: words.dropFirst(2).map { Text(String($0)) })
    }

    /// Whether the file exists and is not a valid statement.
    package var isUnreadable: Bool { access(path, F_OK) == 0 && pending() == nil }

    /// The maximum length of the file in bytes: it contains a date, an instant and two names of a boot.
    private static let longest = 160

    /// Replaces the content of the file by the statement `word`. The file is durable when the call returns.
    package func leave(_ word: Confirmation) throws(SystemError) {
        let words = [word.date.utc.rfc3339, "\(word.date.at.nanoseconds)"] + word.boots.map(\.string)
        try DurableFile.replace(path, with: Array((words.joined(separator: " ") + "\n").utf8))
    }

    /// Removes the file. Returns whether a file existed and was removed.
    @discardableResult package func remove() -> Bool { unlink(path) == 0 }
}
