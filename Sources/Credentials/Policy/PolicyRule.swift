package import Encoding

/// The direction of a gate.
package enum GateDirection: String, CaseIterable, Sendable {
    /// Into the building or site.
    case `in`
    /// Out of the building or site.
    case out
}

/// The credentials that a rule applies to. An empty list does not restrict.
package struct CredentialSelector: Hashable, Sendable {
    /// The formats.
    package var formats: [CredentialFormat] = []
    /// Types, one of which the credential must have: expanded IRIs, `vct`, `docType`.
    package var types: [Text] = []
    /// The issuers by id.
    package var issuers: [Text] = []
    /// The groups of issuers by name.
    package var groups: [Text] = []
    /// Linked data: the exact list of contexts that the document must be written under.
    package var contexts: [Text] = []
    /// The subjects by id.
    package var subjects: [Text] = []
    /// The credentials by the SHA-256 of their signed content.
    package var credentials: [[UInt8]] = []

    /// Creates a selector of every credential.
    package init() {}

    /// Returns whether credentials of that format can be selected.
    func isAbout(_ format: CredentialFormat) -> Bool { formats.isEmpty || formats.contains(format) }
}

/// The tolerance of a rule for stored status lists that are old or missing.
package struct StatusTolerance: Hashable, Sendable {
    /// The treatment of a list whose validity is over.
    package enum Stale: Hashable, Sendable {
        /// The credential is refused with `status.stale`.
        case reject
        /// The list's last state counts.
        case accept
        /// The list's last state counts until this duration after the end of its validity.
        case grace(Duration)
    }

    /// The purposes for which the credential must have an answer; empty: those of its own entries.
    package var purposes: [Text] = []
    /// The treatment of a list whose validity is over.
    package var whenStale = Stale.reject
    /// Whether a list that is not stored, or a missing entry of the credential, is refused with
    /// `status.unavailable`.
    package var rejectsMissing = true
    /// The age beyond which a list counts as overdue, whatever its own validity.
    package var maxAge: Duration?

    /// Creates a tolerance of nothing, without required purposes.
    package init() {}

    /// Returns the first fault of the answers; nil when they are acceptable.
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
            // A list without a date of issue may have any age.
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

/// A rule that accepts credentials: `[[accept]]`.
package struct AcceptRule: Hashable, Sendable {
    /// The id; the rule's code in verdicts is `policy.` and this.
    package var id: Text
    /// The credentials that it applies to.
    package var selector = CredentialSelector()
    /// The direction of the gates that it applies to; nil: all gates.
    package var direction: GateDirection?
    /// The conditions that must all be fulfilled.
    package var require: [Predicate] = []
    /// The hours in which it accepts; empty: always.
    package var hours: [GateHours] = []
    /// Whether a holder's proof is required.
    package var holderRequired = false
    /// The tolerance for old and missing status lists.
    package var status = StatusTolerance()
    /// The action on a repeated visit; nil: the policy's action.
    package var replay: ReplayRule.Action?

    /// Creates a rule that accepts every credential.
    package init(id: Text) {
        self.id = id
    }
}

/// A rule that denies credentials, evaluated before every accept rule: `[[deny]]`.
package struct DenyRule: Hashable, Sendable {
    /// The id; the rule's code in verdicts is `policy.` and this.
    package var id: Text
    /// The credentials that it applies to.
    package var selector = CredentialSelector()
    /// The direction of the gates that it applies to; nil: all gates.
    package var direction: GateDirection?
    /// The conditions. The rule applies unless one of them is known not to be fulfilled, so a holder cannot
    /// avoid it by withholding a claim.
    package var when: [Predicate] = []

    /// Creates a rule that denies every credential.
    package init(id: Text) {
        self.id = id
    }
}
