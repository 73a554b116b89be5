package import Credentials
package import Encoding
import Kiosk
import Reasons

/// A description of the trust data, with their ages and problems, for `gatehouse trust list` and `gatehouse trust
/// verify`.
package struct TrustReport: Sendable {
    /// A problem that a person should solve, or a fact that a person should know.
    package struct Finding: Hashable, Sendable {
        /// What the problem concerns: the id of an issuer, a URL or the name of a bundle.
        package let subject: String
        /// The problem or fact, in plain words.
        package let message: String
        /// Whether the problem is only that something has expired, which ``Expiries`` also reports.
        package var isOver = false
    }

    /// The problems at the date, beginning with the most severe for the gate.
    package private(set) var findings: [Finding] = []
    /// Facts that are no problems but may surprise a reader.
    package private(set) var notes: [Finding] = []
    private let directory: TrustDirectory
    private let verifier: Verifier
    private let clock: WallTime
    private let rules: RulesInForce

    private var store: TrustStore { directory.store }

    /// The ``Finding/subject`` of a problem with the rules as a whole.
    package static let policy = "policy"

    /// Examines the trust data and the rules in force at the date `clock`. `policy` is the policy by which
    /// credentials are verified.
    package init(
        _ directory: TrustDirectory, rules: RulesInForce, under policy: VerificationPolicy = .init(), at clock: WallTime
    ) {
        (self.directory, self.rules, self.clock) = (directory, rules, clock)
        var policy = policy
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
            case .stale:
                note(edition.name, "was valid until \(edition.validUntil.rfc3339): the gate opens for no credential")
            }
        }
        examineRules()
        let issuers = store.listedIssuers
        if issuers.isEmpty { note("issuers.toml", "lists no issuer: no issuer is trusted") }
        for issuer in issuers { examine(issuer) }
        for root in store.listedRoots { examine(root) }
        for root in store.listedRoots where root.notAfter <= clock.utc {
            note(root.name, "is a root that ended on \(root.notAfter.rfc3339)", isOver: true)
        }
        for url in Set(issuers.flatMap(\.statusLists) + store.statusListURLs).sorted() { examineList(url) }
        notes += store.unknownWithdrawals.map { url in
            Finding(
                subject: url.string,
                message:
                    "is revoked, and no stored document has a key with this name: if the issuer has renamed it, "
                    + "revoke the key by its SHA-256")
        }
        var calendar = ExpiryCalendar()
        _ = calendar.look(Expiries.trust(verifier, fetchedFrom: nil), at: clock.utc)
        notes += calendar.warnings.filter { $0.step != .ended }.map {
            Finding(subject: $0.expiry.name.string, message: "\($0.expiry.kind.words) ends on \($0.expiry.endWords)")
        }
    }

    private mutating func examineRules() {
        if let problem = rules.problem { note(Self.policy, "cannot be used: \(problem.summary)") }
        guard let rules = rules.rules, let end = rules.validUntil, end <= clock.utc else { return }
        note(rules.name, "ended on \(end.rfc3339): the gate opens for no credential", isOver: true)
    }

    private mutating func examine(_ issuer: TrustedIssuer) {
        let id = issuer.id.string
        if !issuer.isValid(at: clock.utc) {
            note(id, "is not trusted at this date", isOver: issuer.notAfter.map { $0 <= clock.utc } ?? false)
        }
        if issuer.isRoot {
            if !store.rootIDs.contains(issuer.id) { note(id, "has no certificate in roots/") }
        } else {
            // An issuer whose entry names roots may have only certificates, and no document.
            let isCertified = !issuer.roots.isEmpty && store.keys(of: issuer.id) == nil
            for holder in (isCertified ? [] : [issuer.id]) + issuer.controllers { examineKeys(of: holder, for: issuer) }
        }
        for root in issuer.roots where !store.rootIDs.contains(root) {
            note(id, "names the root \(root), which is not in roots/")
        }
        for context in issuer.contexts ?? [] where !store.pins(context) {
            note(id, "may use the context \(context), which is not pinned")
        }
        if issuer.types == nil, !issuer.isRoot { noteUntyped(id, "write into its [[issuer]]: types = [\"…\"]") }
    }

    /// Adds a text about an issuer whose entry has no types: to ``notes`` if all accept rules name what they admit,
    /// otherwise to ``findings``.
    private mutating func noteUntyped(_ id: String, _ line: String) {
        let accept = rules.rules?.accept ?? []
        let isSaid = !accept.isEmpty && accept.allSatisfy(\.namesWhatAdmits)
        let now =
            switch (isSaid, store.untypedIssuers) {
            case (true, _): "only rules that name types admit its credentials"
            case (_, .refuse): "its credentials are rejected"
            case (_, .warn), (_, .admit):
                "its credentials are admitted with a warning, and rejected from version "
                    + "0.2.0 on"
            }
        let finding = Finding(
            subject: id,
            message: "has no types: \(now); \(line) (gatehouse trust needs FILE prints the line)")
        if isSaid { notes.append(finding) } else { findings.append(finding) }
    }

    /// Examines which credentials a root certificate may sign.
    private mutating func examine(_ root: TrustStore.ListedRoot) {
        let id = root.id.string
        let use = store.use(of: root)
        if use.tokens.count > 1 {
            note(
                id,
                "is named by more than one issuer (\(use.tokens.map(\.string).joined(separator: ", "))): a "
                    + "certificate below it that names no issuer signs for each of them")
        }
        for issuer in use.misnamed {
            note(
                id,
                "is a signer's certificate that is not for tokens, and the [[issuer]] \(issuer) names it: remove it "
                    + "there, or list its extendedKeyUsage in token-signer-usages")
        }
        if use.docTypes == [], use.tokens.isEmpty, use.misnamed.isEmpty {
            let why = store.issuer(root.id) == nil ? "no [[issuer]] names it" : "its [[issuer]] has no types"
            note(id, "may not sign anything here: \(why)")
        }
        if use.docTypes == nil {
            let line =
                store.issuer(root.id) == nil
                ? "write [[issuer]] id = \"\(id)\", types" : "write into its [[issuer]]: types"
            noteUntyped(id, "\(line) = [\"…\"] with the docTypes of its mdocs")
        }
        guard use.tokens.isEmpty, use.misnamed.isEmpty, store.issuer(root.id) == nil else { return }
        notes.append(
            Finding(
                subject: id,
                message:
                    "vouches for mdoc document signers only; to let it sign the tokens of an issuer, write into its "
                    + "[[issuer]]: \(ReasonDetail.line([root.id]))"))
    }

    private mutating func examineKeys(of holder: Text, for issuer: TrustedIssuer) {
        guard let keys = store.keys(of: holder) else {
            let orRoot = holder == issuer.id ? ", and its entry names no root" : ""
            return note(holder.string, "has no document in did/\(orRoot): none of its keys is known")
        }
        if !keys.contains(where: { $0.fingerprint != nil && $0.revoked == nil }) {
            note(holder.string, "has no usable key")
        }
        guard let maxAge = issuer.documentMaxAge, store.document(holder) != nil else { return }
        if let date = store.confirmed(holder), clock.utc <= date.advanced(by: maxAge) { return }
        note(holder.string, "has a document older than \(DurationText.write(maxAge)): its keys are not trusted")
    }

    private mutating func examineList(_ url: Text) {
        guard let list = store.statusList(url) else { return note(url.string, "is not stored yet") }
        guard let resource = RefreshResource.statusList(url) else { return }
        do { try verifier.check(list, for: resource, fetched: store.listFetched(url), at: clock) } catch {
            if case .statusList(let code) = error { note(url.string, "is not usable: \(code.text)") }
        }
    }

    private mutating func note(_ subject: String, _ message: String, isOver: Bool = false) {
        findings.append(Finding(subject: subject, message: message, isOver: isOver))
    }

    // MARK: - Text output

    /// The description of the trust data as lines, one for each item. The items of an issuer are indented below it.
    package var lines: [String] {
        var lines = ["\(store.version)" + (store.edition.map { ", valid until \($0.validUntil.rfc3339)" } ?? "")]
        lines += [policyLine, "profile \(verifier.profile.rawValue)"]
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
        for root in store.listedRoots { lines.append("root \(root.id): \(words(of: store.use(of: root)))") }
        for url in store.statusListURLs {
            let date = store.confirmed(url).map { " of \($0.rfc3339) (\(age(since: $0)))" }
            lines.append("status list \(url)\(date ?? "")")
        }
        for url in store.contextURLs { lines.append("context \(url)") }
        return lines
    }

    /// The description of the rules in force, as one line.
    package var policyLine: String { "policy \(rules.line)" }

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
            ("controllers", issuer.controllers.map(\.string)),
            ("status issuers", issuer.statusIssuers.map(\.string)), ("status lists", issuer.statusLists.map(\.string)),
            (
                "status list aliases",
                issuer.statusListAliases.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" }
            ),
            ("unchecked status types", issuer.uncheckedStatusTypes.map(\.string)),
            ("document max age", [issuer.documentMaxAge.map(DurationText.write)].compactMap(\.self)),
            ("pinned documents", issuer.pinnedDocuments.keys.sorted().map(\.string)),
            (
                "allows",
                [
                    (issuer.inlineContexts, "inline contexts"), (issuer.mayWithholdExpiry, "withheld expiry"),
                    (issuer.mayWithholdStatus, "withheld status"), (issuer.takesArraysWhole, "arrays taken whole"),
                    (issuer.plainSDJWT, "plain SD-JWTs"), (issuer.vouchesForEmbedded, "embedded claims"),
                ].filter(\.0).map(\.1)
            ),
        ]
    }

    private func words(of use: TrustStore.RootUse) -> String {
        let mdocs = use.docTypes.map { $0.isEmpty ? [] : ["mdocs " + $0.map(\.string).joined(separator: ", ")] }
        let uses = use.tokens.map { "tokens of \($0)" } + (mdocs ?? ["mdocs of any docType"])
        return uses.isEmpty ? "signs nothing" : uses.joined(separator: "; ")
    }

    private static func describe(_ key: TrustStore.ListedKey) -> String {
        (key.fingerprint?.text ?? "unusable") + (key.revoked.map { " \($0.rawValue)" } ?? "")
    }

    private func age(since date: Timestamp) -> String {
        let seconds = max(0, clock.utc.seconds - date.seconds)
        return seconds < 86_400 ? "\(seconds / 3600) h old" : "\(seconds / 86_400) days old"
    }

    // MARK: - JSON output

    /// The report as a JSON object.
    package var json: JSON {
        var json: JSONObject = [
            "version": .text(store.version), "untypedIssuers": .text(store.untypedIssuers.rawValue),
        ]
        if let edition = store.edition {
            json["bundle"] = [
                "version": .int(edition.version), "issued": .text(edition.issued.rfc3339),
                "validUntil": .text(edition.validUntil.rfc3339),
                "graceSeconds": .int(Int(edition.grace.components.seconds)),
                "state": .text("\(edition.age(at: clock.utc))"),
            ]
        }
        for member in rules.members { json[member.name] = member.value }
        json["profile"] = .text(verifier.profile.rawValue)
        json["issuers"] = .array(store.listedIssuers.map(json(of:)))
        json["documents"] = .array(store.documentIDs.map { dated("id", $0) })
        json["statusLists"] = .array(store.statusListURLs.map { dated("url", $0) })
        json["roots"] = .array(store.rootIDs.map { .string($0) })
        json["rootUses"] = .array(store.listedRoots.map { Self.json(of: store.use(of: $0), $0.id) })
        json["contexts"] = .array(store.contextURLs.map { .string($0) })
        for (name, list) in [("findings", findings), ("notes", notes)] as [(Text, [Finding])] {
            json[name] = .array(list.map { ["subject": .text($0.subject), "message": .text($0.message)] })
        }
        return .object(json)
    }

    private static func json(of use: TrustStore.RootUse, _ id: Text) -> JSON {
        var json: JSONObject = ["id": .string(id), "tokens": .array(use.tokens.map { .string($0) })]
        if let types = use.docTypes { json["docTypes"] = .array(types.map { .string($0) }) }
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
        json["settings"] = .object(
            JSONObject(
                parts(of: issuer).filter { !$0.values.isEmpty }.map { part in
                    JSONObject.Member(Text(part.name), .array(part.values.map { .text($0) }))
                }))
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
