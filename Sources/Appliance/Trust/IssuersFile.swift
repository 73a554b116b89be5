import Credentials
import Encoding

/// `issuers.toml`: who is trusted, and how far.
///
/// ```toml
/// profile = "strict"              # or "compat": how credentials are read unless the policy or --profile says otherwise
///
/// [[issuer]]
/// id = "did:web:issuer.example"   # required: the id that credentials name; of a root in roots/: "x509:sha256:<hex>"
/// groups = ["works"]              # what policies call group:works
/// types = []                      # if given, all it may issue: type IRIs, vct, docType
/// contexts = []                   # if given, all contexts that its linked-data credentials may use, by URL
/// valid-from = "2026-01-01T00:00:00Z"
/// valid-until = "2028-01-01T00:00:00Z"
/// controllers = []                # other ids whose keys may sign for it
/// keys = ["sha256:…"]             # if given, the only keys that may sign for it
/// roots = ["x509:sha256:…"]       # the roots in roots/ that may stand behind the certificates of its tokens; else none may
/// token-signer-usages = ["1.3.…"] # if given, the extended key usages that these certificates may have
/// document-signer-usages = []     # in the entry of a root: further usages of signers of mdocs
/// issuing-country = "signer"      # in the entry of a root; or "any": mdocs may name another country than their signer's
/// key-purpose = "strict"          # or "did-wide": assertionMethod names only the bare DID
/// inline-contexts = "forbid"      # or "allow": its credentials may bring contexts of their own
/// status-issuers = []             # other ids that may sign its status lists
/// status-lists = []               # lists that the refresher keeps, by URL
/// status-list-aliases = {}        # "URL that credentials name" = "id that the list has"
/// withheld-expiry = "forbid"      # or "allow": what is shown in part may leave out from when and until when it is valid
/// withheld-status = "forbid"      # or "allow": and its status, or a part of it, although lists are kept
/// document-max-age = "30d"        # older stored documents are no longer believed
/// documents = [{ id = "did:web:issuer.example", sha256 = "…", fetched = "2026-05-01T00:00:00Z" }]
/// revoked-keys = [{ key = "did:web:issuer.example#1", since = "2026-05-01T00:00:00Z", reason = "compromised" }]
/// ```
///
/// Dates may stand in quotes or not. `documents` pins stored documents by hash and says, where no refresher does, when they
/// were fetched; each part may be left out. A key is named by its URL or by the SHA-256 of its SubjectPublicKeyInfo. `reason` is `compromised`, unless told: nothing
/// that the key ever signed is accepted, as whoever has it can write any date; or `retired`: what was issued before stays
/// good. `revoked-keys` may also stand at the top of the file. A withdrawn key is withdrawn for everybody.
struct IssuersFile {
    static let name = "issuers.toml"

    private(set) var profile: Profile?
    private(set) var issuers: [TrustedIssuer] = []
    private(set) var revokedKeys: [RevokedKey] = []
    /// Document id → when it was fetched.
    private(set) var fetched: [Text: Timestamp] = [:]
    private(set) var problems: [TrustDirectoryError.Problem] = []

    init(_ bytes: [UInt8]) {
        let root: TOMLTable
        do {
            root = try TOML.parse(bytes)
        } catch {
            note(error.line, error.message, "See the example of the manual for the form of this file.")
            return
        }
        for entry in root.entries {
            switch entry.name {
            case "profile":
                profile = entry.value.string.flatMap { Profile(rawValue: $0.string) }
                if profile == nil { note(entry.line, "profile must be a word", "Write \"strict\" or \"compat\".") }
            case "revoked-keys": readRevokedKeys(entry)
            case "issuer":
                guard let tables = entry.value.array?.map(\.table), !tables.contains(nil) else {
                    note(entry.line, "issuer must be a list of sections", "Write [[issuer]] with two brackets.")
                    continue
                }
                for table in tables.compactMap(\.self) { read(table, line: entry.line) }
            default: noteUnknown(entry, Self.forms.map(\.key).joined(separator: ", "))
            }
        }
    }

    private mutating func read(_ table: TOMLTable, line: Int) {
        guard let id = table["id"]?.string, !id.isEmpty else {
            let line = table.entries.first?.line ?? line
            return note(line, "an [[issuer]] has no id", "Write id = \"did:web:…\": the id that its credentials name.")
        }
        var issuer = TrustedIssuer(id: id)
        for entry in table.entries where entry.name != "id" { read(entry, into: &issuer) }
        let line = table.entry("id")?.line
        if issuers.contains(where: { $0.id == id }) {
            note(line, "the issuer \(id) is listed twice", "Keep one section for each id.")
        }
        if let from = issuer.notBefore, let until = issuer.notAfter, until <= from {
            note(line, "the issuer \(id) is trusted at no time", "valid-until must be after valid-from.")
        }
        if id.hasPrefix(TrustedIssuer.rootPrefix) { checkRoot(id, line) }
        issuers.append(issuer)
    }

