import Encoding
import Kiosk
import Ledger

/// Outcomes on their way to the ledger: each says what the gate did, not what it was told.
///
/// The kiosk ends a visit when the pulse that it ordered is over. The relay's thread may still be at it then, and it may have opened
/// nothing: the outcome waits until that is known.
struct Openings {
    /// An outcome that waits.
    struct Waiting {
        let visit: VisitID
        var outcome: Outcome
        let signedDigests: [[UInt8]]
        fileprivate let order: OpeningOrder
    }

    /// The pause before the panel is asked again.
    static let pause: Duration = .milliseconds(5)

    private var told: OpeningOrder?
    private var current: VisitID?
    private var orders: [VisitID: OpeningOrder] = [:]
    private var waiting: [Waiting] = []

    /// Whether an outcome waits.
    var isWaiting: Bool { !waiting.isEmpty }

    /// The panel was told that.
    mutating func told(_ command: Gate.Command, at now: Instant) {
        if let current, let order = orders[current] { orders[current]?.until = min(order.until, now) }
        current = nil
        if case .open(let until) = command { told = OpeningOrder(from: now, until: until) } else { told = nil }
    }

    /// What it was told last was for this visit; nil: for somebody who asked to go out.
    mutating func belongs(to visit: VisitID?) {
        guard let visit, let order = told.take() else { return }
        (orders[visit], current) = (order, visit)
    }

    /// Takes an outcome as the kiosk tells it; nil: it waits. Else it is what is recorded.
    mutating func take(
        _ outcome: Outcome, of visit: VisitID, _ signedDigests: [[UInt8]], panel: any Panel
    ) -> Outcome? {
        let order = orders.removeValue(forKey: visit)
        if current == visit { current = nil }
        var outcome = outcome
        guard panel.opens else {
            outcome.gate = nil
            return outcome
        }
        guard outcome.gate?.opened == true, let order else { return outcome }
        waiting.append(Waiting(visit: visit, outcome: outcome, signedDigests: signedDigests, order: order))
        return nil
    }

    /// Gives out what is known by now. `isLast`: nothing more will be known; what is under way has opened, for as long as it was told to.
    mutating func takeKnown(_ panel: any Panel, at now: Instant, isLast: Bool = false) -> [Waiting] {
        var known: [Waiting] = []
        waiting.removeAll { entry in
            var entry = entry
            switch panel.opening(entry.order, at: now) {
            case .lasting: if !isLast { return false }
            case .over(let length): entry.outcome.gate?.pulseMilliseconds = Int(length.milliseconds)
            case .never: entry.outcome.gate = .shut
            }
            known.append(entry)
            return true
        }
        return known
    }
}
