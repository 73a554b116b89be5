package import Encoding

extension TrustDirectory {
    /// What each key at the top of `issuers.toml` takes.
    package static var topForms: [KeyForm] { IssuersFile.forms }

    /// What each key of an `[[issuer]]` takes.
    package static var issuerForms: [KeyForm] { IssuersFile.issuerForms }
}

extension IssuersFile {
    private static let texts = "a list of texts"
    private static let usages = "a list of object identifiers in quotes"
    private static let date = "a date with time and zone, with or without quotes"
    private static let leave = "\"forbid\" or \"allow\""
    private static let revoked = "a list of { key, since, reason }; reason is \"compromised\" or \"retired\""

    static let forms = [
        KeyForm("profile", "\"strict\" or \"compat\""), KeyForm("revoked-keys", revoked),
        KeyForm("issuer", "one section [[issuer]] for each"),
    ]

    static let issuerForms = [
        KeyForm("id", "a text; required"), KeyForm("groups", texts), KeyForm("types", texts),
        KeyForm("contexts", texts),
        KeyForm("valid-from", date), KeyForm("valid-until", date), KeyForm("controllers", texts),
        KeyForm("keys", "a list of \"sha256:\" with 64 hexadecimal digits"),
        KeyForm("roots", "a list of \"x509:sha256:\" with 64 small hexadecimal digits"),
        KeyForm("token-signer-usages", usages), KeyForm("document-signer-usages", usages),
        KeyForm("issuing-country", "\"signer\" or \"any\""), KeyForm("key-purpose", "\"strict\" or \"did-wide\""),
        KeyForm("inline-contexts", leave), KeyForm("status-issuers", texts),
        KeyForm("status-lists", "a list of https URLs"),
        KeyForm("status-list-aliases", "a table { \"URL\" = \"id in the list\" }"),
        KeyForm("withheld-expiry", leave), KeyForm("withheld-status", leave),
        KeyForm("document-max-age", "a duration, such as \"30d\""),
        KeyForm("documents", "a list of { id, sha256, fetched }"), KeyForm("revoked-keys", revoked),
    ]
}
