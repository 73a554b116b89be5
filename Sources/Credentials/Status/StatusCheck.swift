import Encoding
import Reasons

/// The status stage: looks up a credential in the stored status lists of its issuer (Bitstring Status List 1.0 section
/// 3.2).
struct StatusCheck {
    let verificationContext: VerificationContext
    /// The credential's issuer.
    let issuer: TrustedIssuer

    /// The status purposes that do not count against the credential, for any value (section 2.2).
    private static let harmless: Set<Text> = ["message", "refresh"]

    /// Checks every signed entry and notes the answers. The answer for an entry of an unknown kind is `unknown`.
    func check(_ entries: [StatusEntry], into evidence: inout Evidence) throws(Rejection) {
        var lists: [Text: StoredStatusList] = [:]
        for entry in entries { try check(entry, &lists, &evidence) }
    }

    private func check(
        _ entry: StatusEntry, _ lists: inout [Text: StoredStatusList], _ evidence: inout Evidence
    ) throws(Rejection) {
        let invalid = Rejection(.statusInvalid, at: entry.pointer)
        guard let kind = entry.kind else {
            let place = Pointer.append(entry.pointer, "type")
            if !entry.otherTypes.isEmpty, entry.otherTypes.allSatisfy(issuer.uncheckedStatusTypes.contains) {
                evidence.findings.append(Reason(.statusUnavailable, at: place, severity: .warning))
                return
            }
            return try verificationContext.settle(
                StatusAnswer(.unknown, purpose: entry.purpose ?? "revocation", pointer: entry.pointer),
                into: &evidence, blaming: place)
        }
        guard let url = entry.list, let purpose = entry.purpose, let index = entry.index, let size = entry.size else {
            throw invalid
        }
        let reader = StatusListReader(verificationContext: verificationContext, issuer: issuer)
        if lists[url] == nil { lists[url] = try reader.stored(url, at: entry.pointer) }
        guard let list = lists[url] else {
            return try verificationContext.settle(
                StatusAnswer(.unknown, purpose: purpose, pointer: entry.pointer), into: &evidence,
                blaming: Pointer.append(entry.pointer, "statusListCredential"))
        }
        guard case .bitstring(let bits, let facts) = list.content, facts.kinds.contains(kind),
            facts.purposes.contains(purpose), facts.size.map({ $0 == size }) ?? true,
            bits.count / size >= verificationContext.limits.statusListEntries,
            let value = bits.value(at: index, size: size)
        else { throw invalid }
        guard let meaning = Self.meaning(value, of: purpose) else { throw invalid }
        try verificationContext.settle(
            StatusAnswer(meaning, purpose: purpose, pointer: entry.pointer, age: list.age, overdue: list.overdue),
            into: &evidence)
    }

    /// Returns the meaning of a status value for a purpose; nil for an unknown value.
    private static func meaning(_ value: UInt8, of purpose: Text) -> StatusAnswer.Value? {
        if value == 0 || harmless.contains(purpose) { return .valid }
        switch purpose {
        case "revocation": return .revoked
        case "suspension": return .suspended
        default: return nil
        }
    }
}
