import Credentials
import Encoding

/// Reads values of `issuers.toml`. An invalid value is noted as a problem.
extension IssuersFile {
    mutating func texts(_ entry: TOMLTable.Entry) -> [Text] {
        let texts = entry.value.array?.map(\.string) ?? [nil]
        if texts.contains(nil) {
            note(entry.line, "\(entry.name) must be a list of texts", "Write [\"did:…\", \"did:…\"].")
        }
        return texts.compactMap(\.self)
    }

    /// Reads a value that must be one of several words. Notes a problem and returns nil for any other value.
    mutating func word<Value>(_ entry: TOMLTable.Entry, _ words: KeyValuePairs<Text, Value>) -> Value? {
        if let found = words.first(where: { $0.key == entry.value.string }) { return found.value }
        let known = words.map { "\"\($0.key)\"" }.joined(separator: " or ")
        note(entry.line, "\(entry.name) must be a word", "Write \(known).")
        return nil
    }

    mutating func isAllowed(_ entry: TOMLTable.Entry) -> Bool {
        word(entry, ["allow": true, "forbid": false]) ?? false
    }

    mutating func flag(_ entry: TOMLTable.Entry) -> Bool {
        if entry.value.boolean == nil {
            note(entry.line, "\(entry.name) must be true or false", "Write true or false.")
        }
        return entry.value.boolean ?? false
    }

    mutating func date(_ entry: TOMLTable.Entry) -> Timestamp? {
        var text = entry.value.string
        if case .dateTime(let written) = entry.value { text = written }
        let date = text.flatMap { Timestamp(rfc3339: $0.string) }
        if date == nil { note(entry.line, "\(entry.name) must be a date", "Write \"2026-05-01T00:00:00Z\".") }
        return date
    }

    mutating func aliases(_ entry: TOMLTable.Entry) -> [Text: Text] {
        let form = "Write { \"URL\" = \"id in the list\" }."
        if entry.value.table == nil { note(entry.line, "\(entry.name) must be a table", form) }
        var aliases: [Text: Text] = [:]
        for alias in entry.value.table?.entries ?? [] {
            aliases[alias.name] = alias.value.string
            if alias.value.string == nil { note(entry.line, "\(alias.name) has no alias", form) }
        }
        return aliases
    }

    // MARK: - Keys and roots

    mutating func fingerprints(_ entry: TOMLTable.Entry) -> [KeyFingerprint] {
        texts(entry).compactMap { fingerprint($0, entry.line) }
    }

    private mutating func fingerprint(_ text: Text, _ line: Int) -> KeyFingerprint? {
        let key = KeyFingerprint(text)
        if key == nil {
            let remedy = "Write sha256: and 64 hexadecimal digits, as gatehouse trust list shows."
            note(line, "\(text) is not the hash of a key", remedy)
        }
        return key
    }

    mutating func usages(_ entry: TOMLTable.Entry) -> [KeyPurposeID] {
        texts(entry).compactMap { text in
            guard let usage = KeyPurposeID(text) else {
                note(entry.line, "\(text) is not an extended key usage", "Write its numbers: \"1.0.18013.5.1.2\".")
                return nil
            }
            if usage.isForConnections {
                note(entry.line, "\(text) is the usage of a TLS key", "Such keys sign no credentials: remove it.")
            }
            return usage
        }
    }

    mutating func checkRoot(_ id: Text, _ line: Int?) {
        let digits = id.string.dropFirst(TrustedIssuer.rootPrefix.utf8.count)
        guard id.hasPrefix(TrustedIssuer.rootPrefix), Hex.decode(digits)?.count == 32, digits == digits.lowercased()
        else {
            return note(
                line, "\(id) is not the id of a root",
                "Write x509:sha256: and 64 lower-case hexadecimal "
                    + "digits.")
        }
    }

    /// Notes a problem with a key unless the issuer is a root. The key is for mdocs, and an mdoc names no issuer but
    /// only the root of its signers.
    mutating func checkIsRoot(_ issuer: TrustedIssuer, _ entry: TOMLTable.Entry) {
        if issuer.isRoot { return }
        note(
            entry.line, "\(entry.name) is for mdocs, and \(issuer.id) is not a root",
            "Write it into the [[issuer]] whose id is x509:sha256:… of the root.")
    }

    // MARK: - Tables

    mutating func readDocuments(_ entry: TOMLTable.Entry, into issuer: inout TrustedIssuer) {
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

    /// Reads withdrawn keys. With the reason `compromised`, which is the default, all signatures of the key are
    /// rejected, because a thief can write any date. With `retired`, credentials that were issued before the date
    /// stay valid. A withdrawn key is withdrawn for all issuers.
    mutating func readRevokedKeys(_ entry: TOMLTable.Entry) {
        for table in tables(entry, "[{ key = \"did:…#…\", since = \"2026-05-01T00:00:00Z\" }]") {
            for part in table.entries where !["key", "since", "reason"].contains(part.name) {
                noteUnknown(part, "key, since or reason")
            }
            guard let name = table["key"]?.string, let since = table.entry("since") else {
                note(entry.line, "a revoked key needs key and since", "Name the key by its URL or as sha256:….")
                continue
            }
            var reason = RevokedKey.Reason.compromised
            if let written = table.entry("reason") {
                reason = word(written, ["compromised": .compromised, "retired": .retired]) ?? reason
            }
            guard let since = date(since) else { continue }
            let key: RevokedKey.Key
            if name.hasPrefix("sha256:") {
                guard let fingerprint = fingerprint(name, entry.line) else { continue }
                key = .fingerprint(fingerprint)
            } else {
                key = .method(name)
            }
            revokedKeys.append(RevokedKey(key, since: since, reason: reason))
        }
    }

    private mutating func tables(_ entry: TOMLTable.Entry, _ example: String) -> [TOMLTable] {
        let tables = entry.value.array?.map(\.table) ?? [nil]
        if tables.contains(nil) { note(entry.line, "\(entry.name) must be a list of tables", "Write \(example).") }
        return tables.compactMap(\.self)
    }
}