    private mutating func read(_ entry: TOMLTable.Entry, into issuer: inout TrustedIssuer) {
        switch entry.name {
        case "groups": issuer.groups = texts(entry)
        case "types": issuer.types = texts(entry)
        case "contexts": issuer.contexts = texts(entry)
        case "controllers": issuer.controllers = texts(entry)
        case "status-issuers": issuer.statusIssuers = texts(entry)
        case "status-lists":
            issuer.statusLists = texts(entry)
            for url in issuer.statusLists where WebAddress(url) == nil {
                note(entry.line, "\(url) is no https URL", "Write the URL by which credentials name the list.")
            }
        case "status-list-aliases":
            for alias in entry.value.table?.entries ?? [] {
                if let id = alias.value.string {
                    issuer.statusListAliases[alias.name] = id
                } else {
                    note(entry.line, "\(alias.name) has no alias", "Write { \"URL\" = \"id in the list\" }.")
                }
            }
            if entry.value.table == nil {
                note(entry.line, "status-list-aliases must be a table", "Write { \"URL\" = \"id in the list\" }.")
            }
        case "withheld-expiry": issuer.mayWithholdExpiry = isAllowed(entry)
        case "withheld-status": issuer.mayWithholdStatus = isAllowed(entry)
        case "valid-from": issuer.notBefore = date(entry)
        case "valid-until": issuer.notAfter = date(entry)
        case "keys":
            issuer.keys = texts(entry).compactMap { text in
                let key = KeyFingerprint(text)
                if key == nil { noteFingerprint(entry.line, text) }
                return key
            }
        case "roots":
            issuer.roots = texts(entry)
            for root in issuer.roots { checkRoot(root, entry.line) }
        case "token-signer-usages": issuer.tokenSignerUsages = usages(entry)
        case "document-signer-usages":
            issuer.documentSignerUsages = usages(entry)
            checkIsRoot(issuer, entry)
        case "issuing-country":
            checkIsRoot(issuer, entry)
            switch entry.value.string {
            case "any": issuer.anyIssuingCountry = true
            case "signer": issuer.anyIssuingCountry = false
            default: note(entry.line, "issuing-country must be a word", "Write \"signer\" or \"any\".")
            }
        case "document-max-age":
            issuer.documentMaxAge = entry.value.string.flatMap { DurationText.parse($0.string) }
            if issuer.documentMaxAge == nil {
                note(entry.line, "document-max-age must be a duration", "Write for example \"30d\".")
            }
        case "documents": readDocuments(entry, into: &issuer)
        case "revoked-keys": readRevokedKeys(entry)
        case "key-purpose":
            switch entry.value.string {
            case "strict": issuer.keyPurpose = .strict
            case "did-wide": issuer.keyPurpose = .didWide
            default: note(entry.line, "key-purpose must be a word", "Write \"strict\" or \"did-wide\".")
            }
        case "inline-contexts":
            switch (entry.value.string, entry.value.boolean) {
            case ("allow", _), (_, true): issuer.inlineContexts = true
            case ("forbid", _), (_, false): issuer.inlineContexts = false
            default: note(entry.line, "inline-contexts must be a word", "Write \"allow\" or \"forbid\".")
            }
        default: noteUnknown(entry, Self.issuerForms.map(\.key).joined(separator: ", "))
        }
    }

    private mutating func isAllowed(_ entry: TOMLTable.Entry) -> Bool {
        switch entry.value.string {
        case "allow": return true
        case "forbid": return false
        default:
            note(entry.line, "\(entry.name) must be a word", "Write \"allow\" or \"forbid\".")
            return false
        }
    }

    private mutating func checkRoot(_ id: Text, _ line: Int?) {
        let digits = id.string.dropFirst(TrustedIssuer.rootPrefix.utf8.count)
        guard id.hasPrefix(TrustedIssuer.rootPrefix), Hex.decode(digits)?.count == 32, digits == digits.lowercased()
        else { return note(line, "\(id) names no root", "Write x509:sha256: and 64 lower-case hexadecimal digits.") }
    }

