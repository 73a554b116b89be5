import Credentials
import Encoding
import Ledger

/// A visit that ended while its payload was being checked. The priority of its record is known only when the verifier
/// answers. Until then no other visit gets its intent, because this visit's record may need it.
struct Unchecked: Sendable {
    /// The largest number of ended visits whose check is not finished. With more, the gate gives up the check that
    /// began first.
    static let most = 8

    let record: VisitRecord
    var intent: VisitIntent?
    /// The identifier of the session's secret; nil if the phone did not use a printed key.
    let session: [UInt8]?
    /// When the check of the visit's payload began.
    let since: Instant
}

extension RecordPriority {
    /// Creates the priority of the record of a visit that sent a whole payload and for which the gate did not open.
    /// nil: the visit is recorded in any case, because the verifier accepted it and the gate refused it. `hasLeft`:
    /// the visit ended before its verdict was shown. Such a visit always gets a priority, because verdict turns do not
    /// limit the rate of such visits.
    init?(_ verdict: Verdict?, hasLeft: Bool) {
        if let verdict, verdict.isAccepted, !hasLeft { return nil }
        self = verdict?.isAuthentic == true ? .proven : .unproven
    }
}

extension Visit {
    /// Returns the priority of the visit's record if the gate did not open for the visit; nil: the visit is recorded
    /// in any case.
    func worth(hasLeft: Bool) -> RecordPriority? { hasPayload ? RecordPriority(verdict, hasLeft: hasLeft) : .junk }

    /// Whether the visit waits for the verifier's answer.
    var isVerifying: Bool { if case .verifying = stage { true } else { false } }

    /// The identifier of the visit's session secret; nil if the phone did not use a printed key.
    var printedSession: [UInt8]? { isPrinted ? fingerprint : nil }
}

/// Step 7, Verify: the effects of a verdict other than the opening of the gate.
extension Kiosk {
    /// Handles the verifier's verdict on the payload of the visit `id`.
    mutating func verified(_ id: VisitID, _ verdict: Verdict, at now: Instant) -> [KioskAction] {
        if let index = unchecked.firstIndex(where: { $0.record.visit == id }) {
            return end(unchecked.remove(at: index), verdict, at: now)
        }
        guard let visit = visits.first(where: { $0.id == id }), visit.isVerifying, let session = visit.printedSession,
            mayKeep(verdict, at: now)
        else { return change(id, at: now) { $0.verified(verdict, keepsSession: false, at: now) } }
        // Two phones may have begun a session with the same secret. Only the first of them that sends a credential may
        // use it.
        let isNew = used.admit(session)
        return change(id, at: now) { visit in
            let requests = visit.verified(verdict, keepsSession: isNew, at: now)
            return isNew ? requests : visit.refuse(at: now)
        }
    }

    /// Records or counts a visit that ended before its verdict. `verdict`: the verifier's late verdict; nil if there
    /// was none.
    private mutating func end(_ left: Unchecked, _ verdict: Verdict?, at now: Instant) -> [KioskAction] {
        var record = left.record
        record.signedDigests = verdict?.signedDigests ?? []
        record.outcome.credential = verdict.map { Outcome.Credential($0.credential, as: $0.format) }
        var actions = recordUnopened(record, RecordPriority(verdict, hasLeft: true), at: now)
        if actions.isEmpty {
            keep(left.intent?.leftOver, at: now)
            actions = dismiss(record.visit, verdict)
        }
        return actions + keepSession(left.session, of: record.visit, verdict, at: now)
    }

    /// Ends the verification of a visit that sent a payload and has no separate record, or releases the reservation of
    /// its credential. Does nothing after a refusal, because the verifier reserves no refused credential.
    func dismiss(_ visit: VisitID, _ verdict: Verdict?) -> [KioskAction] {
        verdict?.isAccepted == false ? [] : [.dismissed(visit)]
    }

    /// Returns whether to store the session of a printed key in which the payload with this verdict was received. An
    /// attacker may record and replay a session with an authentic credential, or a session whose credential was not
    /// checked.
    private mutating func mayKeep(_ verdict: Verdict?, at now: Instant) -> Bool {
        guard let verdict else { return refusedSessions.takeUnknown(at: now) }
        return verdict.isAccepted || verdict.authenticDigest.map { refusedSessions.take($0, at: now) } == true
    }

    /// Stores the session of a visit that is over, so that the session is not accepted again. `verdict`: the
    /// verdict on the session's payload; nil if it is not known.
    mutating func keepSession(
        _ session: [UInt8]?, of visit: VisitID, _ verdict: Verdict?, at now: Instant
    ) -> [KioskAction] {
        guard let session, mayKeep(verdict, at: now), used.admit(session) else { return [] }
        return [.keepSession(visit, session)]
    }

    /// When the gate next gives up the check of a payload whose phone has left; nil if no such check is in progress.
    var uncheckedDeadline: Instant? { unchecked.map(\.since).min()?.advanced(by: settings.verificationLimit) }

    /// Gives up checks of visits that are over: checks that have reached their time limit and, while there
    /// are more than `most`, the check that began first. Otherwise a check that does not end would occupy its
    /// thread permanently.
    mutating func giveUpUnchecked(beyond most: Int = Unchecked.most, at now: Instant) -> [KioskAction] {
        var actions: [KioskAction] = []
        while let due = uncheckedDeadline, unchecked.count > most || now >= due {
            guard let first = unchecked.indices.min(by: { unchecked[$0].since < unchecked[$1].since }) else { break }
            actions += end(unchecked.remove(at: first), nil, at: now)
        }
        return actions
    }
}
