package import Credentials
package import Encoding

/// Settings to write into an entry of `issuers.toml`. Nil and empty settings leave the entry unchanged.
package struct IssuerSettings: Hashable, Sendable {
    /// The value of `key-purpose`; nil: unchanged.
    package var keyPurpose: TrustedIssuer.KeyPurpose?
    /// The value of `inline-contexts`: true is `allow`, false is `forbid`; nil: unchanged.
    package var inlineContexts: Bool?
    /// Texts to add to the list `groups`.
    package var groups: [Text] = []
    /// Texts to add to the list `types`.
    package var types: [Text] = []
    /// Texts to add to the list `contexts`.
    package var contexts: [Text] = []
    /// Texts to add to the list `controllers`.
    package var controllers: [Text] = []
    /// Texts to add to the list `roots`.
    package var roots: [Text] = []
    /// Texts to add to the list `status-issuers`.
    package var statusIssuers: [Text] = []
    /// Texts to add to the list `status-lists`.
    package var statusLists: [Text] = []

    /// Creates settings that change nothing.
    package init() {}

    enum Value: Hashable {
        /// A single text in quotes.
        case word(Text)
        /// A list to which the given texts are added if it lacks them.
        case list([Text])

        /// The value in TOML, whose basic strings use the escapes of JSON.
        var toml: String {
            switch self {
            case .word(let word): JSON.string(word).compactText
            case .list(let texts): "[" + texts.map { JSON.string($0).compactText }.joined(separator: ", ") + "]"
            }
        }
    }

    /// The settings that change something, by their names in `issuers.toml`.
    var values: [(name: Text, value: Value)] {
        let lists: [(Text, [Text])] = [
            ("groups", groups), ("types", types), ("contexts", contexts), ("controllers", controllers),
            ("roots", roots), ("status-issuers", statusIssuers), ("status-lists", statusLists),
        ]
        var values: [(name: Text, value: Value)] = []
        if let keyPurpose { values.append(("key-purpose", .word(Text(keyPurpose.rawValue)))) }
        if let inlineContexts { values.append(("inline-contexts", .word(inlineContexts ? "allow" : "forbid"))) }
        // Write single values before lists. The line number in an error about a single value is then that of the
        // original file.
        for (name, texts) in lists where !texts.isEmpty { values.append((name, .list(texts))) }
        return values
    }

    /// Returns the entry with these settings. The file must contain this entry after the change.
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
