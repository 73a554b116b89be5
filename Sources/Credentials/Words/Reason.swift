package import Reasons

/// One finding about one credential: a code and a place. A finding contains no claim.
package struct Reason: Hashable, Sendable {
    /// The code of the finding.
    package let code: ReasonCode
    /// The place of the finding, as a JSON pointer (RFC 6901) into the credential; nil for the whole.
    package let pointer: String?
    /// The severity in the verdict. Under the compat profile, a finding that usually causes a rejection may be only a
    /// warning.
    package let severity: Severity
    /// The violated rule, if the code covers several rules; otherwise nil.
    package let detail: ReasonDetail?

    /// The maximum length of a stored pointer. Member names come from untrusted sources and may be long.
    private static let longestPointer = 512

    /// Returns the pointer, or else the pointer to the nearest containing member that is short enough.
    private static func bounded(_ pointer: String) -> String {
        guard pointer.utf8.count > longestPointer else { return pointer }
        let kept = pointer.utf8.prefix(longestPointer)
        return String(
            decoding: kept.prefix(upTo: kept.lastIndex(of: UInt8(ascii: "/")) ?? kept.startIndex), as: UTF8.self)
    }

    /// Creates a finding, by default with the severity of its code.
    package init(
        _ code: ReasonCode, _ detail: ReasonDetail? = nil, at pointer: String? = nil, severity: Severity? = nil
    ) {
        self.code = code
        self.pointer = pointer.map(Self.bounded)
        self.severity = severity ?? code.severity
        self.detail = detail
    }

    /// Returns the same reason for another place.
    func moved(to pointer: String?) -> Reason { Reason(code, detail, at: pointer, severity: severity) }
}

/// The end of a verification, thrown by the failed stage.
struct Rejection: Error, Hashable {
    let reason: Reason
    /// The unsupported format that caused the rejection, if the format is recognised; otherwise nil.
    let unsupported: UnsupportedFormat?

    init(
        _ code: ReasonCode, _ detail: ReasonDetail? = nil, at pointer: String? = nil,
        naming unsupported: UnsupportedFormat? = nil
    ) {
        self.unsupported = unsupported
        // The empty pointer names the whole document, so it is omitted.
        reason = Reason(code, detail, at: pointer.flatMap { $0.isEmpty ? nil : $0 }, severity: .error)
    }

    /// Returns the same rejection for another place.
    func moved(to pointer: String?) -> Rejection {
        Rejection(reason.code, reason.detail, at: pointer, naming: unsupported)
    }

    /// Returns the same rejection for a document at `parent` in a larger document.
    func inside(_ parent: String) -> Rejection { parent.isEmpty ? self : moved(to: parent + (reason.pointer ?? "")) }
}
