package import Credentials
package import Encoding

/// Settings for an entry of `issuers.toml`. Empty settings leave the entry unchanged.
package struct IssuerSettings: Hashable, Sendable {
    /// `key-purpose`
    package var keyPurpose: TrustedIssuer.KeyPurpose?
    /// `inline-contexts`
    package var inlineContexts: Bool?
    /// `groups`
    package var groups: [Text] = []
    /// `types`
    package var types: [Text] = []
    /// `contexts`
    package var contexts: [Text] = []
    /// `controllers`
    package var controllers: [Text] = []
    /// `roots`
    package var roots: [Text] = []
    /// `status-issuers`
    package var statusIssuers: [Text] = []
    /// `status-lists`
    package var statusLists: [Text] = []

    /// Creates empty settings.
    package init() {}

    enum Value: Hashable {
        /// A single text in quotes.
        case word(Text)
        /// A list that must contain the given texts.
        case list([Text])

        /// The value in TOML, whose basic strings have the escapes of JSON.
        var toml: String {
            switch self {
            case .word(let word): JSON.string(word).compactText
            case .list(let texts): "[" + texts.map { JSON.string($0).compactText }.joined(separator: ", ") + "]"
            }
        }
    }

    /// The non-empty settings, by their names in `issuers.toml`.
    var values: [(name: Text, value: Value)] {
        let lists: [(Text, [Text])] = [
            ("groups", groups), ("types", types), ("contexts", contexts), ("controllers", controllers),
            ("roots", roots), ("status-issuers", statusIssuers), ("status-lists", statusLists),
        ]
        var values: [(name: Text, value: Value)] = []
        if let keyPurpose { values.append(("key-purpose", .word(Text(keyPurpose.rawValue)))) }
        if let inlineContexts { values.append(("inline-contexts", .word(inlineContexts ? "allow" : "forbid"))) }
        // Set single values before lists. The line number in an error about a single value is then that of the
        // unchanged file.
        for (name, texts) in lists where !texts.isEmpty { values.append((name, .list(texts))) }
        return values
    }

    /// Returns the entry with these settings, which is the entry expected in the file after the change.
    func applied(to issuer: TrustedIssuer) -> TrustedIssuer {
        func adding(_ new: [Text], to old: [Text]?) -> [Text] { new.filter { !(old ?? []).contains($0) } + (old ?? []) }
        var issuer = issuer
        if let keyPurpose { issuer.keyPurpose = keyPurpose }
        if let inlineContexts { issuer.inlineContexts = inlineContexts }
        issuer.groups = adding(groups, to: issuer.groups)
        issuer.controllers = adding(controllers, to: issuer.controllers)
        issuer.statusIssuers = adding(statusIssuers, to: issuer.statusIssuers)
        issuer.statusLists = adding(statusLists, to: issuer.statusLists)
        if !types.isEmpty { issuer.types = adding(types, to: issuer.types) }
        if !contexts.isEmpty { issuer.contexts = adding(contexts, to: issuer.contexts) }
        issuer.roots = adding(roots, to: issuer.roots)
        return issuer
    }
}
