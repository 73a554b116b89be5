package import Encoding
import Foundation
package import Kiosk
package import LinuxIO

/// The word of somebody who knows that the clock is right, on its way to the service: a small file beside the database, which lies
/// there until it is taken over, whether the service runs or not.
package struct ClockAcceptance: Sendable {
    /// What an operator has said: that the clock showed the right date at one instant of one start of the machine.
    package struct Word: Hashable, Sendable {
        /// The date that he saw, and when.
        package let date: DatedInstant
        /// The names of that start of the machine (``Boot/names(kernel:folder:)``).
        package let boots: [Text]

        /// That date in that start of the machine.
        package init(_ date: DatedInstant, boots: [Text]) { (self.date, self.boots) = (date, boots) }

        /// Why it counts no longer; nil: it does.
        ///
        /// - Parameters:
        ///   - boots: The names of this start of the machine.
        ///   - look: What the clocks show now.
        ///   - skew: How far the date may be from the one that was seen, with the time that has passed since.
        package func refusal(in boots: [Text], at look: ClockGuard.Look, skew: Duration) -> Refusal? {
            // After another start of the machine it is not known how much time has passed.
            guard self.boots.contains(where: boots.contains), date.at <= look.monotonic else { return .otherStart }
            guard date.at.duration(to: look.monotonic) <= ClockAcceptance.lasting else { return .tooOld }
            let shown = DatedInstant(utc: look.utc, at: look.monotonic)
            return date.agrees(with: shown, within: max(skew, ClockGuard.leastSkew)) ? nil : .otherDate
        }
    }

    /// Why a word does not count; the text is the log's.
    package enum Refusal: String, Hashable, Sendable {
        /// It was said before the machine was started.
        case otherStart = "it was given before the machine was started"
        /// It waited for longer than ``ClockAcceptance/lasting``.
        case tooOld = "it was given more than a day ago"
        /// The clock was set since.
        case otherDate = "the clock was set since"
        /// The file is no word, or one of version 0.1.0, which does not say when it was given.
        case unreadable = "it cannot be read"
    }

    /// How long it counts.
    package static let lasting: Duration = .seconds(86_400)

    /// The file.
    package let path: String

    /// The acceptance for the gate with that database.
    package init(database: String) { path = database + ".clock" }

    /// What waits to be taken over; nil when nothing does. What cannot be read as a word counts as none.
    package func pending() -> Word? {
        guard let bytes = FileBytes.read(path, limit: Self.longest + 1), bytes.count <= Self.longest else { return nil }
        let line = String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self)
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count >= 2, let utc = Timestamp(rfc3339: words[0]), let at = Int64(words[1]), at >= 0 else {
            return nil
        }
        return Word(
            DatedInstant(utc: utc, at: Instant(nanoseconds: at)), boots: words.dropFirst(2).map { Text(String($0)) })
    }

    /// Whether something waits that is no word.
    package var isUnreadable: Bool { access(path, F_OK) == 0 && pending() == nil }

    /// A date, an instant and two names.
    private static let longest = 160

    /// Leaves word that this date is right; durable when this returns.
    package func leave(_ word: Word) throws(SystemError) {
        let words = [word.date.utc.rfc3339, "\(word.date.at.nanoseconds)"] + word.boots.map(\.string)
        try DurableFile.replace(path, with: Array((words.joined(separator: " ") + "\n").utf8))
    }

    /// Takes the file away; returns whether there was one that could be.
    @discardableResult package func remove() -> Bool { unlink(path) == 0 }
}
