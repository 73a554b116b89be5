import Credentials
import Encoding
import Ledger
import Tuvali

/// The outcome of an accepted visit that is not to be recorded yet.
struct Unrecorded: Sendable {
    let visit: VisitID
    var outcome: Outcome
    let signedDigests: [[UInt8]]
    var isOver = false
    /// Whether somebody passed; nil: nobody looks, or it is not known yet.
    var passage: Passage?
}

extension Passage {
    /// As a record says it; nil: nobody can tell.
    var wasSeen: Bool? { self == .unknown ? nil : self == .seen }
}

/// 9. Record: what is written of a visit, what is only counted, and what becomes of an intent that served nobody.
extension Kiosk {
    mutating func record(
        _ outcome: Outcome, of visit: Visit, _ signedDigests: [[UInt8]], at now: Instant
    ) -> [KioskAction] {
        let note = ended(outcome.result.rawValue, outcome.reasons.map(\.code.string), visit, at: now)
        if outcome.result == .accepted {
            unrecorded.append(Unrecorded(visit: visit.id, outcome: outcome, signedDigests: signedDigests))
            return note
        }
        var outcome = outcome
        if outcome.result == .failed, !visit.hasPayload, let code = outcome.reasons.last?.code {
            guard let earlier = junk.record(code, at: now) else {
                keepIntent(of: visit, at: now)
                return note
            }
            outcome.repeated = earlier
        }
        return [.recordOutcome(visit.id, outcome, signedDigests: signedDigests)] + note
    }

    /// Records the accepted visits whose pulse is over and of which it is known whether somebody passed.
    mutating func recordPulses() -> [KioskAction] {
        for pulse in gate.takeEnded() {
            guard let index = unrecorded.firstIndex(where: { $0.visit == pulse.visit }) else { continue }
            unrecorded[index].isOver = true
            guard let length = pulse.length else { continue }
            unrecorded[index].outcome.gate = .pulsed(milliseconds: Int(length.milliseconds))
        }
        let entries = unrecorded
        unrecorded = entries.filter { !$0.isOver || door.awaits($0.visit) && !isStopped }
        return entries.filter { $0.isOver && (isStopped || !door.awaits($0.visit)) }.map { entry in
            var outcome = entry.outcome
            if outcome.gate?.opened == true { outcome.gate?.passage = entry.passage?.wasSeen }
            return .recordOutcome(entry.visit, outcome, signedDigests: entry.signedDigests)
        }
    }

    /// A visit that leaves no record leaves its intent to the next one. Who connects takes one over while there is any, so no more
    /// can wait than phones were connected at once.
    mutating func keepIntent(of visit: Visit, at now: Instant) {
        guard visit.intent.isWritten else { return }
        spares.append(SpareIntent(visit: visit.id, state: visit.intent, since: now))
    }

    /// When the oldest intent that nobody needs is closed: not before the one before it has been for as long, so that a crowd that
    /// brings nothing is recorded as slowly as one who does.
    var spareDeadline: Instant? {
        spares.first.map { max($0.deadline, spareClosed?.advanced(by: SpareIntent.lifetime) ?? .zero) }
    }

    /// Closes the oldest intent that nobody needed, with what there is to say of unrecorded visits.
    mutating func closeSpare(at now: Instant) -> [KioskAction] {
        guard !spares.isEmpty else { return [] }
        let spare = spares.removeFirst()
        spareClosed = now
        let counted = junk.takeLargest(at: now)
        let code = counted?.code ?? Text(ReasonCode.abandoned.text)
        var outcome = Outcome(
            .failed, reasons: [Outcome.Reason(code)], gate: .shut,
            software: Outcome.Software(name: "gatehouse", version: Text(settings.softwareVersion)))
        outcome.repeated = counted?.count ?? 0
        return [.recordOutcome(spare.visit, outcome, signedDigests: [])]
    }

    /// What a visit notes about the box and not about its visitor.
    mutating func count(_ note: KioskNote, at now: Instant) {
        guard case .ledgerFailed(let reason) = note else { return }
        counters.ledgerFailures += 1
        health.take(.present(.ledgerUnavailable, count: counters.ledgerFailures, detail: reason), at: now)
    }

    func ended(
        _ result: String, _ reasons: [String], _ visit: Visit, at now: Instant
    ) -> [KioskAction] {
        [.note(.visitEnded(result: result, reasons: reasons, visit.figures(at: now)), visit.id)]
    }
}
