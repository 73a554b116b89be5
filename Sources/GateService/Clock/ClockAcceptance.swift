package import Encoding
import Foundation
package import Kiosk
package import LinuxIO

/// An operator's statement that the clock is right, on its way to the service: a small file next to the
/// database. The file stays until the service reads it, whether the service runs or not.
package struct ClockAcceptance: Sendable {
    /// The operator's statement: the clock showed the right date at one instant of one start of the machine.
    package struct Confirmation: Hashable, Sendable {
        /// The date that the operator saw, and the instant at which the operator saw it.
        package let date: DatedInstant
        /// The names of the start of the machine in which the operator made the statement
        /// (``Boot/names(kernel:folder:)``).
        package let boots: [Text]

        /// Creates a statement that the date was `date`, made in the start of the machine with the names
        /// `boots`.
        package init(_ date: DatedInstant, boots: [Text]) { (self.date, self.boots) = (date, boots) }

        /// Returns why the operator's statement of the date is refused; nil if it is accepted.
        ///
        /// - Parameters:
        ///   - boots: The names of this start of the machine.
        ///   - look: The present readings of the clocks.
        ///   - skew: The greatest permitted difference between the present date and the confirmed date plus
        ///     the time that has passed since.
        package func refusal(in boots: [Text], at look: ClockGuard.Reading, skew: Duration) -> Refusal? {
            // After another start of the machine, the time that has passed is unknown.
            guard self.boots.contains(where: boots.contains), date.at <= look.monotonic else { return .otherStart }
            guard date.at.duration(to: look.monotonic) <= ClockAcceptance.lasting else { return .tooOld }
            let shown = DatedInstant(utc: look.utc, at: look.monotonic)
            return date.agrees(with: shown, within: max(skew, ClockGuard.leastSkew)) ? nil : .otherDate
        }
    }

    /// The reason why a statement does not count; the text is the log's.
    package enum Refusal: String, Hashable, Sendable {
        /// The operator gave the statement before this start of the machine.
        case otherStart = "it was given before the last boot"
        /// The statement waited for longer than ``ClockAcceptance/lasting``.
        case tooOld = "it was given more than a day ago"
        /// The clock was set after the statement.
        case otherDate = "the clock has been set since"
        /// The file has no valid statement, or has the form of version 0.1.0, which lacks the instant.
        case unreadable = "it cannot be read"
    }

    /// The duration for which a statement is valid: one day.
    package static let lasting: Duration = .seconds(86_400)

    /// The path of the file.
    package let path: String

    /// Creates the acceptance of the gate with the database at the path `database`.
    package init(database: String) { path = database + ".clock" }

    /// Returns the operator's statement that waits; nil if none waits or the file holds no valid statement.
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

    /// The maximum length of the file in bytes: a date, an instant and two names.
    private static let longest = 160

    /// Writes the statement that this date is right; durable when this returns.
    package func leave(_ word: Confirmation) throws(SystemError) {
        let words = [word.date.utc.rfc3339, "\(word.date.at.nanoseconds)"] + word.boots.map(\.string)
        try DurableFile.replace(path, with: Array((words.joined(separator: " ") + "\n").utf8))
    }

    /// Removes the file. Returns whether a file existed and was removed.
    @discardableResult package func remove() -> Bool { unlink(path) == 0 }
}
