import Credentials
import Encoding
import Kiosk

/// Which lines of visits the log has, so that strangers do not push out what it holds.
///
/// A visit has all its lines as long as the allowance reaches, to which a visitor who is let in gives back what he
/// took. Of a visit beyond that the log has the verdict and what follows it if the visitor is let in, and the end if
/// the visit has a record of its own in the ledger; it is counted otherwise, by result and reason, in one line for each
/// ``period``. `docs/retention.md` has the bounds.
struct VisitLines: Sendable {
    /// Visits with all their lines: at once, and one more in each such time.
    static let (burst, refill): (Int, Duration) = (60, .seconds(10))
    /// How long one line speaks for all visits that were left out.
    static let period: Duration = .seconds(300)
    /// Visits that are remembered as left out: more than can be connected at once.
    private static let remembered = 64
    /// Reasons that a line names; the visits of further ones are counted together.
    private static let mostReasons = 40

    private struct Ending: Hashable {
        let result: String
        let reason: String
    }

    private var allowance = Allowance(burst: burst, period: refill)
    /// Visits whose lines are left out, the newest last.
    private var muted: [VisitID] = []
    /// What was left out since the last line about it.
    private var omitted: [Ending: Int] = [:]
    private var since: Instant?

    /// Whether the log has the line of a note.
    mutating func takes(_ note: KioskNote, of visit: VisitID?, at now: Instant) -> Bool {
        switch note {
        // An unused code is worth a line; one for each phone that comes is not.
        case .advertising: return allowance.isThere(at: now)
        case .phoneConnected:
            guard let visit, !allowance.take(at: now) else { return true }
            if muted.count >= Self.remembered { muted.removeFirst() }
            muted.append(visit)
            return false
        case .decided(accepted: true, _, _, _):
            guard let visit else { return true }
            if muted.contains(visit) { muted.removeAll { $0 == visit } } else { allowance.giveBack() }
            return true
        case .visitEnded(let result, let reasons, let figures):
            guard isMuted(visit), !figures.isRecorded else { return true }
            let reason = ReasonCode.counted(reasons.map { Text($0) })
            omitted[Ending(result: result, reason: reason.text), default: 0] += 1
            since = since ?? now
            return false
        default: return !isMuted(visit)
        }
    }

    /// Whether the log has the line of a sign. Green always has one.
    mutating func takes(_ pattern: IndicatorPattern, of visit: VisitID?) -> Bool {
        pattern == .accepted || !isMuted(visit)
    }

    /// The members of the line about the visits that were left out, once it is due; nil: it is not, or there were none.
    /// `isLast`: no other one follows.
    mutating func summary(at now: Instant, isLast: Bool = false) -> JSONObject? {
        guard let began = since, isLast || now >= began.advanced(by: Self.period) else { return nil }
        let counts = omitted.sorted {
            ($1.value, $0.key.result, $0.key.reason) < ($0.value, $1.key.result, $1.key.reason)
        }
        (omitted, since) = ([:], nil)
        var endings = JSONObject()
        for (ending, count) in counts.prefix(Self.mostReasons) {
            var reasons = endings[Text(ending.result)]?.object ?? JSONObject()
            reasons[Text(ending.reason)] = .int(count)
            endings[Text(ending.result)] = .object(reasons)
        }
        let others = counts.dropFirst(Self.mostReasons).reduce(0) { $0 + $1.value }
        if others > 0 { endings["other"] = .int(others) }
        return [
            "count": .int(counts.reduce(0) { $0 + $1.value }),
            "seconds": .int(Int(began.duration(to: now).milliseconds / 1000)), "endings": .object(endings),
        ]
    }

    private func isMuted(_ visit: VisitID?) -> Bool { visit.map { muted.contains($0) } ?? false }
}
