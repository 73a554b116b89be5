import Encoding

/// A status list from the trust data after all its own checks: it is the one asked for, signed by who may sign it.
struct StoredStatusList {
    /// What the list consists of.
    enum Content {
        /// W3C: the bits, and what the credential that they came in states of them.
        case bitstring(BitstringStatusList, StatusListFacts)
        /// IETF
        case token(TokenStatusList)
    }

    let content: Content
    /// How long ago it was issued; nil when it does not say.
    let age: Duration?
    /// How long its own validity has been over; nil while it lasts.
    let overdue: Duration?
}

/// The validity that a list states of itself, at the clock.
struct StatusListDates {
    let issued: Timestamp?
    let until: Timestamp?

    /// The clock by which the list is to be verified: now, or for a list that is past its date and that the gate's rules
    /// are to decide about, the last moment of its validity.
    ///
    /// - Throws: `status.stale` for a list past its date where no rules decide.
    func clock(in surroundings: Surroundings, at pointer: String) throws(Rejection) -> WallTime {
        var clock = surroundings.clock
        guard let until, until.advanced(by: surroundings.policy.clockSkew) < clock.utc else { return clock }
        guard surroundings.policy.decidesOnStatus else { throw Rejection(.statusStale, at: pointer) }
        clock.utc = until
        return clock
    }

    func list(_ content: StoredStatusList.Content, in surroundings: Surroundings) -> StoredStatusList {
        let (now, skew) = (surroundings.clock.utc, surroundings.policy.clockSkew)
        return StoredStatusList(
            content: content, age: issued.map { max(.zero, Self.duration(from: $0, to: now)) },
            overdue: until.flatMap { $0.advanced(by: skew) < now ? Self.duration(from: $0, to: now) : nil })
    }

    private static func duration(from start: Timestamp, to end: Timestamp) -> Duration {
        .seconds(end.seconds - start.seconds) + .nanoseconds(Int64(end.nanoseconds) - Int64(start.nanoseconds))
    }
}

extension Surroundings {
    /// The same without a listener, by another clock: for what is verified on behalf of a stage.
    func quiet(at clock: WallTime) -> Surroundings {
        Surroundings(
            trust: trust, policy: policy, limits: limits, clock: clock, onStage: nil, checksSpelling: checksSpelling)
    }

    /// Notes what a list said about an entry, and refuses what no rule may accept. `place` is the member to blame for an
    /// entry without answer.
    ///
    /// - Throws: `status.revoked`, `status.suspended`; `status.unavailable` where no rules decide.
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
