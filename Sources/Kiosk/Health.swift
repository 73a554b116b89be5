package import Credentials
package import Encoding

/// What is wrong with the box: the faults in force, and which changes of them are still to be told.
///
/// Parts of the box report as often as they like; what is told to people is bounded. A fault is told at once when it is found
/// after a quiet time, and then at most once in ``Limits/quiet`` however it flaps, with its count, so that none is missed.
package struct Health: Sendable {
    /// Bounds.
    package struct Limits: Sendable {
        /// A fault's coming and going is told at most once in this time.
        package var quiet: Duration = .seconds(5)
        /// While a fault stays in force, a count that has grown is told again at most once in this time.
        package var reminder: Duration = .seconds(60)
        /// Bytes of a detail that are kept.
        package var detail = 300

        /// The documented defaults.
        package init() {}
    }

    /// One fault in force.
    package struct Fault: Hashable, Sendable {
        /// What is wrong, with meaning, severity and remedy.
        package let code: ReasonCode
        /// Since when it has been in force without a break.
        package let since: Instant
        /// How often or how many since the start: as its reporter counts, else how often it came.
        package let count: Int
        /// What the system said.
        package let detail: String?
    }

    /// A change that is to be told.
    package struct Change: Hashable, Sendable {
        /// What is or was wrong.
        package let code: ReasonCode
        /// Whether it is wrong now.
        package let isPresent: Bool
        /// As in ``Fault/count``.
        package let count: Int
        /// As in ``Fault/detail``; nil when it is over.
        package let detail: String?
    }

    /// What is known of one code since the start.
    private struct Entry {
        /// Since when it is in force; nil: it is not.
        var since: Instant?
        var count = 0
        var detail: String?
        /// What was told last.
        var told: (isPresent: Bool, count: Int, at: Instant)?
    }

    /// Every code that can be in force, in the order of the table: those of the box, what a gate opening needs, and those of the door.
    package static let codes: [ReasonCode] =
        (ReasonCode.groups.first { $0.codes.contains(.radioFailed) }?.codes ?? []) + [
            .ledgerUnavailable, .gateUnavailable,
        ] + ReasonCode.door

    /// Faults with which nobody can be served, or must not be.
    private static let outOfOrder: Set<ReasonCode> = [
        .radioFailed, .gateStuck, .gateUnavailable, .ledgerUnopened, .ledgerReplaced,
    ]

    private let limits: Limits
    /// By the place of the code in ``codes``: as many as there are codes, whatever is reported.
    private var entries: [Int: Entry] = [:]
    /// The faults in force: those that stop the service first, then errors before warnings, then the older first.
    package private(set) var faults: [Fault] = []
    /// When ``tell(at:)`` has something to tell; nil: nothing waits.
    package private(set) var deadline: Instant?

    /// Nothing is wrong.
    package init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// What the light shows while nobody is being served.
    package var light: IndicatorPattern {
        if faults.contains(where: { Self.outOfOrder.contains($0.code) }) { return .fault }
        return faults.isEmpty ? .ready : .attention
    }

    /// Whether that is wrong at the moment.
    package func isInForce(_ code: ReasonCode) -> Bool { faults.contains { $0.code == code } }

    /// Takes a report; one about a code that is not of the box's health says nothing about it and is ignored.
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

    /// The changes that are due to be told, the worst first. Each is handed out once.
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

    /// When the entry is to be told; nil: what was told is all there is to say.
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

    /// Smaller is worse.
    package static func weight(of code: ReasonCode) -> Int {
        outOfOrder.contains(code) ? 0 : code.severity == .error ? 1 : 2
    }

    /// The text cut to its bound at a whole character.
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
