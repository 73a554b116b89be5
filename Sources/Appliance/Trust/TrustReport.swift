import Credentials
package import Encoding
import Kiosk

/// What is trusted, how old it is, and what is not in order: for `gatehouse trust list` and `verify`.
package struct TrustReport: Sendable {
    /// Something that somebody should look after.
    package struct Finding: Hashable, Sendable {
        /// What it is about: an issuer's id, a URL, a bundle.
        package let subject: String
        /// What is wrong, in plain words.
        package let message: String
        /// Whether it is no more than the end of something, which ``Expiries`` has too.
        package var isOver = false
    }

    /// What is not in order at the date, worst for the gate first.
    package private(set) var findings: [Finding] = []
    /// What is in order and may yet surprise somebody.
    package private(set) var notes: [Finding] = []
    private let directory: TrustDirectory
    private let verifier: Verifier
    private let clock: WallTime

    private var store: TrustStore { directory.store }

    /// Looks at everything as it is at a date.
    package init(_ directory: TrustDirectory, at clock: WallTime) {
        self.directory = directory
        self.clock = clock
        var policy = VerificationPolicy(profile: directory.profile ?? .strict)
        policy.minimumClock = .unset
        verifier = Verifier(trust: directory.store, policy: policy)
        examine()
    }

    private mutating func examine() {
        if let edition = store.edition {
            switch edition.age(at: clock.utc) {
            case .fresh: break
            case .overdue:
                note(edition.name, "is past \(edition.validUntil.rfc3339); import the next bundle", isOver: true)
            case .stale: note(edition.name, "was valid until \(edition.validUntil.rfc3339): nobody is let in by it")
            }
        }
        let issuers = store.listedIssuers
        if issuers.isEmpty { note("issuers.toml", "lists nobody: nobody is trusted") }
        for issuer in issuers { examine(issuer) }
        for root in store.rootIDs { examine(root: root, issuers) }
        for root in store.listedRoots where root.notAfter <= clock.utc {
            note(root.name, "is a root that ended on \(root.notAfter.rfc3339)", isOver: true)
        }
        for url in Set(issuers.flatMap(\.statusLists) + store.statusListURLs).sorted() { examineList(url) }
        var calendar = ExpiryCalendar()
        _ = calendar.look(Expiries.trust(verifier, fetchedFrom: nil), at: clock.utc)
        notes += calendar.warnings.filter { $0.step != .ended }.map {
            Finding(subject: $0.expiry.name.string, message: "\($0.expiry.kind.words) ends on \($0.expiry.endWords)")
        }
    }

    private mutating func examine(_ issuer: TrustedIssuer) {
        let id = issuer.id.string
        if !issuer.isValid(at: clock.utc) {
            note(id, "is not trusted at this date", isOver: issuer.notAfter.map { $0 <= clock.utc } ?? false)
        }
        if issuer.isRoot {
            if !store.rootIDs.contains(issuer.id) { note(id, "has no certificate in roots/") }
        } else {
            // Whose entry names a root may be known by certificates alone.
            let isCertified = !issuer.roots.isEmpty && store.keys(of: issuer.id) == nil
            for holder in (isCertified ? [] : [issuer.id]) + issuer.controllers { examineKeys(of: holder, for: issuer) }
        }
        for root in issuer.roots where !store.rootIDs.contains(root) {
            note(id, "names the root \(root), which is not in roots/")
        }
        for context in issuer.contexts ?? [] where !store.pins(context) {
            note(id, "may use the context \(context), which is not pinned")
        }
    }

    /// For whom a root speaks, besides signers of mdocs.
    private mutating func examine(root: Text, _ issuers: [TrustedIssuer]) {
        let named = issuers.filter { !$0.isRoot && $0.roots.contains(root) }.map(\.id)
        if named.count > 1 {
            note(
                root.string,
                "speaks for more than one issuer (\(named.map(\.string).joined(separator: ", "))): a certificate below it that "
                    + "names nobody signs for each of them")
        }
        guard named.isEmpty, store.issuer(root) == nil else { return }
        notes.append(
            Finding(
                subject: root.string,
                message:
                    "vouches for mdoc document signers only; to let it sign the tokens of an issuer, write into its "
                    + "[[issuer]]: \(ReasonDetail.line([root]))"))
    }

    private mutating func examineKeys(of holder: Text, for issuer: TrustedIssuer) {
        guard let keys = store.keys(of: holder) else {
            let orRoot = holder == issuer.id ? ", and its entry names no root" : ""
            return note(holder.string, "has no document in did/\(orRoot): none of its keys is known")
        }
        if !keys.contains(where: { $0.fingerprint != nil && $0.revoked == nil }) {
            note(holder.string, "has no key that can be used")
        }
        guard let maxAge = issuer.documentMaxAge, store.document(holder) != nil else { return }
        if let date = store.confirmed(holder), clock.utc <= date.advanced(by: maxAge) { return }
        note(holder.string, "has a document older than \(DurationText.write(maxAge)): its keys are not believed")
    }

    private mutating func examineList(_ url: Text) {
        guard let list = store.statusList(url) else { return note(url.string, "is not stored yet") }
        guard let resource = RefreshResource.statusList(url) else { return }
        do { try verifier.check(list, for: resource, fetched: store.listFetched(url), at: clock) } catch {
            if case .statusList(let code) = error { note(url.string, "is of no use: \(code.text)") }
        }
    }

    private mutating func note(_ subject: String, _ message: String, isOver: Bool = false) {
        findings.append(Finding(subject: subject, message: message, isOver: isOver))
    }

    // MARK: - For people

    /// What is trusted, a line each, indented below its issuer.
    package var lines: [String] {
        var lines = ["\(store.version)" + (store.edition.map { ", valid until \($0.validUntil.rfc3339)" } ?? "")]
        for issuer in store.listedIssuers {
            lines.append("issuer \(issuer.id)")
            for (name, values) in parts(of: issuer) where !values.isEmpty {
                lines.append("  \(name): \(values.joined(separator: ", "))")
            }
            for holder in [issuer.id] + issuer.controllers {
                for key in store.keys(of: holder) ?? [] { lines.append("  key \(key.method) \(Self.describe(key))") }
                if let date = store.confirmed(holder) {
                    lines.append("  document \(holder) of \(date.rfc3339) (\(age(since: date)))")
                }
            }
        }
        for id in store.rootIDs { lines.append("root \(id)") }
        for url in store.statusListURLs {
            let date = store.confirmed(url).map { " of \($0.rfc3339) (\(age(since: $0)))" }
            lines.append("status list \(url)\(date ?? "")")
        }
        for url in store.contextURLs { lines.append("context \(url)") }
        return lines
    }

    private func parts(of issuer: TrustedIssuer) -> [(name: String, values: [String])] {
        func only(_ values: [Text]?) -> [String] { values.map { $0.isEmpty ? ["none"] : $0.map(\.string) } ?? [] }
        return [
            ("groups", issuer.groups.map(\.string)), ("types", only(issuer.types)),
            ("contexts", only(issuer.contexts)), ("only keys", issuer.keys?.map(\.text) ?? []),
            ("roots", issuer.roots.map(\.string)),
            ("token signer usages", only(issuer.tokenSignerUsages?.map(\.text))),
            ("document signer usages", issuer.documentSignerUsages.map(\.text.string)),
            ("issuing country", issuer.anyIssuingCountry ? ["any"] : []),
            ("from", [issuer.notBefore?.rfc3339].compactMap(\.self)),
            ("until", [issuer.notAfter?.rfc3339].compactMap(\.self)),
            ("key purpose", issuer.keyPurpose == .didWide ? [issuer.keyPurpose.rawValue] : []),
        ]
    }

    private static func describe(_ key: TrustStore.ListedKey) -> String {
        (key.fingerprint?.text ?? "unusable") + (key.revoked.map { " \($0.rawValue)" } ?? "")
    }

    private func age(since date: Timestamp) -> String {
        let seconds = max(0, clock.utc.seconds - date.seconds)
        return seconds < 86_400 ? "\(seconds / 3600) h old" : "\(seconds / 86_400) days old"
    }

    // MARK: - For machines

    /// The same as one JSON object.
    package var json: JSON {
        var json: JSONObject = ["version": .text(store.version)]
        if let edition = store.edition {
            json["bundle"] = [
                "version": .int(edition.version), "issued": .text(edition.issued.rfc3339),
                "validUntil": .text(edition.validUntil.rfc3339),
                "graceSeconds": .int(Int(edition.grace.components.seconds)),
                "state": .text("\(edition.age(at: clock.utc))"),
            ]
        }
        json["issuers"] = .array(store.listedIssuers.map(json(of:)))
        json["documents"] = .array(store.documentIDs.map { dated("id", $0) })
        json["statusLists"] = .array(store.statusListURLs.map { dated("url", $0) })
        json["roots"] = .array(store.rootIDs.map { .string($0) })
        json["contexts"] = .array(store.contextURLs.map { .string($0) })
        for (name, list) in [("findings", findings), ("notes", notes)] as [(Text, [Finding])] {
            json[name] = .array(list.map { ["subject": .text($0.subject), "message": .text($0.message)] })
        }
        return .object(json)
    }

    private func dated(_ name: Text, _ id: Text) -> JSON {
        var json = JSONObject()
        json[name] = .string(id)
        if let date = store.confirmed(id) { json["confirmed"] = .text(date.rfc3339) }
        return .object(json)
    }

    private func json(of issuer: TrustedIssuer) -> JSON {
        func list(_ texts: [Text]) -> JSON { .array(texts.map { .string($0) }) }
        var json: JSONObject = [
            "id": .string(issuer.id), "trusted": .bool(issuer.isValid(at: clock.utc)), "groups": list(issuer.groups),
        ]
        if let types = issuer.types { json["types"] = list(types) }
        if let contexts = issuer.contexts { json["contexts"] = list(contexts) }
        if !issuer.roots.isEmpty { json["roots"] = list(issuer.roots) }
        if let from = issuer.notBefore { json["validFrom"] = .text(from.rfc3339) }
        if let until = issuer.notAfter { json["validUntil"] = .text(until.rfc3339) }
        json["keys"] = .array(
            ([issuer.id] + issuer.controllers).flatMap { store.keys(of: $0) ?? [] }.map { key in
                var json: JSONObject = ["method": .string(key.method)]
                if let fingerprint = key.fingerprint { json["sha256"] = .text(Hex.encode(fingerprint.bytes)) }
                if let revoked = key.revoked { json["revoked"] = .text(revoked.rawValue) }
                return .object(json)
            })
        return .object(json)
    }
}
