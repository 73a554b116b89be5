package import Credentials
package import Encoding
package import Ledger

/// What happened on the present day: a fold over the ledger's entries, and over looks at the status report.
///
/// Visits are made of what is recorded, so they are whole again after a restart, their numbers are those of `gatehouse ledger list`, and
/// no claims are in it; the radio is known from the start on. Bounded: counts for each minute, for each row of the table of reasons, and the last visits.
package struct DayBook: Sendable {
    /// A recorded visit.
    package struct Visit: Hashable, Sendable {
        /// Its number in the ledger.
        package let number: Int
        /// When its outcome was recorded.
        package let at: Timestamp
        /// How it ended.
        package let result: Outcome.Result
        /// Why: the code that tells most.
        package let reason: ReasonCode
        /// Further visits that ended alike shortly before and have no record of their own.
        package let alike: Int
    }

    /// How a visit ended, and why.
    package struct Ending: Hashable, Sendable {
        /// How.
        package let result: Outcome.Result
        /// Why.
        package let reason: ReasonCode
    }

    /// How the radio was in one minute.
    package enum Radio: UInt8, Sendable {
        /// Nobody looked, or nobody remembers: looks are not recorded, so that it is so before the start of the service.
        case unknown
        /// Up at every look.
        case up
        /// Not up at one of the looks, at least.
        case down
    }

    /// The visits of one minute.
    package struct Minute: Hashable, Sendable {
        /// Let in.
        package var accepted: UInt16 = 0
        /// Not let in.
        package var rejected: UInt16 = 0
        /// Failed, or interrupted by a power cut.
        package var failed: UInt16 = 0

        /// All of them.
        package var all: Int { Int(accepted) + Int(rejected) + Int(failed) }
    }

    /// Minutes of a day; an hour more when clocks are put back.
    package static let longest = 25 * 60
    /// Visits that are kept for the list.
    package static let kept = 50

    /// The midnight with which it began.
    package let begin: Timestamp
    /// The position of the last entry that was taken.
    package private(set) var position = 0
    /// Visits by minute.
    package private(set) var minutes = Array(repeating: Minute(), count: longest)
    /// The radio by minute.
    package private(set) var radio = Array(repeating: Radio.unknown, count: longest)
    /// Visits by how they ended and why.
    package private(set) var endings: [Ending: Int] = [:]
    /// The last visits, newest first.
    package private(set) var visits: [Visit] = []

    /// The day that began then; entries are taken from the one behind `position` on.
    package init(begin: Timestamp, after position: Int) { (self.begin, self.position) = (begin, position) }

    /// Leaves out what stands up to that position, before any entry was taken.
    package mutating func start(after position: Int) { self.position = max(self.position, position) }

    /// How many visits are counted.
    package var total: Int { endings.values.reduce(0, +) }

    /// How many of them ended so.
    package func total(of result: Outcome.Result) -> Int {
        endings.reduce(0) { $0 + ($1.key.result == result ? $1.value : 0) }
    }

    /// The most visits in one minute, and which; nil when there were none.
    package var busiest: (minute: Int, visits: Int)? {
        guard let minute = minutes.indices.max(by: { minutes[$0].all < minutes[$1].all }), minutes[minute].all > 0
        else {
            return nil
        }
        return (minute, minutes[minute].all)
    }

    /// Takes entries in the order of the ledger. One that cannot be read, or is of another day, counts nothing.
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

    /// Takes a look at the status report of that moment. The first start of the radio takes a moment, and is no failure
    /// as long as nothing has failed.
    package mutating func look(_ report: JSON, at now: Timestamp) {
        guard let minute = minute(of: now) else { return }
        let state = report.at(["radio", "state"])?.string
        if state == "starting", report.at(["radio", "failures"])?.int == 0 { return }
        let isUp = state == "up"
        if radio[minute] != .down { radio[minute] = isUp ? .up : .down }
    }

    private func minute(of date: Timestamp) -> Int? {
        let seconds = date.seconds - begin.seconds
        return seconds >= 0 && seconds < Int64(Self.longest) * 60 ? Int(seconds / 60) : nil
    }
}
