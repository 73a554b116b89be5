package import Encoding
package import Reasons

/// A calendar that warns 14, 3 and 1 days before the end of an item's validity, and when the validity has ended.
///
/// The calendar is a value. It examines all expiry dates at the present date and returns the reports to make. Each
/// step of each item is reported once, even if the clock moves back and forth around its moment. An item that was
/// replaced by one with a later end causes no more warnings. While the date is unknown there are no warnings. Earlier
/// warnings are not repeated when the date is known again.
package struct ExpiryCalendar: Sendable {
    /// How near an end is, from far to near.
    package enum Step: Int, CaseIterable, Comparable, Sendable {
        case fortnight = 14
        case threeDays = 3
        case day = 1
        case ended = 0

        /// How long before the end of the validity the step begins.
        package var before: Duration { .seconds(rawValue * 86_400) }

        package static func < (left: Step, right: Step) -> Bool { left.rawValue > right.rawValue }
    }

    /// A warning about an item that ends soon, or has ended.
    package struct Warning: Hashable, Sendable {
        /// The item that expires.
        package let expiry: Expiry
        /// How near the end of the item's validity is.
        package let step: Step

        /// The reason code of the warning.
        package var code: ReasonCode { step == .ended ? .expired : .expiresSoon }

        /// The warning as one line for people. It stays the same as long as the step lasts.
        package var words: String {
            switch step {
            case .fortnight, .threeDays:
                "\(expiry.words) ends on \(expiry.endWords), in less than \(step.rawValue) days"
            case .day: "\(expiry.words) ends on \(expiry.endWords), in less than a day"
            case .ended: "\(expiry.words) ended on \(expiry.endWords)"
            }
        }
    }

    /// The result of an examination of the expiry dates.
    package enum Action: Hashable, Sendable {
        /// A fault for the light and the status report.
        case report(HealthReport)
        /// A warning for the log and the agents that an item expires soon or has expired. Each item causes one warning
        /// for each ``Step``.
        case tell(Warning)
    }

    /// An item leaves a step only when its end is this much further away than at the beginning of the step.
    package static let margin: Duration = .seconds(3600)
    /// The largest number of items to watch. Of more items, those that end first are watched.
    package static let limit = 1000

    /// The warnings about items that end soon or have ended, the soonest first; empty while the date is unknown.
    package private(set) var warnings: [Warning] = []
    /// All items with an end, the soonest first.
    package private(set) var expiries: [Expiry] = []
    /// Whether the date was known at the last examination.
    package private(set) var isDated = false

    /// The step that was reported for each item: how near its end was when the date was last known.
    private var steps: [Expiry: Step] = [:]
    /// The number of warnings that were reported so far, by code.
    private var told: [ReasonCode: Int] = [:]
    private var reported: [ReasonCode: HealthReport] = [:]

    /// Creates a calendar that knows nothing yet.
    package init() {}

    /// Examines all items with an end.
    ///
    /// - Parameters:
    ///   - expiries: All items with an end, in any order.
    ///   - date: The date; nil if the gate does not trust it enough to admit people.
    package mutating func look(_ expiries: [Expiry], at date: Timestamp?) -> [Action] {
        self.expiries = Array(Set(expiries).sorted(by: Expiry.isSooner).prefix(Self.limit))
        isDated = date != nil
        var (news, steps): ([Warning], [Expiry: Step]) = ([], [:])
        for expiry in self.expiries {
            let before = self.steps[expiry]
            steps[expiry] = if let date { Self.step(of: expiry, at: date, after: before) } else { before }
            if let step = steps[expiry], before.map({ step > $0 }) ?? true {
                news.append(Warning(expiry: expiry, step: step))
            }
        }
        self.steps = steps
        warnings = self.expiries.compactMap { expiry in
            isDated ? steps[expiry].map { Warning(expiry: expiry, step: $0) } : nil
        }
        for warning in news { told[warning.code, default: 0] += 1 }
        return news.map { .tell($0) } + [.expiresSoon, .expired].compactMap { report($0) }
    }

    /// Returns the report of the fault `code` if the report has changed; otherwise nil.
    private mutating func report(_ code: ReasonCode) -> Action? {
        let present = warnings.filter { $0.code == code }
        // Of the items that have ended, report the one that ended last.
        let first = code == .expired ? present.last : present.first
        let others = present.count > 1 ? "; and \(present.count - 1) more: gatehouse doctor" : ""
        let report: HealthReport =
            first.map { .present(code, count: told[code], detail: $0.words + others) } ?? .over(code)
        let before = reported.updateValue(report, forKey: code)
        return before == report || before == nil && !report.isPresent ? nil : .report(report)
    }

    /// Returns how near the end is at a date; `before`: how near the end was at the previous examination.
    private static func step(of expiry: Expiry, at date: Timestamp, after before: Step?) -> Step? {
        func isReached(_ step: Step, _ margin: Duration = .zero) -> Bool {
            expiry.end <= date.advanced(by: step.before + margin)
        }
        let steps = Self.steps(of: expiry)
        let reached = steps.last { isReached($0) }
        guard let before, reached.map({ $0 < before }) ?? true, steps.contains(before) else { return reached }
        return isReached(before, margin) ? before : steps.last { isReached($0, margin) && $0 < before }
    }

    /// Returns the steps to report for an item. For an item that is renewed automatically, only its end is
    /// reported. If an item is valid for at most a fortnight, the step of a fortnight is left out.
    private static func steps(of expiry: Expiry) -> [Step] {
        if expiry.isRenewed { return [.ended] }
        guard let begin = expiry.begin, expiry.end <= begin.advanced(by: Step.fortnight.before) else {
            return Step.allCases
        }
        return Step.allCases.filter { $0 > .fortnight }
    }
}
