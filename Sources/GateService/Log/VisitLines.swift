import Encoding
import Kiosk
import Reasons

/// Chooses which lines of visits are written to the log, so that many visits of strangers do not displace older
/// lines.
///
/// A visit within the allowance has all its lines. If its visitor is admitted, its share of the allowance is
/// returned. A visit beyond the allowance has lines only in two cases: from its verdict on if the visitor is
/// admitted, and its end if the ledger has a separate record of the visit. All other visits are counted by result and
/// reason, in one line for each ``period``. `docs/retention.md` states the bounds.
struct VisitLines: Sendable {
    /// The allowance: `burst` visits at once, and one more after each `refill`.
    static let (burst, refill): (Int, Duration) = (60, .seconds(10))
    /// The time that one summary line covers.
    static let period: Duration = .seconds(300)
    /// The number of visits beyond the allowance that are remembered: more than can be connected at the same time.
    private static let remembered = 64
    /// The maximum number of reasons in a summary line. Visits with further reasons are counted together as `other`.
    private static let mostReasons = 40

    private var allowance = Allowance(burst: burst, period: refill)
    /// The remembered visits that have no lines, the newest last.
    private var muted: [VisitID] = []
    /// The numbers of visits without lines since the last summary line, by their ending.
    private var omitted: [VisitEnding: Int] = [:]
    private var since: Instant?

    /// Returns whether a line is written for the note.
    mutating func takes(_ note: KioskNote, of visit: VisitID?, at now: Instant) -> Bool {
        switch note {
        // Each phone that connects causes a new advertisement, so log advertisements only while the allowance lasts.
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
            omitted[VisitEnding(result, reasons), default: 0] += 1
            since = since ?? now
            return false
        default: return !isMuted(visit)
        }
    }

    /// Returns whether a line is written for an indicator pattern. The pattern for acceptance always has a line.
    mutating func takes(_ pattern: IndicatorPattern, of visit: VisitID?) -> Bool {
        pattern == .accepted || !isMuted(visit)
    }

    /// Returns the members of the summary line if it is due; nil if it is not due or no visit was left out. `isLast`:
    /// the program ends, so the line is due now.
    mutating func summary(at now: Instant, isLast: Bool = false) -> JSONObject? {
        guard let began = since, isLast || now >= began.advanced(by: Self.period) else { return nil }
        let counts = omitted.sorted {
            ($1.value, $0.key.result.name, $0.key.reason.text) < ($0.value, $1.key.result.name, $1.key.reason.text)
        }
        (omitted, since) = ([:], nil)
        var endings = JSONObject()
        for (ending, count) in counts.prefix(Self.mostReasons) {
            let result = Text(ending.result.name)
            var reasons = endings[result]?.object ?? JSONObject()
            reasons[Text(ending.reason.text)] = .int(count)
            endings[result] = .object(reasons)
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
