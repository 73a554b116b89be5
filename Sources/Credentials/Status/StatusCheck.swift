import Encoding

/// Status stage: looks the credential up in the stored status lists of its issuer (Bitstring Status List 1.0 section 3.2).
///
/// A list is a credential itself and goes through the same stages; whatever is wrong with it, the answer is a refusal.
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

    /// Checks every entry; an entry of an unknown kind cannot be answered and is therefore `status.unavailable`.
    func check(_ entries: [Located<JSONObject>]) throws(Rejection) {
        for entry in entries {
            // Under the compat profile an index outside the signature could be changed to one that is not revoked.
            guard !unsigned.contains(where: { Self.covers($0, entry.pointer) }) else {
                throw Rejection(.statusInvalid, at: entry.pointer)
            }
            try check(entry)
        }
    }

    /// Whether one of the pointers lies in the other.
    private static func covers(_ unsigned: String, _ pointer: String) -> Bool {
        let (a, b) = (unsigned.utf8, pointer.utf8)
        return a.starts(with: b) || b.starts(with: a)
    }

    private func check(_ entry: Located<JSONObject>) throws(Rejection) {
        let types = (entry.value["type"].map { $0.array ?? [$0] } ?? []).compactMap(\.string)
        guard let listType = types.compactMap({ Self.entryTypes[$0] }).first else {
            throw Rejection(.statusUnavailable, at: Pointer.append(entry.pointer, "type"))
        }
        let invalid = Rejection(.statusInvalid, at: entry.pointer)
        guard let url = entry.value["statusListCredential"]?.string,
            let purpose = entry.value["statusPurpose"]?.string,
            let index = Self.index(entry.value["statusListIndex"]),
            entry.value["statusSize"].map({ $0.int == 1 }) ?? true
        else { throw invalid }
        guard let bytes = surroundings.trust.statusLists[url] else {
            throw Rejection(.statusUnavailable, at: Pointer.append(entry.pointer, "statusListCredential"))
        }
        let subject = try list(bytes, url: url, at: entry.pointer)
        let purposes = (subject["statusPurpose"].map { $0.array ?? [$0] } ?? []).compactMap(\.string)
        guard subject["type"].map({ $0.array ?? [$0] })?.contains(.string(listType)) ?? false,
            purposes.contains(purpose), let encoded = subject["encodedList"]?.string,
            let bits = try? BitstringStatusList(encoded: encoded, limits: surroundings.limits), let isSet = bits[index]
        else { throw invalid }
        guard isSet else { return }
        switch purpose {
        case "revocation": throw Rejection(.statusRevoked, at: entry.pointer)
        case "suspension": throw Rejection(.statusSuspended, at: entry.pointer)
        default: return  // refresh and message state nothing against the credential
        }
    }

    /// The subject of the list credential after all its own checks.
    private func list(_ bytes: [UInt8], url: Text, at pointer: String) throws(Rejection) -> JSONObject {
        let invalid = Rejection(.statusInvalid, at: pointer)
        guard let document = try? JSON.parse(bytes, limits: surroundings.limits.json).object,
            let listIssuer = document["issuer"]?.string ?? document["issuer"]?["id"]?.string,
            listIssuer == issuer.id || issuer.statusIssuers.contains(listIssuer)
        else { throw invalid }
        var entry = surroundings.trust.issuer(listIssuer) ?? issuer
        entry.id = listIssuer
        if listIssuer != issuer.id, surroundings.trust.issuer(listIssuer) == nil { entry.controllers = [] }
        let quiet = Surroundings(
            trust: surroundings.trust, policy: surroundings.policy, limits: surroundings.limits,
            clock: surroundings.clock, onStage: nil)
        var check = CredentialCheck(quiet, summary: CredentialSummary(format: .ldpVC, payloadDigest: []))
        do throws(Rejection) {
            _ = try check.verifyIssued(document, issuedBy: entry)
        } catch {
            switch error.reason.code {
            case .validityExpired, .validityNotYet: throw Rejection(.statusStale, at: pointer)
            default: throw invalid
            }
        }
        guard !check.evidence.unsigned.contains(where: { Self.covers($0, "/credentialSubject") }) else { throw invalid }
        // The list must be the one asked for: by its own id, or by that of its subject without the fragment.
        guard let subject = document["credentialSubject"]?.object,
            [document["id"]?.string, subject["id"]?.string.map(Self.withoutFragment)].contains(url)
        else { throw invalid }
        return subject
    }

    private static func index(_ member: JSON?) -> Int? {
        guard let member else { return nil }
        if let number = member.int { return number >= 0 ? number : nil }
        guard let text = member.string, !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text.string)
    }

    private static func withoutFragment(_ text: Text) -> Text {
        Text(String(decoding: text.utf8.prefix { $0 != UInt8(ascii: "#") }, as: UTF8.self))
    }
}
