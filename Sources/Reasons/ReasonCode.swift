/// The reason for the result of a verification or a visit: a stable code with an explanation for people.
///
/// Two codes are equal if their texts are equal. ``groups`` is the only table of the codes in verdicts, visits,
/// records, logs and reports; no code outside this folder creates codes. The codes of a verification follow
/// `Tests/Vectors/README.md`.
package struct ReasonCode: Sendable {
    /// The code, such as `validity.expired`. Reports contain the code, and receivers compare it verbatim.
    package let text: String
    /// The usual severity of the finding. A finding with ``Severity/error`` ends the verification or the visit.
    package let severity: Severity
    /// The finding, in one sentence.
    package let meaning: String
    /// The remedy for the operator of the gate.
    package let remedy: String
    /// MOSIP's code for the finding, from mosip/vc-verifier 1.6 or, for a transfer, from Tuvali 0.5; nil if there is
    /// none.
    package let mosip: String?
    /// The text of the code that this code refines; nil for a code that is used alone. In a list of reasons, a refining
    /// code follows the code that it refines.
    package let refines: String?

    /// Creates one row of the table.
    init(_ text: String, _ meaning: String, _ remedy: String, severity: Severity = .error, mosip: String? = nil) {
        self.text = text
        self.severity = severity
        self.meaning = meaning
        self.remedy = remedy
        self.mosip = mosip
        refines = nil
    }

    /// Creates the row of a code that Tuvali documents, such as `TVV_TRA_001`. The text of the row is `transfer.` and
    /// Tuvali's code.
    init(tuvali code: String, _ meaning: String, _ remedy: String) {
        self.init("transfer." + code, meaning, remedy, mosip: code)
    }

    /// Creates the row of a code for a special case of `code`.
    init(_ text: String, refining code: ReasonCode, _ meaning: String, _ remedy: String) {
        self.text = text
        severity = code.severity
        self.meaning = meaning
        self.remedy = remedy
        mosip = code.mosip
        refines = code.text
    }
}

extension ReasonCode: Hashable, CustomStringConvertible {
    package static func == (left: ReasonCode, right: ReasonCode) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }
    package func hash(into hasher: inout Hasher) { hasher.combine(text) }
    package var description: String { text }
}

/// The severity of a finding.
package enum Severity: String, Sendable {
    /// The reason determines the result: the credential is rejected, or the visit fails.
    case error
    /// The credential can still be accepted, but the operator should know.
    case warning
    /// The finding is only information for the record.
    case info
}
