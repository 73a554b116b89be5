import BluetoothHost
import Credentials
import Encoding
import Ledger
import Reasons
import Tuvali

/// The outcome of an accepted visit that cannot be recorded yet, because the pulse or the wait for the passage is not
/// over.
struct Unrecorded: Sendable {
    var record: VisitRecord
    var isOver = false
    /// Whether a person passed; nil: passages are not detected, or the result is not known yet.
    var passage: Passage?
}

extension Passage {
    /// Whether the person passed, as a record states it; nil: not known.
    var wasSeen: Bool? { self == .unknown ? nil : self == .seen }
}

/// Step 9, Record: which data of a visit is written, which visits are only counted, and what happens to an intent
/// whose visit ends without a record.
extension Kiosk {
    mutating func record(
        _ outcome: Outcome, of visit: Visit, _ signedDigests: [[UInt8]], at now: Instant
    ) -> [KioskAction] {
        let record = VisitRecord(visit.id, using: visit.intent?.id, outcome, signedDigests: signedDigests)
        let result = VisitResult.outcome(outcome.result)
        if outcome.result == .accepted {
            unrecorded.append(Unrecorded(record: record))
            return ended(result, visit, isRecorded: true, at: now)
        }
        if let since = visit.uncheckedSince {
            unchecked.append(
                Unchecked(record: record, intent: visit.intent, session: visit.printedSession, since: since))
            return ended(result, visit, isRecorded: false, at: now) + giveUpUnchecked(at: now)
        }
        var actions = recordUnopened(record, visit.worth(hasLeft: outcome.result == .failed), at: now)
        let isRecorded = !actions.isEmpty
        if !isRecorded {
            keepIntent(of: visit, at: now)
            if visit.hasPayload { actions = dismiss(visit.id, visit.verdict) }
        }
        actions += ended(result, visit, isRecorded: isRecorded, at: now)
        // A payload without a verdict may contain an authentic credential: store the session, so that it cannot be
        // replayed.
        let isUnknown = visit.hasPayload && visit.verdict == nil
        return actions + (isUnknown ? keepSession(visit.printedSession, of: visit.id, nil, at: now) : [])
    }

    /// Records a visit for which the gate did not open. Returns no action if the visit is only counted; its intent is
    /// then left for another visit. `worth`: the record's priority; nil: the visit is recorded in any case.
    mutating func recordUnopened(_ record: VisitRecord, _ worth: RecordPriority?, at now: Instant) -> [KioskAction] {
        guard let worth else { return [.recordOutcome(record)] }
        // Limit the size, whatever a stranger sent, because counted outcomes occupy memory and recorded outcomes
        // occupy the disk.
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

    /// Returns the record of the decision to admit the visitor of `visit`, for which the gate has just been ordered to
    /// open. Returns nil if the gate is not open.
    func decided(_ visit: VisitID, at now: Instant) -> VisitRecord? {
        guard let until = gate.deadline,
            var record = unrecorded.first(where: { $0.record.visit == visit })?.record
        else { return nil }
        record.outcome.gate = .pulsed(milliseconds: Int(now.duration(to: until).milliseconds))
        return record
    }

    /// Records the accepted visits whose pulse is over and whose passage is determined.
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

    /// Keeps the intent of a visit that ends without a record for the next phone that identifies itself. All other
    /// data of the visit are dropped. Because each phone uses such an intent first, the number of spare intents is at
    /// most the number of phones that were identified at the same time.
    mutating func keepIntent(of visit: Visit, at now: Instant) {
        let index = visits.firstIndex { $0.connection == visit.connection }
        // The visit is missing if an earlier request has ended all visits.
        keep(index.map { visits[$0].giveIntent() } ?? visit.intent?.leftOver, at: now)
    }

    /// Keeps `intent` for the next phone; does nothing if it is nil.
    mutating func keep(_ intent: VisitIntent?, at now: Instant) {
        if let intent { spares.append(SpareIntent(intent: intent, since: now)) }
    }

    /// Takes the oldest spare intent for the visit on the link `link`. Returns nil if there is no spare intent, or if
    /// the visit is over already.
    mutating func takeSpare(for link: ConnectionHandle) -> VisitIntent? {
        guard !spares.isEmpty, visits.contains(where: { $0.connection == link }) else { return nil }
        return spares.removeFirst().intent
    }

    /// Whether the ledger has room only for records of visits for which the gate opens.
    var isLedgerFull: Bool { health.isInForce(.ledgerFilled) }

    /// When the gate next closes the oldest spare intent or records counted visits; nil: there is nothing to record,
    /// or the ledger has no room. This is at the earliest ``SpareIntent/lifetime`` after the last time, and at the
    /// pace of the allowance for visits without a payload. So a crowd that sends no payloads fills the ledger only
    /// slowly.
    var spareDeadline: Instant? {
        let due = isLedgerFull ? nil : [spares.first?.deadline, countDeadline].compactMap(\.self).min()
        return due.map { max($0, spareClosed?.advanced(by: SpareIntent.lifetime) ?? .zero, tally.nextUnasked) }
    }

    /// When counted visits are recorded even without a spare intent: ten times ``SpareIntent/lifetime`` after counting
    /// began. Otherwise they would stay unrecorded while phones use all spare intents again and again.
    private var countDeadline: Instant? {
        offers.canName ? tally.waitsSince?.advanced(by: SpareIntent.lifetime * 10) : nil
    }

    /// Closes the oldest spare intent with a record of one kind of counted visits, or with an abandoned visit if none
    /// is counted. Without a spare intent, there must be counted visits.
    mutating func closeSpare(at now: Instant) -> [KioskAction] {
        spareClosed = now
        let intent = spares.isEmpty ? nil : spares.removeFirst().intent.id
        // The record belongs to no phone's visit: its id is the intent's id or, without an intent, a new one.
        guard let visit = intent.map({ VisitID($0.text) }) ?? offers.nextVisit() else { return [] }
        tally.payUnasked(at: now)
        let counted = tally.takeNext(at: now)
        let outcome =
            counted?.outcome
            ?? Outcome(
                .failed, reasons: [Outcome.Reason(.abandoned)], gate: .shut,
                software: Outcome.Software(name: "gatehouse", version: Text(settings.softwareVersion)))
        let digests = counted?.signedDigests ?? []
        return [.recordOutcome(VisitRecord(visit, using: intent, outcome, signedDigests: digests))]
    }

    /// Closes every spare intent and records all counted visits, when the kiosk stops.
    mutating func closeSpares(at now: Instant) -> [KioskAction] {
        var actions = giveUpUnchecked(beyond: 0, at: now)
        while !spares.isEmpty || tally.waitsSince != nil {
            let closed = closeSpare(at: now)
            if closed.isEmpty { break }
            actions += closed
        }
        return actions
    }

    /// Counts a failure of the ledger that a visit noted, and reports it as a fault. Ignores other notes.
    mutating func count(_ note: KioskNote, at now: Instant) {
        guard case .ledgerFailed(let failure) = note else { return }
        counters.ledgerFailures += 1
        health.take(
            .present(.ledgerUnavailable, count: counters.ledgerFailures, detail: failure.description), at: now)
    }

    /// Returns the note about the end of a visit. `isRecorded`: whether the visit has a separate record.
    func ended(_ result: VisitResult, _ visit: Visit, isRecorded: Bool, at now: Instant) -> [KioskAction] {
        var figures = visit.figures(at: now)
        figures.isRecorded = isRecorded
        return [.note(.visitEnded(result, reasons: visit.reasons, figures), visit.id)]
    }
}
