import Encoding
import Reasons

/// A verified status list from the trust data: it is the requested list, and a permitted signer signed it.
struct StoredStatusList {
    /// The content of the list.
    enum Content {
        /// A W3C status list: the bits, and the facts from the list's credential.
        case bitstring(BitstringStatusList, StatusListFacts)
        /// An IETF status list: the entries of a status list token.
        case token(TokenStatusList)
    }

    let content: Content
    /// The time since the list was issued; nil if the list has no date of issue.
    let age: Duration?
    /// The time since the end of the list's validity; nil before the end.
    let overdue: Duration?
}

/// The dates of validity that a list states; nil for a date that the list does not state.
struct StatusListDates {
    let issued: Timestamp?
    let until: Timestamp?

    /// Returns the clock for the verification of the list: normally the present time. If the list is no longer valid
    /// and the gate's rules decide about stale lists, the clock is at the last moment of the list's validity.
    ///
    /// - Throws: `status.stale` for a list that is no longer valid, unless rules decide about stale lists.
    func clock(in verificationContext: VerificationContext, at pointer: String) throws(Rejection) -> WallTime {
        var clock = verificationContext.clock
        guard let until, until.advanced(by: verificationContext.policy.clockSkew) < clock.utc else { return clock }
        guard verificationContext.policy.decidesOnStatus else { throw Rejection(.statusStale, at: pointer) }
        clock.utc = until
        return clock
    }

    func list(_ content: StoredStatusList.Content, in verificationContext: VerificationContext) -> StoredStatusList {
        let (now, skew) = (verificationContext.clock.utc, verificationContext.policy.clockSkew)
        return StoredStatusList(
            content: content, age: issued.map { max(.zero, Self.duration(from: $0, to: now)) },
            overdue: until.flatMap { $0.advanced(by: skew) < now ? Self.duration(from: $0, to: now) : nil })
    }

    private static func duration(from start: Timestamp, to end: Timestamp) -> Duration {
        .seconds(end.seconds - start.seconds) + .nanoseconds(Int64(end.nanoseconds) - Int64(start.nanoseconds))
    }
}

extension VerificationContext {
    /// Returns this context with another clock and without a stage callback, for a verification inside a stage.
    func quiet(at clock: WallTime) -> VerificationContext {
        VerificationContext(
            trust: trust, policy: policy, limits: limits, clock: clock, onStage: nil, checksSpelling: checksSpelling)
    }

    /// Notes the answer of a list for an entry. Refuses a status that no rule may accept. `place`: the member that the
    /// refusal names if the entry has no answer; nil for the entry itself.
    ///
    /// - Throws: `status.revoked`, `status.suspended`; `status.unavailable` unless rules decide about missing lists.
    func settle(
        _ answer: StatusAnswer, into evidence: inout Evidence, blaming place: String? = nil
    ) throws(Rejection) {
        evidence.status.append(answer)
        switch answer.value {
        case .valid: return
        case .revoked: throw Rejection(.statusRevoked, at: answer.pointer)
        case .suspended: throw Rejection(.statusSuspended, at: answer.pointer)
        case .unknown:
            if !policy.decidesOnStatus { throw Rejection(.statusUnavailable, at: place ?? answer.pointer) }
        }
    }
}
