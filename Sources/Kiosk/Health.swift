package import Encoding
package import Reasons

/// The faults of the gate that are in force, and the changes that are still to be reported.
///
/// Parts of the program report to this value as often as they like, and it limits the rate of the reports that it
/// passes on. A fault that is found after a quiet time is reported at once. Then it is reported at most once in
/// ``Limits/quiet`` however often it changes, with its count, so that no occurrence is lost.
package struct Health: Sendable {
    /// The limits on reports.
    package struct Limits: Sendable {
        /// Changes of a fault are reported at most once in this time.
        package var quiet: Duration = .seconds(5)
        /// While a fault stays in force, a grown count is reported again at most once in this time.
        var reminder: Duration = .seconds(60)
        /// The largest length of a stored detail, in bytes.
        package var detail = 300

        /// Creates the documented default values.
        package init() {}
    }

    /// One fault that is in force.
    package struct Fault: Hashable, Sendable {
        /// What is wrong, with meaning, severity and remedy.
        package let code: ReasonCode
        /// Since when the fault has been in force without interruption.
        package let since: Instant
        /// The number of occurrences of the fault since the start: as counted by the part that reports it,
        /// otherwise how often the fault began.
        package let count: Int
        /// The message of the system or of the reporting part; nil if there is none.
        package let detail: String?
    }

    /// A change that is to be reported.
    package struct Change: Hashable, Sendable {
        /// The code of the fault.
        package let code: ReasonCode
        /// Whether the fault is in force now.
        package let isPresent: Bool
        /// The number of occurrences, as in ``Fault/count``.
        package let count: Int
        /// The description, as in ``Fault/detail``; nil if the fault is over.
        package let detail: String?
    }

    /// The knowledge about one fault code since the start.
    private struct Entry {
        /// Since when the fault has been in force; nil if it is not in force.
        var since: Instant?
        var count = 0
        var detail: String?
        /// The last report of the fault; nil if it was never reported.
        var told: (isPresent: Bool, count: Int, at: Instant)?
    }

    /// Every code of a fault that can be in force, in the order of the table: the faults of the gate's
    /// hardware and program, those of the parts that an opening needs, and those of the door.
    package static let codes: [ReasonCode] =
        ReasonCode.Group.faults.codes + [.ledgerUnavailable, .gateUnavailable] + ReasonCode.Group.door.codes

    /// Faults during which the gate cannot or must not admit visitors.
    private static let outOfOrder: Set<ReasonCode> = [
        .radioFailed, .gateStuck, .gateUnavailable, .ledgerUnopened, .ledgerReplaced,
    ]

    private let limits: Limits
    /// The knowledge about codes, by the index of the code in ``codes``. There are never more entries than
    /// codes.
    private var entries: [Int: Entry] = [:]
    /// The faults in force. Faults that stop the service are first, errors come before warnings, and older
    /// faults before newer ones.
    package private(set) var faults: [Fault] = []
    /// When ``tell(at:)`` next returns a change; nil if no change waits.
    package private(set) var deadline: Instant?

    /// Creates a state without faults.
    package init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// The indicator pattern of the light while no visit is in progress.
    package var light: IndicatorPattern {
        if faults.contains(where: { Self.outOfOrder.contains($0.code) }) { return .fault }
        return faults.isEmpty ? .ready : .attention
    }

    /// Returns whether the fault `code` is in force.
    package func isInForce(_ code: ReasonCode) -> Bool { faults.contains { $0.code == code } }

    /// Handles a report. Ignores a report whose code is not in ``codes``.
    package mutating func take(_ report: HealthReport, at now: Instant) {
        guard let place = Self.codes.firstIndex(of: report.code) else { return }
        var entry = entries[place] ?? Entry()
        if report.isPresent {
            if entry.since == nil, report.count == nil { entry.count += 1 }
            entry.count = max(entry.count, report.count ?? 0)
            entry.since = entry.since ?? now
            entry.detail = report.detail.map { bounded($0) } ?? entry.detail
        } else {
            guard entry.since != nil else { return }
            entry.since = nil
            entry.detail = nil
        }
        entries[place] = entry
        settle()
    }

    /// Returns the changes that are due: faults that are in force first, then those that are over, in the
    /// order of ``codes``. Each change is returned once.
    package mutating func tell(at now: Instant) -> [Change] {
        guard let deadline, now >= deadline else { return [] }
        var changes: [Change] = []
        for (place, var entry) in entries.sorted(by: { $0.key < $1.key }) {
            guard let due = due(entry), now >= due else { continue }
            let isPresent = entry.since != nil
            entry.told = (isPresent, entry.count, now)
            entries[place] = entry
            changes.append(
                Change(code: Self.codes[place], isPresent: isPresent, count: entry.count, detail: entry.detail))
        }
        settle()
        return changes.filter(\.isPresent) + changes.filter { !$0.isPresent }
    }

    /// Returns when the entry is to be reported; nil if it has not changed since its last report.
    private func due(_ entry: Entry) -> Instant? {
        guard let told = entry.told else { return .zero }
        let isPresent = entry.since != nil
        if isPresent != told.isPresent { return told.at.advanced(by: limits.quiet) }
        guard entry.count != told.count else { return nil }
        return told.at.advanced(by: isPresent ? limits.reminder : limits.quiet)
    }

    private mutating func settle() {
        deadline = entries.values.compactMap(due).min()
        let found = entries.compactMap { place, entry in
            entry.since.map { since in
                let code = Self.codes[place]
                let fault = Fault(code: code, since: since, count: entry.count, detail: entry.detail)
                return (rank: (Self.weight(of: code), since, place), fault: fault)
            }
        }
        faults = found.sorted { $0.rank < $1.rank }.map(\.fault)
    }

    /// Returns the rank of a fault; smaller is worse.
    package static func weight(of code: ReasonCode) -> Int {
        outOfOrder.contains(code) ? 0 : code.severity == .error ? 1 : 2
    }

    /// Cuts the text to its length limit at a character boundary.
    private func bounded(_ text: String) -> String {
        guard text.utf8.count > limits.detail else { return text }
        var kept = ""
        for character in text {
            guard kept.utf8.count + character.utf8.count <= limits.detail else { break }
            kept.append(character)
        }
        return kept + "…"
    }
}
