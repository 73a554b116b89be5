package import Encoding
import Reasons

/// The direction of a gate.
package enum GateDirection: String, CaseIterable, Sendable {
    /// The direction into the building or site.
    case `in`
    /// The direction out of the building or site.
    case out
}

/// The credentials to which a rule applies. An empty list does not restrict the selection.
package struct CredentialSelector: Hashable, Sendable {
    /// The credential formats; empty: all formats.
    package var formats: [CredentialFormat] = []
    /// The types (expanded IRIs, `vct`, `docType`), one of which the credential must have. An empty list permits any
    /// type.
    package var types: [Text] = []
    /// The ids of permitted issuers. The issuer must be listed here or be in one of ``groups``; if both lists are
    /// empty, any issuer is permitted.
    package var issuers: [Text] = []
    /// The names of groups of permitted issuers.
    package var groups: [Text] = []
    /// For linked data: the exact list of contexts of the document; empty: any contexts.
    package var contexts: [Text] = []
    /// The ids of the subjects, one of which must be the credential's subject. An empty list permits any subject.
    package var subjects: [Text] = []
    /// The SHA-256 hashes of the signed contents, one of which must be the credential's. An empty list permits any
    /// credential.
    package var credentials: [[UInt8]] = []

    /// Creates a selector of every credential.
    package init() {}

    /// Returns whether credentials of the format `format` can be selected.
    func isAbout(_ format: CredentialFormat) -> Bool { formats.isEmpty || formats.contains(format) }
}

/// The tolerance of a rule for stored status lists that are old or missing.
package struct StatusTolerance: Hashable, Sendable {
    /// The treatment of a list after the end of its validity.
    package enum Stale: Hashable, Sendable {
        /// The credential is refused with `status.stale`.
        case reject
        /// The list's last state counts.
        case accept
        /// The list counts until the given duration after the end of its validity.
        case grace(Duration)
    }

    /// The purposes for which a status list must answer; empty: the purposes of the credential's entries.
    package var purposes: [Text] = []
    /// The treatment of a list after the end of its validity.
    package var whenStale = Stale.reject
    /// Whether a list that is not stored, or a missing entry of the credential, causes `status.unavailable`.
    package var rejectsMissing = true
    /// The age beyond which a list counts as overdue, whatever its own validity; nil: no such age.
    package var maxAge: Duration?

    /// Creates the strict tolerance: no stale list, no missing list, no further purposes.
    package init() {}

    /// Returns the reason for a rejection: that of the first status answer that is not acceptable; nil if all answers
    /// are acceptable.
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
            // The age of a list without a date of issue is unknown, so the list counts as too old.
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
    /// The id. The rule's code in verdicts is `policy.` followed by the id.
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
    /// The id. The rule's code in verdicts is `policy.` followed by the id.
    package var id: Text
    /// The credentials to which the rule applies.
    package var selector = CredentialSelector()
    /// The direction of the gates to which the rule applies; nil: all gates.
    package var direction: GateDirection?
    /// The conditions. The rule applies unless a condition is known to be unfulfilled, so a holder cannot avoid the
    /// rule by withholding a claim.
    package var when: [Predicate] = []

    /// Creates a rule that denies every credential.
    package init(id: Text) {
        self.id = id
    }
}
