import Encoding
import Kiosk
import Ledger

/// Outcomes on their way to the ledger. Each says what the gate did, not what was ordered.
///
/// The panel keeps only the last pulses, so it is asked as soon as an order is over. The outcome of the visit may come
/// later, after the visitor has passed. An outcome that comes before the result of its pulse waits for it.
struct Openings {
    /// An outcome that waits.
    struct Waiting {
        let visit: VisitID
        var outcome: Outcome
        let signedDigests: [[UInt8]]
    }

    /// What a visit opened.
    private struct Pulse {
        var order: OpeningOrder
        /// The result of the order; nil: not known yet; ``Opening/lasting``: the wait for it was given up.
        var result: Opening?
    }

    /// The pause before the panel is asked again.
    static let pause: Duration = .milliseconds(5)
    /// How long after the end of an order its result may take. After that the outcome is recorded as it was ordered, so
    /// that a line that hangs does not lose the visit.
    static let patience = Gate.hardLimit

    private var told: OpeningOrder?
    private var current: VisitID?
    private var pulses: [VisitID: Pulse] = [:]
    private var waiting: [Waiting] = []

    /// When the panel is to be asked next; nil: nothing is unknown.
    func deadline(after now: Instant) -> Instant? {
        pulses.values.filter { $0.result == nil }.map(\.order.until).min().map { max($0, now.advanced(by: Self.pause)) }
    }

    /// Notes a command that the panel got.
    mutating func told(_ command: Gate.Command, at now: Instant) {
        if let current, let pulse = pulses[current] { pulses[current]?.order.until = min(pulse.order.until, now) }
        current = nil
        if case .open(let until) = command { told = OpeningOrder(from: now, until: until) } else { told = nil }
    }

    /// Says which visit the last command was for; nil: it was for a person who asked to go out.
    mutating func belongs(to visit: VisitID?) {
        guard let visit, let order = told.take() else { return }
        (pulses[visit], current) = (Pulse(order: order), visit)
    }

    /// Takes an outcome from the kiosk. Returns the outcome to be recorded; nil: it waits for the result of its pulse.
    mutating func take(
        _ outcome: Outcome, of visit: VisitID, _ signedDigests: [[UInt8]], panel: any Panel
    ) -> Outcome? {
        if current == visit { current = nil }
        var outcome = outcome
        guard panel.opens, outcome.gate?.opened == true, let pulse = pulses[visit] else {
            pulses[visit] = nil
            if !panel.opens { outcome.gate = nil }
            return outcome
        }
        guard let result = pulse.result else {
            waiting.append(Waiting(visit: visit, outcome: outcome, signedDigests: signedDigests))
            return nil
        }
        pulses[visit] = nil
        return Self.outcome(outcome, of: result)
    }

    /// Takes out the waiting outcomes whose result is known by now. `isLast`: no further result will become known.
    mutating func takeKnown(_ panel: any Panel, at now: Instant, isLast: Bool = false) -> [Waiting] {
        for (visit, pulse) in pulses where pulse.result == nil && (isLast || pulse.order.until <= now) {
            let opening = panel.opening(pulse.order, at: now)
            let isGivenUp = isLast || pulse.order.until.duration(to: now) >= Self.patience
            if opening != .lasting || isGivenUp { pulses[visit]?.result = opening }
        }
        var known: [Waiting] = []
        waiting.removeAll { entry in
            guard let result = pulses[entry.visit]?.result else { return false }
            pulses[entry.visit] = nil
            var entry = entry
            entry.outcome = Self.outcome(entry.outcome, of: result)
            known.append(entry)
            return true
        }
        return known
    }

    private static func outcome(_ outcome: Outcome, of result: Opening) -> Outcome {
        var outcome = outcome
        switch result {
        case .lasting: break
        case .over(let length): outcome.gate?.pulseMilliseconds = Int(length.milliseconds)
        case .never: outcome.gate = .shut
        }
        return outcome
    }
}
