import Credentials
import Encoding
import Ledger
import Tuvali

/// The outcome of an accepted visit that is not to be recorded yet.
struct Unrecorded: Sendable {
    var record: VisitRecord
    var isOver = false
    /// Whether somebody passed; nil: nobody looks, or it is not known yet.
    var passage: Passage?
}

extension Passage {
    /// As a record says it; nil: nobody can tell.
    var wasSeen: Bool? { self == .unknown ? nil : self == .seen }
}

/// 9. Record: what is written of a visit, what is only counted, and what becomes of an intent that served no phone.
extension Kiosk {
    mutating func record(
        _ outcome: Outcome, of visit: Visit, _ signedDigests: [[UInt8]], at now: Instant
    ) -> [KioskAction] {
        let note = ended(outcome.result.rawValue, outcome.reasons.map(\.code.string), visit, at: now)
        var record = VisitRecord(visit.id, using: visit.intent?.id, outcome, signedDigests: signedDigests)
        if outcome.result == .accepted {
            unrecorded.append(Unrecorded(record: record))
            return note
        }
        if outcome.result == .failed, !visit.hasPayload, let code = outcome.reasons.last?.code {
            guard let earlier = junk.record(code, at: now) else {
                keepIntent(of: visit, at: now)
                return note
            }
            record.outcome.repeated = earlier
        }
        return [.recordOutcome(record)] + note
    }

    /// What was decided of a visit for which the gate has just been told to open, with that order; nil: the order is
    /// over.
    func decided(_ visit: VisitID, at now: Instant) -> VisitRecord? {
        guard let until = gate.deadline,
            var record = unrecorded.first(where: { $0.record.visit == visit })?.record
        else { return nil }
        record.outcome.gate = .pulsed(milliseconds: Int(now.duration(to: until).milliseconds))
        return record
    }

    /// Records the accepted visits whose pulse is over and of which it is known whether somebody passed.
    mutating func recordPulses() -> [KioskAction] {
        for pulse in gate.takeEnded() {
            guard let index = unrecorded.firstIndex(where: { $0.record.visit == pulse.visit }) else { continue }
            unrecorded[index].isOver = true
            guard let length = pulse.length else { continue }
            unrecorded[index].record.outcome.gate = .pulsed(milliseconds: Int(length.milliseconds))
        }
        let entries = unrecorded
        unrecorded = entries.filter { !$0.isOver || door.awaits($0.record.visit) && !isStopped }
        return entries.filter { $0.isOver && (isStopped || !door.awaits($0.record.visit)) }.map { entry in
            var record = entry.record
            if record.outcome.gate?.opened == true { record.outcome.gate?.passage = entry.passage?.wasSeen }
            return .recordOutcome(record)
        }
    }

    /// A visit that leaves no record leaves its intent, and nothing else, to the next phone. Who identifies takes one
    /// over while there is any, so no more can wait than had identified at once.
    mutating func keepIntent(of visit: Visit, at now: Instant) {
        guard let index = visits.firstIndex(where: { $0.connection == visit.connection }),
            let intent = visits[index].giveIntent()
        else { return }
        spares.append(SpareIntent(intent: intent, since: now))
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
        // No phone's visit: the record has the intent's id.
        return [.recordOutcome(VisitRecord(VisitID(spare.intent.id.text), using: spare.intent.id, outcome))]
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
