import Credentials
import Encoding
import Ledger

/// A visit that ended while its payload was being checked. What its record is worth is known when the verifier answers,
/// and until then its intent goes to no other visit: the answer is for this one.
struct Unchecked: Sendable {
    /// Such visits at most; of more, the one whose check began first is given up.
    static let most = 8

    let record: VisitRecord
    var intent: VisitIntent?
    /// ``Visit/printedSession``
    let session: [UInt8]?
    /// When its check began.
    let since: Instant
}

extension RecordWorth {
    /// Of a visit that brought a whole payload and for which nothing opened; nil: it is recorded whatever else comes.
    /// That is one that the verifier accepted and the gate refused. `hasLeft`: the visit ended before its verdict was
    /// shown, so that no turn paces such visits.
    init?(_ verdict: Verdict?, hasLeft: Bool) {
        if let verdict, verdict.isAccepted, !hasLeft { return nil }
        self = verdict?.isAuthentic == true ? .proven : .unproven
    }
}

extension Visit {
    /// What a record of it is worth if nothing opened for it; nil: it is recorded whatever else comes.
    func worth(hasLeft: Bool) -> RecordWorth? { hasPayload ? RecordWorth(verdict, hasLeft: hasLeft) : .junk }

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
            return end(unchecked.remove(at: index), verdict, at: now)
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

    /// Records a visit that is over, or counts it. `verdict`: what the verifier said of it; nil: it gave no answer.
    private mutating func end(_ left: Unchecked, _ verdict: Verdict?, at now: Instant) -> [KioskAction] {
        var record = left.record
        record.signedDigests = verdict?.signedDigests ?? []
        record.outcome.credential = verdict.map { Outcome.Credential($0.credential, as: $0.format) }
        var actions = recordUnopened(record, RecordWorth(verdict, hasLeft: true), at: now)
        if actions.isEmpty {
            keep(left.intent?.leftOver, at: now)
            actions = dismiss(record.visit, verdict)
        }
        return actions + keepSession(left.session, of: record.visit, verdict, at: now)
    }

    /// Lets go of what the verifier does, or holds, for a visit that brought a payload and has no record of its own.
    /// For a refused credential the verifier holds nothing.
    func dismiss(_ visit: VisitID, _ verdict: Verdict?) -> [KioskAction] {
        verdict?.isAccepted == false ? [] : [.dismissed(visit)]
    }

    /// Whether the session of a printed key that brought this is to be kept: an authentic credential may be worth a
    /// recording, and so may one of which nothing is known.
    private mutating func mayKeep(_ verdict: Verdict?, at now: Instant) -> Bool {
        guard let verdict else { return refusedSessions.takeUnknown(at: now) }
        return verdict.isAccepted || verdict.authenticDigest.map { refusedSessions.take($0, at: now) } == true
    }

    /// Keeps the session of a visit that is over: it is not served again. `verdict`: on what came in it; nil: that is
    /// not known.
    mutating func keepSession(
        _ session: [UInt8]?, of visit: VisitID, _ verdict: Verdict?, at now: Instant
    ) -> [KioskAction] {
        guard let session, mayKeep(verdict, at: now), used.admit(session) else { return [] }
        return [.keepSession(visit, session)]
    }

    /// When the next check is given up whose phone has left; nil: there is none.
    var uncheckedDeadline: Instant? { unchecked.map(\.since).min()?.advanced(by: settings.verificationLimit) }

    /// Gives up the checks of visits that are over which have reached the limit of a check, and as long as there are
    /// more than `most` the one that began first. A check that does not end would otherwise occupy its thread for ever.
    mutating func giveUpUnchecked(beyond most: Int = Unchecked.most, at now: Instant) -> [KioskAction] {
        var actions: [KioskAction] = []
        while let due = uncheckedDeadline, unchecked.count > most || now >= due {
            guard let first = unchecked.indices.min(by: { unchecked[$0].since < unchecked[$1].since }) else { break }
            actions += end(unchecked.remove(at: first), nil, at: now)
        }
        return actions
    }
}
