import Encoding
import Kiosk
import Ledger

/// The outcomes that wait for the result of their pulse before they go to the ledger. The result determines what the
/// record states about the opening, and the new state of the credential.
///
/// The result is requested from the panel as soon as the pulse should be over, because the panel remembers only the
/// last pulses. The outcome of a visit may come later, when the visitor has passed. As long as the relay's thread
/// still performs the pulse, the outcome waits and the credential stays ``CredentialUse/ordered``.
struct Openings {
    /// An outcome with the new state of the visit's credential.
    struct Entry {
        var record: VisitRecord
        /// The state of the credential after the outcome has been recorded.
        var use: CredentialUse
    }

    /// The opening that was ordered for a visit.
    private struct Pulse {
        var order: OpeningOrder
        /// What the panel reported about the order; nil while it is unknown; ``Opening/lasting`` if this object no
        /// longer waits for the result.
        var result: Opening?
        /// Whether the credential may be used again although the gate opened, because the visitor did not pass.
        var isUnused = false
    }

    /// The time between two requests for the result of a pulse.
    static let pause: Duration = .milliseconds(5)
    /// How long to wait for the result after the ordered end of a pulse. After that time the outcome is recorded as
    /// it was ordered and the credential counts as used, so that a line that hangs does not prevent the record.
    static let patience = Gate.hardLimit

    private var told: OpeningOrder?
    private var current: VisitID?
    private var pulses: [VisitID: Pulse] = [:]
    private var waiting: [Entry] = []

    /// Returns the instant at which to request the next result from the panel; nil if all results are known.
    func deadline(after now: Instant) -> Instant? {
        pulses.values.filter { $0.result == nil }.map(\.order.until).min().map { max($0, now.advanced(by: Self.pause)) }
    }

    /// Notes the command that was passed to the panel.
    mutating func told(_ command: Gate.Command, at now: Instant) {
        if let current, let pulse = pulses[current] { pulses[current]?.order.until = min(pulse.order.until, now) }
        current = nil
        if case .open(let until) = command { told = OpeningOrder(from: now, until: until) } else { told = nil }
    }

    /// Notes the visit for which the last command was given; nil: a person who asked to exit.
    mutating func belongs(to visit: VisitID?) {
        guard let visit, let order = told.take() else { return }
        (pulses[visit], current) = (Pulse(order: order), visit)
    }

    /// Notes that the visitor of `visit` did not pass. The visit's credential may then be used again.
    mutating func unused(_ visit: VisitID) { pulses[visit]?.isUnused = true }

    /// Accepts the outcome of a visit. Returns the entry to record; nil if the outcome must wait for the result of
    /// its pulse.
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

    /// Requests missing results from the panel, then removes and returns the outcomes whose result is known.
    /// `isLast`: the program ends, so do not wait for further results.
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

    /// Completes an outcome and the state of its credential with the result of the pulse.
    private mutating func settle(_ entry: Entry, by result: Opening) -> Entry {
        var entry = entry
        switch result {
        case .lasting: break
        case .over(let length): entry.record.outcome.gate?.pulseMilliseconds = Int(length.milliseconds)
        case .never: (entry.record.outcome.gate, entry.use) = (.shut, .released)
        }
        // If the result is unknown, the gate may still open. The credential then counts as used.
        let isUnused = pulses.removeValue(forKey: entry.record.visit)?.isUnused == true
        if isUnused, result != .lasting { entry.use = .released }
        return entry
    }
}
