package import Encoding
import Reasons

/// The direction of a gate.
package enum GateDirection: String, CaseIterable, Sendable {
    /// Into the building or site behind the gate.
    case `in`
    /// Out of the building or site behind the gate.
    case out
}

/// The credentials that a rule applies to. An empty list does not restrict.
package struct CredentialSelector: Hashable, Sendable {
    /// The credential formats that the selector admits; empty: all formats.
    package var formats: [CredentialFormat] = []
    /// Types, one of which the credential must have: expanded IRIs, `vct`, `docType`.
    package var types: [Text] = []
    /// The ids of the issuers, one of which must have issued the credential; empty: any issuer.
    package var issuers: [Text] = []
    /// The groups of issuers by name.
    package var groups: [Text] = []
    /// For linked data: the exact list of contexts under which the document must be written; empty: any
    /// contexts.
    package var contexts: [Text] = []
    /// The ids of the subjects, one of which the credential must be about; empty: any subject.
    package var subjects: [Text] = []
    /// The SHA-256 hashes of the signed content of the credentials to which the selector applies; empty: any
    /// credential.
    package var credentials: [[UInt8]] = []

    /// Creates a selector of every credential.
    package init() {}

    /// Returns whether credentials of the format `format` can be selected.
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
        /// The last state of the list counts until the given duration after the end of the list's validity.
        case grace(Duration)
    }

    /// The purposes for which the credential must have an answer from a status list; empty: the purposes of
    /// the credential's own entries.
    package var purposes: [Text] = []
    /// The treatment of a list whose validity is over.
    package var whenStale = Stale.reject
    /// Whether a list that is not stored, or a missing entry of the credential, is refused with
    /// `status.unavailable`.
    package var rejectsMissing = true
    /// The age beyond which a list counts as overdue, whatever its own validity.
    package var maxAge: Duration?

    /// Creates a rule that tolerates no stale or missing list and requires no further purposes.
    package init() {}

    /// Returns the first fault of the answers; nil if the answers are acceptable.
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
    /// The credentials to which the rule applies.
    package var selector = CredentialSelector()
    /// The direction of the gates to which the rule applies; nil: all gates.
    package var direction: GateDirection?
    /// The conditions that must all be fulfilled.
    package var require: [Predicate] = []
    /// The hours in which the rule accepts credentials; empty: always.
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
    /// The credentials to which the rule applies.
    package var selector = CredentialSelector()
    /// The direction of the gates to which the rule applies; nil: all gates.
    package var direction: GateDirection?
    /// The conditions. The rule applies unless one of them is known not to be fulfilled, so a holder cannot
    /// avoid it by withholding a claim.
    package var when: [Predicate] = []

    /// Creates a rule that denies every credential.
    package init(id: Text) {
        self.id = id
    }
}
