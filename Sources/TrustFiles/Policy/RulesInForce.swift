package import Credentials
package import Encoding
package import Settings

/// The source of a gate's rules.
package enum RuleSource: Hashable, Sendable {
    /// The policy file at the given path, which `policy.file` or an option names.
    case file(String)
    /// The `policy.toml` at the given path in the trust directory.
    case directory(String)
    /// The `policy.toml` in the bundle with the given name.
    case bundle(String)
    /// The gate has no rules.
    case none

    /// Creates the source of the rules that are part of trust data: the bundle with the edition `edition` or, without
    /// one, the trust directory `directory`. Without rules the source is ``none``.
    fileprivate init(_ rules: GatePolicy?, _ edition: TrustEdition?, directory: String) {
        guard rules != nil else {
            self = .none
            return
        }
        self = edition.map { .bundle($0.name) } ?? .directory(directory + "/" + TrustDirectory.policyFile)
    }

    /// Returns the paths on this machine where rules of the gate may be, whether or not they are in force.
    package static func files(_ configuration: Configuration) -> [String] {
        [configuration.policy.file, configuration.trust.directory + "/" + TrustDirectory.policyFile].compactMap(\.self)
    }

    /// Returns in plain words where the rules of the gate are expected, whether or not they exist.
    package static func expected(_ configuration: Configuration) -> String {
        if let file = configuration.policy.file { return RuleSource.file(file).words }
        let place = configuration.trust.bundleKeys.isEmpty ? configuration.trust.directory : "the bundle"
        return "from \(TrustDirectory.policyFile) in \(place), if there is one"
    }

    /// The kind of the source, as JSON contains it.
    package var word: String {
        switch self {
        case .file: "file"
        case .directory: "directory"
        case .bundle: "bundle"
        case .none: "none"
        }
    }

    /// The path of the file with the rules; nil if the rules are in a bundle, or the gate has none.
    package var path: String? {
        switch self {
        case .file(let path), .directory(let path): path
        case .bundle, .none: nil
        }
    }

    /// The source in plain words, as a text by itself or after the name of the rules.
    package var words: String {
        switch self {
        case .file(let path), .directory(let path): "from \(path)"
        case .bundle(let name): "from \(TrustDirectory.policyFile) in \(name)"
        case .none: "none: the types in each issuer's entry are admitted"
        }
    }
}

/// The rules in force at a gate, and their source. The gate and all commands use this type to decide which rules are
/// in force. A configured policy file takes precedence over the `policy.toml` of the trust data. Without either, the
/// gate has no rules.
package struct RulesInForce: Sendable {
    /// The source of the rules.
    package let source: RuleSource
    /// The rules; nil if the gate has none, or if they are unusable (see ``problem``).
    package let rules: GatePolicy?
    /// The reason why the rules are unusable; nil if they are usable or the gate has none.
    package let problem: PolicyLoadError?
    /// Whether the trust data contain rules that are not in force, because a configured policy file takes precedence.
    package let hidesOthers: Bool

    /// Determines the rules in force.
    ///
    /// - Parameters:
    ///   - file: The path of the configured policy file; nil if there is none.
    ///   - directory: The trust data in force; nil if they are unusable.
    ///   - load: Reads a policy file.
    package init(
        file: String?, over directory: TrustDirectory?,
        reading load: (String) throws(PolicyLoadError) -> GatePolicy = PolicyFile.load
    ) {
        guard let file else {
            (rules, problem, hidesOthers) = (directory?.rules, nil, false)
            source = RuleSource(rules, directory?.store.edition, directory: directory?.name ?? "")
            return
        }
        source = .file(file)
        hidesOthers = directory?.rules != nil
        do throws(PolicyLoadError) {
            (rules, problem) = (try load(file), nil)
        } catch {
            (rules, problem) = (nil, error)
        }
    }

    /// Describes the rules of a running verifier. The verifier does not know the file, so the source follows from the
    /// configuration.
    package init(_ verifier: Verifier, _ configuration: Configuration) {
        // The rules that replace an unusable policy file have an empty digest.
        rules = verifier.policy.rules.flatMap { $0.digest.isEmpty ? nil : $0 }
        (problem, hidesOthers) = (nil, false)
        source =
            configuration.policy.file.map { .file($0) }
            ?? RuleSource(rules, verifier.trust.edition, directory: configuration.trust.directory)
    }

    /// Returns whether the rules are part of the trust data and change together with them. `file` is the path of the
    /// configured policy file; nil if there is none.
    package static func comeWithTrust(_ file: String?) -> Bool { file == nil }

    /// The source of the rules in plain words. The text also says that the rules are unusable, or that they replace
    /// rules in the trust data.
    package var origin: String {
        if rules == nil, source != .none { return source.words + ", which cannot be used" }
        return source.words + (hidesOthers ? " in place of those in the trust data" : "")
    }

    /// The name and source of the rules on one line: `gate@7 sha256:…, from /etc/gatehouse/policy.toml`.
    package var line: String {
        if problem != nil { return "\(origin); gatehouse policy check says why" }
        return (rules.map { $0.name + ", " } ?? "") + origin
    }

    /// The description of the rules as members of a JSON object: `policy` (the name), `policySource` (`file`,
    /// `directory`, `bundle` or `none`), `policyFile`, `policyOrigin` (in words) and `policyProblems`. Members
    /// without a value are left out.
    package var members: [JSONObject.Member] {
        var members: [JSONObject.Member] = []
        if let rules { members.append(.init("policy", .text(rules.name))) }
        members.append(.init("policySource", .text(source.word)))
        if let path = source.path { members.append(.init("policyFile", .text(path))) }
        members.append(.init("policyOrigin", .text(origin)))
        if let problem { members.append(.init("policyProblems", problem.json["problems"] ?? .null)) }
        return members
    }
}
