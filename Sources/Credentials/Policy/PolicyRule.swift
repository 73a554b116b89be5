package import Encoding

/// Which way a gate leads.
package enum GateDirection: String, CaseIterable, Sendable {
    /// Into the place.
    case `in`
    /// Out of it.
    case out
}

/// Which credentials a rule is about. An empty list does not restrict.
package struct CredentialSelector: Hashable, Sendable {
    /// The formats.
    package var formats: [CredentialFormat] = []
    /// Types, one of which the credential must have: expanded IRIs, `vct`, `docType`.
    package var types: [Text] = []
    /// Issuers by id.
    package var issuers: [Text] = []
    /// Groups of issuers by name.
    package var groups: [Text] = []
    /// Linked data: the exact list of contexts that the document must be written under.
    package var contexts: [Text] = []
    /// Subjects by id.
    package var subjects: [Text] = []
    /// Credentials by the SHA-256 of their signed content.
    package var credentials: [[UInt8]] = []

    /// Selects every credential.
    package init() {}

    /// Whether credentials of that format can be selected.
    func isAbout(_ format: CredentialFormat) -> Bool { formats.isEmpty || formats.contains(format) }
}

/// How far a rule tolerates stored status lists that are old or missing.
package struct StatusTolerance: Hashable, Sendable {
    /// What follows when a list is past its date.
    package enum Stale: Hashable, Sendable {
        /// `status.stale`
        case reject
        /// Its last word counts.
        case accept
        /// Its last word counts until that long after its date.
        case grace(Duration)
    }

    /// Purposes of which the credential must have an answer; without: whatever entries it brings.
    package var purposes: [Text] = []
    /// What follows when a list is past its date.
    package var whenStale = Stale.reject
    /// Whether a list that is not stored, or an entry that the credential does not have, is `status.unavailable`.
    package var rejectsMissing = true
    /// The age beyond which a list counts as past its date, whatever its own date says.
    package var maxAge: Duration?

    /// Nothing is tolerated, and no purpose is asked for.
    package init() {}

    /// What is wrong with the answers; nil when they are good enough.
    func complaint(about answers: [StatusAnswer]) -> Reason? {
        for answer in answers {
            switch answer.value {
            case .revoked: return Reason(.statusRevoked, at: answer.pointer)
            case .suspended: return Reason(.statusSuspended, at: answer.pointer)
            case .unknown: if rejectsMissing { return Reason(.statusUnavailable, at: answer.pointer) }
            case .valid: if isTooOld(answer) { return Reason(.statusStale, at: answer.pointer) }
            }
        }
        let isComplete = purposes.allSatisfy { purpose in answers.contains { $0.purpose == purpose } }
        return isComplete || !rejectsMissing ? nil : Reason(.statusUnavailable)
    }

    private func isTooOld(_ answer: StatusAnswer) -> Bool {
        var overdue = answer.overdue
        if let maxAge {
            // A list that does not say when it was issued may be of any age.
            guard let age = answer.age else { return whenStale != .accept }
            if age > maxAge { overdue = max(overdue ?? .zero, age - maxAge) }
        }
        guard let overdue else { return false }
        switch whenStale {
        case .reject: return true
        case .accept: return false
        case .grace(let time): return overdue > time
        }
    }
}

/// A rule that lets credentials in: `[[accept]]`.
package struct AcceptRule: Hashable, Sendable {
    /// Names it in verdicts: `policy.` and this.
    package var id: Text
    /// Which credentials it is about.
    package var selector = CredentialSelector()
    /// Only for gates that lead this way.
    package var direction: GateDirection?
    /// What must be fulfilled, each of it.
    package var require: [Predicate] = []
    /// When it opens; empty: always.
    package var hours: [GateHours] = []
    /// Whether a holder's proof must be there.
    package var holderRequired = false
    /// How far old and missing status lists are tolerated.
    package var status = StatusTolerance()
    /// What follows when the visitor was here a moment ago; nil: what the policy says for all.
    package var replay: ReplayRule.Action?

    /// A rule for everybody.
    package init(id: Text) {
        self.id = id
    }
}

/// A rule that keeps credentials out, before any rule lets them in: `[[deny]]`.
package struct DenyRule: Hashable, Sendable {
    /// Names it in verdicts: `policy.` and this.
    package var id: Text
    /// Which credentials it is about.
    package var selector = CredentialSelector()
    /// Only for gates that lead this way.
    package var direction: GateDirection?
    /// When it applies: unless one of these is known not to be fulfilled. A claim that the holder kept to himself does not
    /// help him.
    package var when: [Predicate] = []

    /// A rule against everybody.
    package init(id: Text) {
        self.id = id
    }
}