    /// Mdocs name no issuer but the root behind their signers.
    private mutating func checkIsRoot(_ issuer: TrustedIssuer, _ entry: TOMLTable.Entry) {
        if issuer.isRoot { return }
        note(
            entry.line, "\(entry.name) is for mdocs, and \(issuer.id) is no root",
            "Write it into the [[issuer]] whose id is x509:sha256:… of the root.")
    }

    private mutating func usages(_ entry: TOMLTable.Entry) -> [KeyPurposeID] {
        texts(entry).compactMap { text in
            guard let usage = KeyPurposeID(text) else {
                note(entry.line, "\(text) is no extended key usage", "Write its numbers: \"1.0.18013.5.1.2\".")
                return nil
            }
            if usage.isForConnections {
                note(entry.line, "\(text) is the usage of a TLS key", "Such keys sign no credentials: remove it.")
            }
            return usage
        }
    }

    // MARK: - Documents and keys

    private mutating func readDocuments(_ entry: TOMLTable.Entry, into issuer: inout TrustedIssuer) {
        for table in tables(entry, "[{ id = \"did:…\", sha256 = \"…\" }]") {
            guard let id = table["id"]?.string else {
                note(entry.line, "a document has no id", "Write id = \"did:web:…\".")
                continue
            }
            for part in table.entries where part.name != "id" {
                switch part.name {
                case "sha256":
                    if let digest = part.value.string.flatMap({ Hex.decode($0.string) }), digest.count == 32 {
                        issuer.pinnedDocuments[id] = digest
                    } else {
                        note(part.line, "sha256 must be 64 hexadecimal digits", "See sha256sum of the document's file.")
                    }
                case "fetched": fetched[id] = date(part)
                default: noteUnknown(part, "id, sha256 or fetched")
                }
            }
        }
    }

    private mutating func readRevokedKeys(_ entry: TOMLTable.Entry) {
        for table in tables(entry, "[{ key = \"did:…#…\", since = \"2026-05-01T00:00:00Z\" }]") {
            for part in table.entries where !["key", "since", "reason"].contains(part.name) {
                noteUnknown(part, "key, since or reason")
            }
            guard let name = table["key"]?.string, let since = table.entry("since") else {
                note(entry.line, "a revoked key needs key and since", "Name the key by its URL or as sha256:….")
                continue
            }
            let reason = table["reason"].map { $0.string.flatMap { RevokedKey.Reason(rawValue: $0.string) } }
            if case .some(.none) = reason {
                note(entry.line, "reason must be a word", "Write \"compromised\" or \"retired\".")
            }
            guard let since = date(since) else { continue }
            let key: RevokedKey.Key
            if name.hasPrefix("sha256:") {
                guard let fingerprint = KeyFingerprint(name) else {
                    noteFingerprint(entry.line, name)
                    continue
                }
                key = .fingerprint(fingerprint)
            } else {
                key = .method(name)
            }
            revokedKeys.append(RevokedKey(key, since: since, reason: (reason ?? nil) ?? .compromised))
        }
    }

    // MARK: - Values

    private mutating func texts(_ entry: TOMLTable.Entry) -> [Text] {
        let texts = entry.value.array?.map(\.string) ?? [nil]
        if texts.contains(nil) {
            note(entry.line, "\(entry.name) must be a list of texts", "Write [\"did:…\", \"did:…\"].")
        }
        return texts.compactMap(\.self)
    }

    private mutating func tables(_ entry: TOMLTable.Entry, _ example: String) -> [TOMLTable] {
        let tables = entry.value.array?.map(\.table) ?? [nil]
        if tables.contains(nil) { note(entry.line, "\(entry.name) must be a list of tables", "Write \(example).") }
        return tables.compactMap(\.self)
    }

    private mutating func date(_ entry: TOMLTable.Entry) -> Timestamp? {
        var text = entry.value.string
        if case .dateTime(let written) = entry.value { text = written }
        let date = text.flatMap { Timestamp(rfc3339: $0.string) }
        if date == nil { note(entry.line, "\(entry.name) must be a date", "Write \"2026-05-01T00:00:00Z\".") }
        return date
    }

    private mutating func noteFingerprint(_ line: Int, _ text: Text) {
        note(
            line, "\(text) is no key's hash", "Write sha256: and 64 hexadecimal digits, as gatehouse trust list shows.")
    }

    private mutating func noteUnknown(_ entry: TOMLTable.Entry, _ known: String) {
        note(entry.line, "\(entry.name) is not a known key", "Remove it, or write \(known).")
    }

    private mutating func note(_ line: Int?, _ message: String, _ remedy: String) {
        problems.append(.init(file: Self.name, line: line, message: message, remedy: remedy))
    }
}
