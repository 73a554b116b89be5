/// Why a verification or a visit ended as it did: a stable code and what a person needs to know about it.
///
/// Two codes are equal when their texts are. ``groups`` is the one table of all codes that a verdict, a visit, a record, a log
/// or a report may carry; nothing but this folder makes a code. Those of a verification follow `Tests/Vectors/README.md`.
package struct ReasonCode: Sendable {
    /// The code itself, such as `validity.expired`; sent in reports and matched verbatim.
    package let text: String
    /// How serious it is where it is found; ``Severity/error`` ends the verification or the visit.
    package let severity: Severity
    /// What was found, in one sentence.
    package let meaning: String
    /// What the operator of the gate can do about it.
    package let remedy: String
    /// The code that MOSIP has for this finding: of mosip/vc-verifier 1.6, of Tuvali 0.5 for a transfer; nil when it has none.
    package let mosip: String?
    /// The text of the code behind which this one stands as a second reason that tells more; nil for a code that stands alone.
    package let refines: String?

    /// One row of the table.
    init(_ text: String, _ meaning: String, _ remedy: String, severity: Severity = .error, mosip: String? = nil) {
        self.text = text
        self.severity = severity
        self.meaning = meaning
        self.remedy = remedy
        self.mosip = mosip
        refines = nil
    }

    /// The row of a code that Tuvali documents (`TVV_TRA_001`), under our name for it.
    init(tuvali code: String, _ meaning: String, _ remedy: String) {
        self.init("transfer." + code, meaning, remedy, mosip: code)
    }

    /// The row of a code that tells apart what `code` does not.
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

/// How much a finding weighs.
package enum Severity: String, Sendable {
    /// It decides: the credential is rejected, or the visit fails.
    case error
    /// The credential can still be accepted, but somebody should know.
    case warning
    /// For the record only.
    case info
}

/// One finding about one credential. Holds no claim: only a code and where it was found.
package struct Reason: Hashable, Sendable {
    /// What was found.
    package let code: ReasonCode
    /// The member it was found at, as a JSON pointer (RFC 6901) into the credential; nil for the whole.
    package let pointer: String?
    /// What it means for this verdict; a finding that usually decides can be a mere warning under the compat profile.
    package let severity: Severity
    /// Which rule it was, where the code stands for several.
    package let detail: ReasonDetail?

    /// Longest pointer that is kept: member names are a stranger's text.
    private static let longestPointer = 512

    /// The pointer, or that of the nearest containing member that is short enough.
    private static func bounded(_ pointer: String) -> String {
        guard pointer.utf8.count > longestPointer else { return pointer }
        let kept = pointer.utf8.prefix(longestPointer)
        return String(
            decoding: kept.prefix(upTo: kept.lastIndex(of: UInt8(ascii: "/")) ?? kept.startIndex), as: UTF8.self)
    }

    /// A finding, by default as serious as its code.
    package init(
        _ code: ReasonCode, _ detail: ReasonDetail? = nil, at pointer: String? = nil, severity: Severity? = nil
    ) {
        self.code = code
        self.pointer = pointer.map(Self.bounded)
        self.severity = severity ?? code.severity
        self.detail = detail
    }

    /// The same finding about another place.
    func moved(to pointer: String?) -> Reason { Reason(code, detail, at: pointer, severity: severity) }
}

/// The end of a verification at the stage that threw it.
struct Rejection: Error, Hashable {
    let reason: Reason
    /// The format that it is about, where it is one that is known by name and not verified.
    let unsupported: UnsupportedFormat?

    init(
        _ code: ReasonCode, _ detail: ReasonDetail? = nil, at pointer: String? = nil,
        naming unsupported: UnsupportedFormat? = nil
    ) {
        self.unsupported = unsupported
        // The empty pointer names the whole document, which goes without saying.
        reason = Reason(code, detail, at: pointer.flatMap { $0.isEmpty ? nil : $0 }, severity: .error)
    }

    /// The same finding about another place.
    func moved(to pointer: String?) -> Rejection {
        Rejection(reason.code, reason.detail, at: pointer, naming: unsupported)
    }

    /// The same finding about a document that stands at `parent` in a larger one.
    func inside(_ parent: String) -> Rejection { parent.isEmpty ? self : moved(to: parent + (reason.pointer ?? "")) }
}
