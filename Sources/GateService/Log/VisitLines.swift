import Encoding
import Kiosk
import Reasons

/// Chooses which lines of visits the log has, so that many visits of strangers do not displace older lines.
///
/// A visit has all its lines while the allowance lasts. If the visitor is let in, the visit returns the part
/// of the allowance that it used. For a visit beyond the allowance, the log has the verdict and the later
/// lines if the visitor is let in. The log has the end of the visit if the ledger has a separate record for this visit.
/// Other visits are counted by result and reason, in one line for each ``period``. `docs/retention.md` has the bounds.
struct VisitLines: Sendable {
    /// The allowance of visits with all their lines: `burst` at once, and one more in each `refill`.
    static let (burst, refill): (Int, Duration) = (60, .seconds(10))
    /// The period that one summary line covers.
    static let period: Duration = .seconds(300)
    /// The number of visits remembered as left out: more than can be connected at once.
    private static let remembered = 64
    /// The number of reasons that a line names; the visits with further reasons are counted together.
    private static let mostReasons = 40

    private var allowance = Allowance(burst: burst, period: refill)
    /// Visits without lines, the newest last.
    private var muted: [VisitID] = []
    /// The counts of visits left out since the last summary line.
    private var omitted: [VisitEnding: Int] = [:]
    private var since: Instant?

    /// Returns whether the log has the line of a note.
    mutating func takes(_ note: KioskNote, of visit: VisitID?, at now: Instant) -> Bool {
        switch note {
        // Each phone that connects causes a new advertisement: log it only while the allowance lasts.
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

    /// Returns whether the log has the line of an indicator pattern. The pattern for acceptance always has a
    /// line.
    mutating func takes(_ pattern: IndicatorPattern, of visit: VisitID?) -> Bool {
        pattern == .accepted || !isMuted(visit)
    }

    /// Returns the members of the summary line about the visits left out, once it is due; nil: it is not due,
    /// or no visit was left out. `isLast`: no further summary follows.
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
