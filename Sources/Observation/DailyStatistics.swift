package import Encoding
import Kiosk
package import Ledger
package import Reasons

/// Statistics of the present day, computed from the ledger's entries and from readings of the status report.
///
/// The visits come from the ledger. Therefore they are complete after a restart, have the numbers of `gatehouse
/// ledger list` and contain no claims. The state of the radio is known only since the start of the service. The size
/// is limited: it contains counts for each minute and each reason code, and the last visits.
package struct DailyStatistics: Sendable {
    /// A visit in the ledger.
    package struct Visit: Hashable, Sendable {
        /// The number of the visit in the ledger.
        package let number: Int
        /// The date at which the outcome was recorded.
        package let at: Timestamp
        /// The result of the visit.
        package let result: Outcome.Result
        /// The most specific reason code.
        package let reason: ReasonCode
        /// The number of further visits that had the same ending shortly before and have no records of their own.
        package let alike: Int
    }

    /// The result of visits, and their reason.
    package struct Ending: Hashable, Sendable {
        /// The result of the visit.
        package let result: Outcome.Result
        /// The reason code of the result.
        package let reason: ReasonCode
    }

    /// The state of the radio in one minute.
    package enum Radio: UInt8, Sendable {
        /// No report was read in this minute. Readings are not stored, so all minutes before the start of the service
        /// are unknown.
        case unknown
        /// The radio was up in all readings of this minute.
        case up
        /// The radio was down in at least one reading of this minute.
        case down
    }

    /// The numbers of visits in one minute, by result.
    package struct Minute: Hashable, Sendable {
        /// The number of visits with the verdict accepted.
        package var accepted: UInt16 = 0
        /// The number of visits with the verdict rejected.
        package var rejected: UInt16 = 0
        /// The number of visits that failed, or that a power cut interrupted.
        package var failed: UInt16 = 0

        /// The number of all visits.
        package var all: Int { Int(accepted) + Int(rejected) + Int(failed) }
    }

    /// The number of minutes of the longest day: 24 hours, and one more hour when clocks are set back.
    package static let longest = 25 * 60
    /// The maximum number of visits in the list of the last visits.
    package static let kept = 50

    /// The local midnight at which the day began.
    package let begin: Timestamp
    /// The position of the ledger entry that was applied last.
    package private(set) var position = 0
    /// The visits of each minute since midnight.
    package private(set) var minutes = Array(repeating: Minute(), count: longest)
    /// The state of the radio in each minute since midnight.
    package private(set) var radio = Array(repeating: Radio.unknown, count: longest)
    /// The number of visits by result and reason.
    package private(set) var endings: [Ending: Int] = [:]
    /// The last visits, newest first.
    package private(set) var visits: [Visit] = []

    /// Creates the statistics of the day that began at `begin`. The first entry to apply is the one after `position`.
    package init(begin: Timestamp, after position: Int) { (self.begin, self.position) = (begin, position) }

    /// Skips the entries up to `position`. Call this before the first entry is applied.
    package mutating func start(after position: Int) { self.position = max(self.position, position) }

    /// The number of all visits of the day.
    package var total: Int { endings.values.reduce(0, +) }

    /// Returns the number of visits with the result `result`.
    package func total(of result: Outcome.Result) -> Int {
        endings.reduce(0) { $0 + ($1.key.result == result ? $1.value : 0) }
    }

    /// The minute with the most visits, and the number of its visits; nil if there are no visits.
    package var busiest: (minute: Int, visits: Int)? {
        guard let minute = minutes.indices.max(by: { minutes[$0].all < minutes[$1].all }), minutes[minute].all > 0
        else {
            return nil
        }
        return (minute, minutes[minute].all)
    }

    /// Applies entries in their order in the ledger. Ignores unreadable entries, and visits of other days.
    package mutating func take(_ entries: [LedgerEntry]) {
        for entry in entries where entry.position > position {
            position = entry.position
            guard case .outcome(let record)? = try? LedgerRecord(bytes: entry.body),
                let minute = minute(of: record.stamp.time.utc)
            else { continue }
            let outcome = record.outcome
            let reason = ReasonCode.counted(outcome.reasons.map(\.code))
            let count = 1 + outcome.repeated
            endings[Ending(result: outcome.result, reason: reason), default: 0] += count
            let place: WritableKeyPath<Minute, UInt16> =
                switch outcome.result {
                case .accepted: \.accepted
                case .rejected: \.rejected
                case .failed, .interrupted: \.failed
                }
            minutes[minute][keyPath: place] = UInt16(clamping: Int(minutes[minute][keyPath: place]) + count)
            let visit = Visit(
                number: record.seq, at: record.stamp.time.utc, result: outcome.result, reason: reason,
                alike: outcome.repeated)
            visits.insert(visit, at: 0)
            if visits.count > Self.kept { visits.removeLast() }
        }
    }

    /// Applies a status report that was read at `now`. Ignores a report of the first start of the radio as long as no
    /// failure has occurred, because a start takes a moment.
    package mutating func look(_ report: StatusReport, at now: Timestamp) {
        guard let minute = minute(of: now) else { return }
        if report.radio?.state == .starting, report.radio?.failures == 0 { return }
        if radio[minute] != .down { radio[minute] = report.radio?.state == .up ? .up : .down }
    }

    private func minute(of date: Timestamp) -> Int? {
        let seconds = date.seconds - begin.seconds
        return seconds >= 0 && seconds < Int64(Self.longest) * 60 ? Int(seconds / 60) : nil
    }
}
