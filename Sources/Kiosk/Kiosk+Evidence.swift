import Credentials
import Encoding
import Ledger

/// A visit that ended while its payload was being checked. What its record is worth is known when the verifier answers,
/// and until then its intent goes to no other visit: the answer is for this one.
struct Unchecked: Sendable {
    /// Such visits at most; of more, the oldest is recorded at once.
    static let most = 16

    let record: VisitRecord
    var intent: VisitIntent?
    /// ``Visit/printedSession``
    let session: [UInt8]?
}

extension RecordWorth {
    /// Of a visit that brought a whole payload and for which nothing opened; nil: it is recorded whatever else comes.
    /// These are visits that the verifier accepted and the gate refused, those that the ledger failed, and those whose
    /// check did not come to an end.
    init?(_ verdict: Verdict?, _ intent: VisitIntent?) {
        guard let verdict, !verdict.isAccepted, intent?.state != .failed else { return nil }
        self = verdict.isAuthentic ? .proven : .unproven
    }
}

extension Visit {
    /// What a record of it is worth if nothing opened for it; nil: it is recorded whatever else comes.
    var worth: RecordWorth? { hasPayload ? RecordWorth(verdict, intent) : .junk }

    /// Whether the verifier's answer is awaited.
    var isVerifying: Bool { if case .verifying = stage { true } else { false } }

    /// What the secret of its session is known by, if it came with a printed key.
    var printedSession: [UInt8]? { isPrinted ? fingerprint : nil }
}

/// 7. Verify: what the verdict makes of a visit, besides a decision.
extension Kiosk {
    /// The verifier has answered.
    mutating func verified(_ id: VisitID, _ verdict: Verdict, at now: Instant) -> [KioskAction] {
        if let index = unchecked.firstIndex(where: { $0.record.visit == id }) {
            return checked(unchecked.remove(at: index), verdict, at: now)
        }
        guard let visit = visits.first(where: { $0.id == id }), visit.isVerifying, let session = visit.printedSession,
            mayKeep(verdict, at: now)
        else { return change(id, at: now) { $0.verified(verdict, keepsSession: false, at: now) } }
        // Two phones may have begun with one secret. The first to bring a credential has it.
        let isNew = used.admit(session)
        return change(id, at: now) { visit in
            let requests = visit.verified(verdict, keepsSession: isNew, at: now)
            return isNew ? requests : visit.refuse(at: now)
        }
    }

    /// The verifier has answered for a visit that is over.
    private mutating func checked(_ left: Unchecked, _ verdict: Verdict, at now: Instant) -> [KioskAction] {
        var record = left.record
        record.signedDigests = [verdict.authenticDigest].compactMap(\.self)
        let records = recordUnopened(record, RecordWorth(verdict, left.intent), at: now)
        if records.isEmpty, let intent = left.intent { spares.append(SpareIntent(intent: intent, since: now)) }
        guard verdict.isAuthentic else { return records }
        return records + keepSession(left.session, of: record.visit, isSure: verdict.isAccepted, at: now)
    }

    /// Whether the session of a printed key that brought this is to be kept: an authentic credential may be worth a
    /// recording.
    private mutating func mayKeep(_ verdict: Verdict, at now: Instant) -> Bool {
        verdict.isAuthentic && (verdict.isAccepted || refusedSessions.take(at: now))
    }

    /// Keeps the session of a visit that is over: it is not served again. `isSure`: the verifier accepted what came in
    /// it.
    mutating func keepSession(
        _ session: [UInt8]?, of visit: VisitID, isSure: Bool = false, at now: Instant
    ) -> [KioskAction] {
        guard let session, isSure || refusedSessions.take(at: now), used.admit(session) else { return [] }
        return [.keepSession(visit, session)]
    }

    /// Records the oldest visits whose check does not come to an end, as long as there are more than `most`.
    mutating func giveUpUnchecked(beyond most: Int, at now: Instant) -> [KioskAction] {
        var actions: [KioskAction] = []
        while unchecked.count > most {
            let left = unchecked.removeFirst()
            actions.append(.recordOutcome(left.record))
            actions += keepSession(left.session, of: left.record.visit, at: now)
        }
        return actions
    }
}
