import Credentials
package import Encoding

extension TrustDirectory {
    /// The form of the value of each key at the top of `issuers.toml`.
    package static var topForms: [KeyForm] { IssuersFile.keys.map(\.form) }

    /// The form of the value of each key of an `[[issuer]]`.
    package static var issuerForms: [KeyForm] { IssuersFile.issuerKeys.map(\.form) }
}

extension IssuersFile {
    private static let texts = "a list of texts"
    private static let usages = "a list of object identifiers in quotes"
    private static let date = "a date with time and zone, with or without quotes"
    private static let leave = "\"forbid\" or \"allow\""
    private static let revoked = "a list of { key, since, reason }; reason is \"compromised\" or \"retired\""

    /// The keys at the top of the file, with the functions that read their values.
    static let keys: [Key<Void>] = [
        Key("profile", "\"strict\" or \"compat\"") { file, entry, _ in
            file.profile = file.word(entry, ["strict": .strict, "compat": .compat])
        },
        Key("untyped-issuers", "\"refuse\" or \"warn\"") { file, entry, _ in
            file.untypedIssuers = file.word(entry, ["refuse": .refuse, "warn": .warn]) ?? .refuse
        },
        Key("revoked-keys", revoked) { file, entry, _ in file.readRevokedKeys(entry) },
        Key("issuer", "one section [[issuer]] for each") { file, entry, _ in file.readIssuers(entry) },
    ]

    /// The keys of an `[[issuer]]`, with the functions that read their values.
    static let issuerKeys: [Key<TrustedIssuer>] = what + signers + documents

    /// The keys that limit what an issuer may issue, and when.
    private static let what: [Key<TrustedIssuer>] = [
        Key("id", "a text; required") { _, _, _ in },
        Key("groups", texts) { $2.groups = $0.texts($1) },
        Key("types", texts) { $2.types = $0.texts($1) },
        Key("contexts", texts) { $2.contexts = $0.texts($1) },
        Key("plain-sd-jwt", "true or false") { $2.plainSDJWT = $0.flag($1) },
        Key("valid-from", date) { $2.notBefore = $0.date($1) },
        Key("valid-until", date) { $2.notAfter = $0.date($1) },
    ]

    /// The keys that name an issuer's signers and say how they may sign.
    private static let signers: [Key<TrustedIssuer>] = [
        Key("controllers", texts) { $2.controllers = $0.texts($1) },
        Key("keys", "a list of \"sha256:\" with 64 hexadecimal digits") { $2.keys = $0.fingerprints($1) },
        Key("roots", "a list of \"x509:sha256:\" with 64 small hexadecimal digits") { file, entry, issuer in
            issuer.roots = file.texts(entry)
            for root in issuer.roots { file.checkRoot(root, entry.line) }
        },
        Key("token-signer-usages", usages) { $2.tokenSignerUsages = $0.usages($1) },
        Key("document-signer-usages", usages) { file, entry, issuer in
            issuer.documentSignerUsages = file.usages(entry)
            file.checkIsRoot(issuer, entry)
        },
        Key("issuing-country", "\"signer\" or \"any\"") { file, entry, issuer in
            file.checkIsRoot(issuer, entry)
            issuer.anyIssuingCountry = file.word(entry, ["signer": false, "any": true]) ?? false
        },
        Key("key-purpose", "\"strict\" or \"did-wide\"") { file, entry, issuer in
            issuer.keyPurpose = file.word(entry, ["strict": .strict, "did-wide": .didWide]) ?? .strict
        },
        Key("inline-contexts", leave) { $2.inlineContexts = $1.value.boolean ?? $0.isAllowed($1) },
    ]

    /// The keys about an issuer's status lists and documents, and about properties that holders may withhold.
    private static let documents: [Key<TrustedIssuer>] = [
        Key("status-issuers", texts) { $2.statusIssuers = $0.texts($1) },
        Key("status-lists", "a list of https URLs") { file, entry, issuer in
            issuer.statusLists = file.texts(entry)
            for url in issuer.statusLists where WebURL(secure: url) == nil {
                file.note(entry.line, "\(url) is not an https URL", "Write the URL of the list in credentials.")
            }
        },
        Key("status-list-aliases", "a table { \"URL\" = \"id in the list\" }") {
            $2.statusListAliases = $0.aliases($1)
        },
        Key("unchecked-status-types", texts) { $2.uncheckedStatusTypes = $0.texts($1) },
        Key("embedded-claims", leave) { $2.vouchesForEmbedded = $0.isAllowed($1) },
        Key("withheld-expiry", leave) { $2.mayWithholdExpiry = $0.isAllowed($1) },
        Key("withheld-status", leave) { $2.mayWithholdStatus = $0.isAllowed($1) },
        Key("mandatory-arrays", "\"parts\" or \"whole\"") { file, entry, issuer in
            issuer.takesArraysWhole = file.word(entry, ["parts": false, "whole": true]) ?? false
        },
        Key("document-max-age", "a duration, such as \"30d\"") { file, entry, issuer in
            issuer.documentMaxAge = entry.value.string.flatMap { DurationText.parse($0.string) }
            if issuer.documentMaxAge == nil {
                file.note(entry.line, "document-max-age must be a duration", "Write for example \"30d\".")
            }
        },
        Key("documents", "a list of { id, sha256, fetched }") { $0.readDocuments($1, into: &$2) },
        Key("revoked-keys", revoked) { file, entry, _ in file.readRevokedKeys(entry) },
    ]
}
