import Credentials
import Encoding
import Ledger
import Reasons

/// Step 8, Act: light, tone and pulse belong to the verdict of one visit at a time.
extension Kiosk {
    /// The shortest time between two displays of a failed transfer. The displays are limited because any phone in
    /// range can make transfers fail.
    static let failuresApart: Duration = .seconds(5)

    /// When the next verdict is shown; nil when no visit waits for its verdict turn, or when a person inside is to be
    /// let out first.
    var turnDeadline: Instant? { exitDeadline == nil ? turnMayBegin : nil }

    /// When the next verdict could be shown if no person inside had requested to exit; nil when no visit waits.
    var turnMayBegin: Instant? { turns.deadline.map { max($0, gate.readyAt, door.turnsWaitUntil) } }

    /// Shows the verdicts whose verdict turn has come.
    mutating func giveTurns(at now: Instant) -> [KioskAction] {
        var actions: [KioskAction] = []
        turns.keep { waiting in visits.indices.contains { visits[$0].id == waiting && visits[$0].awaitsTurn } }
        while exitDeadline == nil, let due = turns.deadline, now >= max(due, door.turnsWaitUntil) {
            // The previous visitor has had the time to pass. The relay is released and rests (`gate.readyAt`) before
            // the next verdict is shown. So the next pulse begins together with its verdict, and no event can change
            // the decision between the two.
            gate.shut(at: now)
            guard now >= gate.readyAt, let visit = turns.next(at: now) else { break }
            exitWaiting = false
            actions += change(visit, at: now) { $0.decide(at: now) }
        }
        return actions
    }

    mutating func act(on decision: Visit.Decision, of visit: Visit, at now: Instant) -> [KioskAction] {
        guard let times = decision.times else {
            showFailure(of: visit.id, at: now)
            return []
        }
        indicator.show(decision.accepted ? .accepted : .rejected, for: visit.id, at: now)
        if decision.accepted { open(for: visit.id, at: now) }
        turns.show(
            accepted: decision.accepted, isCredential: decision.isCredential,
            pulse: settings.door.length(of: settings.gatePulse), at: now)
        let decided = KioskNote.decided(
            accepted: decision.accepted, reasons: visit.reasons, sinceT0: times.sinceT0, waited: times.waited)
        return [.note(decided, visit.id)]
    }

    /// Shows that a visit failed. Such a visit has no verdict: there is no red light and no tone, and another visit's
    /// pulse continues.
    private mutating func showFailure(of visit: VisitID, at now: Instant) {
        guard indicator.pattern.end == nil, failureShown.map({ now >= $0.advanced(by: Self.failuresApart) }) ?? true,
            case .up = radio
        else { return }
        failureShown = now
        indicator.show(.failed, for: visit, at: now)
    }

    /// Shows the progress of the visit that is most advanced; among equally advanced visits, of the one that began
    /// first.
    mutating func showProgress(at now: Instant) {
        guard case .up = radio, offers.hasCurrent else { return }
        var (farthest, id) = (Visit.Progress.nothing, VisitID?.none)
        for visit in visits.indices where visits[visit].progress > farthest {
            (farthest, id) = (visits[visit].progress, visits[visit].id)
        }
        indicator.show(farthest.pattern, for: id, at: now)
    }

    /// Applies a possible change of ``barrier``: stores it in all present visits, and shuts the gate if it must not be
    /// open any longer. So the change also affects visitors who already have a link.
    mutating func gateChanged(at now: Instant) {
        let barrier = barrier
        for index in visits.indices { visits[index].barrier = barrier }
        guard let barrier, gate.isOpen else { return }
        if barrier == .gateLockedDown, gate.visit == nil, settings.door.exitsWhileLocked { return }
        // The relay did not follow its command, or the gate was locked down before the pulse was over: the record must
        // say so.
        if let index = unrecorded.firstIndex(where: { $0.record.visit == gate.visit }) {
            unrecorded[index].record.outcome.reasons.append(Outcome.Reason(barrier))
        }
        gate.shut(at: now)
        // Show no green light before a gate that stays shut.
        indicator.show(barrier == .gateUnavailable ? .fault : .locked, at: now)
    }

    /// The indicator pattern of the light while no visit is in progress.
    var restingLight: IndicatorPattern {
        if health.light == .fault { return .fault }
        return switch door.mode {
        case .normal: health.light
        case .locked: .locked
        case .free: .free
        }
    }
}
