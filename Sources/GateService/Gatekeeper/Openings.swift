import Encoding
import Kiosk
import Ledger

/// Outcomes on their way to the ledger. Each outcome gets the result of its pulse. That result determines
/// both the opening that the record states and the state of the credential.
///
/// The panel is asked as soon as an order is over, because it keeps only the last pulses. The outcome of the
/// visit may come later, when the visitor has passed. While the relay's thread still performs the pulse, the
/// outcome waits and the credential stays ``CredentialUse/ordered``.
struct Openings {
    /// An outcome with the state of its credential.
    struct Entry {
        var record: VisitRecord
        /// The state of the credential once this outcome is recorded.
        var use: CredentialUse
    }

    /// The opening that was ordered for a visit.
    private struct Pulse {
        var order: OpeningOrder
        /// The result of the order; nil: not known yet; ``Opening/lasting``: the wait for it was given up.
        var result: Opening?
        /// Whether the credential is released although the gate opened, because the visitor did not pass.
        var isUnused = false
    }

    /// The pause before the panel is asked again.
    static let pause: Duration = .milliseconds(5)
    /// How long after the end of an order its result may take. After that the outcome is recorded as it was ordered and
    /// the credential counts as used, so that a line that hangs does not lose the visit.
    static let patience = Gate.hardLimit

    private var told: OpeningOrder?
    private var current: VisitID?
    private var pulses: [VisitID: Pulse] = [:]
    private var waiting: [Entry] = []

    /// Returns when to ask the panel next; nil: all results are known.
    func deadline(after now: Instant) -> Instant? {
        pulses.values.filter { $0.result == nil }.map(\.order.until).min().map { max($0, now.advanced(by: Self.pause)) }
    }

    /// Notes a command to the panel.
    mutating func told(_ command: Gate.Command, at now: Instant) {
        if let current, let pulse = pulses[current] { pulses[current]?.order.until = min(pulse.order.until, now) }
        current = nil
        if case .open(let until) = command { told = OpeningOrder(from: now, until: until) } else { told = nil }
    }

    /// Notes which visit the last command was for; nil: it was for a person who asked to exit.
    mutating func belongs(to visit: VisitID?) {
        guard let visit, let order = told.take() else { return }
        (pulses[visit], current) = (Pulse(order: order), visit)
    }

    /// Notes that the visitor of `visit` did not pass. The visit's credential may then be used again.
    mutating func unused(_ visit: VisitID) { pulses[visit]?.isUnused = true }

    /// Takes an outcome from the kiosk. Returns the entry to record; nil: it waits for the result of its
    /// pulse.
    mutating func take(_ record: VisitRecord, panel: any Panel) -> Entry? {
        let visit = record.visit
        if current == visit { current = nil }
        let isOrdered = record.outcome.gate?.opened == true
        var entry = Entry(record: record, use: isOrdered ? .used : .released)
        guard panel.opens, isOrdered, let pulse = pulses[visit] else {
            if pulses.removeValue(forKey: visit)?.isUnused == true { entry.use = .released }
            if !panel.opens { entry.record.outcome.gate = nil }
            return entry
        }
        guard let result = pulse.result else {
            waiting.append(entry)
            return nil
        }
        return settle(entry, by: result)
    }

    /// Removes and returns the waiting outcomes whose result is now known. `isLast`: no further result will
    /// become known.
    mutating func takeKnown(_ panel: any Panel, at now: Instant, isLast: Bool = false) -> [Entry] {
        for (visit, pulse) in pulses where pulse.result == nil && (isLast || pulse.order.until <= now) {
            let opening = panel.opening(pulse.order, at: now)
            let isGivenUp = isLast || pulse.order.until.duration(to: now) >= Self.patience
            if opening != .lasting || isGivenUp { pulses[visit]?.result = opening }
        }
        let entries = waiting
        waiting = entries.filter { pulses[$0.record.visit]?.result == nil }
        var known: [Entry] = []
        for entry in entries {
            if let result = pulses[entry.record.visit]?.result { known.append(settle(entry, by: result)) }
        }
        return known
    }

    /// Completes an outcome and the state of its credential with the result of the order.
    private mutating func settle(_ entry: Entry, by result: Opening) -> Entry {
        var entry = entry
        switch result {
        case .lasting: break
        case .over(let length): entry.record.outcome.gate?.pulseMilliseconds = Int(length.milliseconds)
        case .never: (entry.record.outcome.gate, entry.use) = (.shut, .released)
        }
        // A line without a known result may still open the gate.
        let isUnused = pulses.removeValue(forKey: entry.record.visit)?.isUnused == true
        if isUnused, result != .lasting { entry.use = .released }
        return entry
    }
}
