import Encoding

/// Status stage: looks the credential up in the stored status lists of its issuer (Bitstring Status List 1.0 section 3.2).
struct StatusCheck {
    let surroundings: Surroundings
    /// The credential's issuer.
    let issuer: TrustedIssuer
    /// Members of the credential that its signature does not cover.
    let unsigned: [String]

    private static let entryTypes: [Text: Text] = [
        "BitstringStatusListEntry": "BitstringStatusList",
        "StatusList2021Entry": "StatusList2021",
    ]

    /// Purposes that state nothing against the credential, whatever the value (section 2.2).
    private static let harmless: Set<Text> = ["message", "refresh"]

    /// Checks every entry and notes the answers. An entry of an unknown kind cannot be answered.
    func check(_ entries: [Located<JSONObject>], into evidence: inout Evidence) throws(Rejection) {
        var lists: [Text: StoredStatusList] = [:]
        for entry in entries {
            // Under the compat profile an index outside the signature could be changed to one that is not revoked.
            guard !unsigned.contains(where: { Pointer.overlap($0, entry.pointer) }) else {
                throw Rejection(.statusInvalid, at: entry.pointer)
            }
            try check(entry, &lists, &evidence)
        }
    }

    private func check(
        _ entry: Located<JSONObject>, _ lists: inout [Text: StoredStatusList], _ evidence: inout Evidence
    ) throws(Rejection) {
        let types = Self.texts(entry.value["type"])
        let invalid = Rejection(.statusInvalid, at: entry.pointer)
        guard let listType = types.compactMap({ Self.entryTypes[$0] }).first else {
            let purpose = entry.value["statusPurpose"]?.string ?? "revocation"
            return try surroundings.settle(
                StatusAnswer(.unknown, purpose: purpose, pointer: entry.pointer), into: &evidence,
                blaming: Pointer.append(entry.pointer, "type"))
        }
        guard let url = entry.value["statusListCredential"]?.string,
            let purpose = entry.value["statusPurpose"]?.string,
            let index = Self.index(entry.value["statusListIndex"]), let size = Self.size(entry.value)
        else { throw invalid }
        let reader = StatusListReader(surroundings: surroundings, issuer: issuer)
        if lists[url] == nil { lists[url] = try reader.stored(url, at: entry.pointer) }
        guard let list = lists[url] else {
            return try surroundings.settle(
                StatusAnswer(.unknown, purpose: purpose, pointer: entry.pointer), into: &evidence,
                blaming: Pointer.append(entry.pointer, "statusListCredential"))
        }
        guard case .bitstring(let bits, let subject) = list.content,
            Self.texts(subject["type"]).contains(listType), Self.texts(subject["statusPurpose"]).contains(purpose),
            subject["statusSize"].map({ $0.int == size }) ?? true,
            bits.count / size >= surroundings.limits.statusListEntries, let value = bits.value(at: index, size: size)
        else { throw invalid }
        guard let meaning = Self.meaning(value, of: purpose) else { throw invalid }
        try surroundings.settle(
            StatusAnswer(meaning, purpose: purpose, pointer: entry.pointer, age: list.age, overdue: list.overdue),
            into: &evidence)
    }

    /// Nil for a value that says something which is not understood.
    private static func meaning(_ value: UInt8, of purpose: Text) -> StatusAnswer.Value? {
        if value == 0 || harmless.contains(purpose) { return .valid }
        switch purpose {
        case "revocation": return .revoked
        case "suspension": return .suspended
        default: return nil
        }
    }

    /// The bits of one entry, 1 unless `statusSize` says otherwise. More than one need a message for each value; messages
    /// are for people, so what they say is not looked at (section 2.1). Nil when this is malformed, or over 8 bits.
    private static func size(_ entry: JSONObject) -> Int? {
        let size = entry["statusSize"].map { $0.int ?? 0 } ?? 1
        guard (1...8).contains(size) else { return nil }
        guard let member = entry["statusMessage"] else { return size == 1 ? 1 : nil }
        guard let messages = member.array, messages.count == 1 << size,
            messages.allSatisfy({ $0["status"]?.string?.hasPrefix("0x") ?? false && $0["message"]?.string != nil })
        else { return nil }
        return size
    }

    private static func texts(_ member: JSON?) -> [Text] {
        (member.map { $0.array ?? [$0] } ?? []).compactMap(\.string)
    }

    private static func index(_ member: JSON?) -> Int? {
        guard let member else { return nil }
        if let number = member.int { return number >= 0 ? number : nil }
        guard let text = member.string, !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text.string)
    }
}
