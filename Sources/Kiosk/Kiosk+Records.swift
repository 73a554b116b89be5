import BluetoothHost
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
        let record = VisitRecord(visit.id, using: visit.intent?.id, outcome, signedDigests: signedDigests)
        if outcome.result == .accepted {
            unrecorded.append(Unrecorded(record: record))
            return ended(outcome, visit, at: now)
        }
        if let since = visit.uncheckedSince {
            unchecked.append(
                Unchecked(record: record, intent: visit.intent, session: visit.printedSession, since: since))
            return ended(outcome, visit, isRecorded: false, at: now) + giveUpUnchecked(at: now)
        }
        var actions = recordUnopened(record, visit.worth(hasLeft: outcome.result == .failed), at: now)
        let isRecorded = !actions.isEmpty
        if !isRecorded {
            keepIntent(of: visit, at: now)
            if visit.hasPayload { actions = dismiss(visit.id, visit.verdict) }
        }
        actions += ended(outcome, visit, isRecorded: isRecorded, at: now)
        // What was in it is not known.
        let isUnknown = visit.hasPayload && visit.verdict == nil
        return actions + (isUnknown ? keepSession(visit.printedSession, of: visit.id, nil, at: now) : [])
    }

    /// Records a visit for which nothing opened. No action: it is only counted, and its intent is left for another
    /// visit.
    mutating func recordUnopened(_ record: VisitRecord, _ worth: RecordWorth?, at now: Instant) -> [KioskAction] {
        guard let worth else { return [.recordOutcome(record)] }
        // What is only counted stays in memory, and what is recorded stays on the disk, whatever a stranger wrote.
        let outcome = record.outcome.clipped(to: worth.limits)
        let kind = RecordTally.Kind(
            worth: worth, result: outcome.result, codes: RecordTally.Kind.distinct(record.outcome.reasons),
            credential: worth == .proven ? record.signedDigests.first : nil)
        let entry = RecordTally.Entry(outcome: outcome, signedDigests: record.signedDigests)
        guard let taken = tally.take(entry, as: kind, isFull: isLedgerFull, at: now) else { return [] }
        var record = record
        record.outcome = taken.outcome
        return [.recordOutcome(record)]
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
        let index = visits.firstIndex { $0.connection == visit.connection }
        // What was asked for before may have ended all visits.
        keep(index.map { visits[$0].giveIntent() } ?? visit.intent?.leftOver, at: now)
    }

    /// Keeps an intent for the next phone, if there is one.
    mutating func keep(_ intent: VisitIntent?, at now: Instant) {
        if let intent { spares.append(SpareIntent(intent: intent, since: now)) }
    }

    /// The oldest unused intent, for the visit on that link; nil: there is none, or the visit is over already.
    mutating func takeSpare(for link: ConnectionHandle) -> VisitIntent? {
        guard !spares.isEmpty, visits.contains(where: { $0.connection == link }) else { return nil }
        return spares.removeFirst().intent
    }

    /// Whether there is room only for visits for which the gate opens.
    var isLedgerFull: Bool { health.isInForce(.ledgerFilled) }

    /// When the oldest unused intent is closed, or counted visits are recorded: a minute after the last one at the
    /// earliest, and as far as the allowance of junk reaches, so that a crowd that brings nothing is recorded slowly.
    var spareDeadline: Instant? {
        let due = isLedgerFull ? nil : [spares.first?.deadline, countDeadline].compactMap(\.self).min()
        return due.map { max($0, spareClosed?.advanced(by: SpareIntent.lifetime) ?? .zero, tally.nextUnasked) }
    }

    /// When counted visits are recorded although no intent is left for that, or phones use all of them again and again:
    /// ten times as late.
    private var countDeadline: Instant? {
        offers.canName ? tally.waitsSince?.advanced(by: SpareIntent.lifetime * 10) : nil
    }

    /// Closes the oldest unused intent, with a record of one kind of counted visits; without an intent only where there
    /// are such.
    mutating func closeSpare(at now: Instant) -> [KioskAction] {
        spareClosed = now
        let intent = spares.isEmpty ? nil : spares.removeFirst().intent.id
        // No phone's visit: the record has the intent's id, or one of its own.
        guard let visit = intent.map({ VisitID($0.text) }) ?? offers.nextVisit() else { return [] }
        tally.payUnasked(at: now)
        let counted = tally.takeNext(at: now)
        let outcome =
            counted?.outcome
            ?? Outcome(
                .failed, reasons: [Outcome.Reason(Text(ReasonCode.abandoned.text))], gate: .shut,
                software: Outcome.Software(name: "gatehouse", version: Text(settings.softwareVersion)))
        let digests = counted?.signedDigests ?? []
        return [.recordOutcome(VisitRecord(visit, using: intent, outcome, signedDigests: digests))]
    }

    /// At the end every intent is closed, and all counted visits are recorded.
    mutating func closeSpares(at now: Instant) -> [KioskAction] {
        var actions = giveUpUnchecked(beyond: 0, at: now)
        while !spares.isEmpty || tally.waitsSince != nil {
            let closed = closeSpare(at: now)
            if closed.isEmpty { break }
            actions += closed
        }
        return actions
    }

    /// What a visit notes about the box and not about its visitor.
    mutating func count(_ note: KioskNote, at now: Instant) {
        guard case .ledgerFailed(let reason) = note else { return }
        counters.ledgerFailures += 1
        health.take(.present(.ledgerUnavailable, count: counters.ledgerFailures, detail: reason), at: now)
    }

    func ended(_ outcome: Outcome, _ visit: Visit, isRecorded: Bool = true, at now: Instant) -> [KioskAction] {
        ended(outcome.result.rawValue, outcome.reasons.map(\.code.string), visit, isRecorded: isRecorded, at: now)
    }

    func ended(
        _ result: String, _ reasons: [String], _ visit: Visit, isRecorded: Bool, at now: Instant
    ) -> [KioskAction] {
        var figures = visit.figures(at: now)
        figures.isRecorded = isRecorded
        return [.note(.visitEnded(result: result, reasons: reasons, figures), visit.id)]
    }
}
