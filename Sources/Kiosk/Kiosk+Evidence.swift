import Credentials
import Encoding
import Ledger

/// A visit that ended while its payload was being checked. The worth of its record is known when the verifier
/// answers. Until then no other visit gets its intent, because the answer belongs to this visit.
struct Unchecked: Sendable {
    /// The largest number of such visits; beyond it, the one whose check began first is given up.
    static let most = 8

    let record: VisitRecord
    var intent: VisitIntent?
    /// ``Visit/printedSession``
    let session: [UInt8]?
    /// When its check began.
    let since: Instant
}

extension RecordWorth {
    /// The worth of a visit that brought a whole payload and for which nothing opened; nil: it is recorded in
    /// any case. The latter is a visit that the verifier accepted and the gate refused. `hasLeft`: the visit
    /// ended before its verdict was shown, so no turn limits the rate of such visits.
    init?(_ verdict: Verdict?, hasLeft: Bool) {
        if let verdict, verdict.isAccepted, !hasLeft { return nil }
        self = verdict?.isAuthentic == true ? .proven : .unproven
    }
}

extension Visit {
    /// The worth of its record if nothing opened for it; nil: it is recorded in any case.
    func worth(hasLeft: Bool) -> RecordWorth? { hasPayload ? RecordWorth(verdict, hasLeft: hasLeft) : .junk }

    /// Whether the verifier's answer is awaited.
    var isVerifying: Bool { if case .verifying = stage { true } else { false } }

    /// The identifier of its session's secret, if the phone used a printed key.
    var printedSession: [UInt8]? { isPrinted ? fingerprint : nil }
}

/// 7. Verify: what a verdict changes in addition to the decision.
extension Kiosk {
    /// Handles the verifier's answer.
    mutating func verified(_ id: VisitID, _ verdict: Verdict, at now: Instant) -> [KioskAction] {
        if let index = unchecked.firstIndex(where: { $0.record.visit == id }) {
            return end(unchecked.remove(at: index), verdict, at: now)
        }
        guard let visit = visits.first(where: { $0.id == id }), visit.isVerifying, let session = visit.printedSession,
            mayKeep(verdict, at: now)
        else { return change(id, at: now) { $0.verified(verdict, keepsSession: false, at: now) } }
        // Two phones may have begun with one secret. The first one that brings a credential may use it.
        let isNew = used.admit(session)
        return change(id, at: now) { visit in
            let requests = visit.verified(verdict, keepsSession: isNew, at: now)
            return isNew ? requests : visit.refuse(at: now)
        }
    }

    /// Records a visit that is over, or counts it. `verdict`: the verifier's answer; nil: there was none.
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

    /// Ends the verification, or releases the reservation, of a visit that brought a payload and has no
    /// record of its own. The verifier holds nothing for a refused credential.
    func dismiss(_ visit: VisitID, _ verdict: Verdict?) -> [KioskAction] {
        verdict?.isAccepted == false ? [] : [.dismissed(visit)]
    }

    /// Whether to keep the session of a printed key that brought this verdict. An attacker may want to record
    /// and replay a session with an authentic credential, or one of which nothing is known.
    private mutating func mayKeep(_ verdict: Verdict?, at now: Instant) -> Bool {
        guard let verdict else { return refusedSessions.takeUnknown(at: now) }
        return verdict.isAccepted || verdict.authenticDigest.map { refusedSessions.take($0, at: now) } == true
    }

    /// Keeps the session of a visit that is over, so that it is not served again. `verdict`: on the session's
    /// payload; nil: not known.
    mutating func keepSession(
        _ session: [UInt8]?, of visit: VisitID, _ verdict: Verdict?, at now: Instant
    ) -> [KioskAction] {
        guard let session, mayKeep(verdict, at: now), used.admit(session) else { return [] }
        return [.keepSession(visit, session)]
    }

    /// When the next check of a phone that has left is given up; nil: there is none.
    var uncheckedDeadline: Instant? { unchecked.map(\.since).min()?.advanced(by: settings.verificationLimit) }

    /// Gives up checks of visits that are over: those that have reached the limit of a check, and, as long as
    /// there are more than `most`, the one that began first. Otherwise a check that does not end would occupy
    /// its thread permanently.
    mutating func giveUpUnchecked(beyond most: Int = Unchecked.most, at now: Instant) -> [KioskAction] {
        var actions: [KioskAction] = []
        while let due = uncheckedDeadline, unchecked.count > most || now >= due {
            guard let first = unchecked.indices.min(by: { unchecked[$0].since < unchecked[$1].since }) else { break }
            actions += end(unchecked.remove(at: first), nil, at: now)
        }
        return actions
    }
}
