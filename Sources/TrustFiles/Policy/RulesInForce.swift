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

    /// Creates the source of rules that came with trust data: the bundle of `edition`, or else the trust directory
    /// `directory`. Without rules, there is no source.
    fileprivate init(_ rules: GatePolicy?, _ edition: TrustEdition?, directory: String) {
        guard rules != nil else {
            self = .none
            return
        }
        self = edition.map { .bundle($0.name) } ?? .directory(directory + "/" + TrustDirectory.policyFile)
    }

    /// Returns every file on this machine that may contain rules of a gate, in force or not.
    package static func files(_ configuration: Configuration) -> [String] {
        [configuration.policy.file, configuration.trust.directory + "/" + TrustDirectory.policyFile].compactMap(\.self)
    }

    /// Returns the expected source of a gate's rules in plain words, whether or not this machine has the source.
    package static func expected(_ configuration: Configuration) -> String {
        if let file = configuration.policy.file { return RuleSource.file(file).words }
        let place = configuration.trust.bundleKeys.isEmpty ? configuration.trust.directory : "the bundle"
        return "from \(TrustDirectory.policyFile) in \(place), if there is one"
    }

    /// The name of the source, for machines.
    package var word: String {
        switch self {
        case .file: "file"
        case .directory: "directory"
        case .bundle: "bundle"
        case .none: "none"
        }
    }

    /// The path of the rules; nil if the rules are in a bundle or the gate has none.
    package var path: String? {
        switch self {
        case .file(let path), .directory(let path): path
        case .bundle, .none: nil
        }
    }

    /// The source in plain words. The text fits alone or after the name of rules.
    package var words: String {
        switch self {
        case .file(let path), .directory(let path): "from \(path)"
        case .bundle(let name): "from \(TrustDirectory.policyFile) in \(name)"
        case .none: "none: the types in each issuer's entry are admitted"
        }
    }
}

/// The rules in force at a gate, and their source. For the gate and for every command, only this type determines which
/// rules are in force. A configured file takes precedence over the `policy.toml` of the trust data. Without either, the
/// gate has no rules.
package struct RulesInForce: Sendable {
    /// The source of the rules.
    package let source: RuleSource
    /// The rules; nil if the gate has none or they are unusable (``problem`` gives the reason).
    package let rules: GatePolicy?
    /// The reason why the rules of the source are unusable; nil for usable rules.
    package let problem: PolicyLoadError?
    /// Whether the trust data contains unused rules, because a configured file takes precedence.
    package let hidesOthers: Bool

    /// Determines the rules from a configured file and from trust data.
    ///
    /// - Parameters:
    ///   - file: The configured policy file; nil if there is none.
    ///   - directory: The trust data in force; nil if it is unusable.
    ///   - load: Reads the file.
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

    /// Describes the rules of a running verifier, which has no information about files.
    package init(_ verifier: Verifier, _ configuration: Configuration) {
        // If a file cannot be used, the verifier has rules with an empty digest.
        rules = verifier.policy.rules.flatMap { $0.digest.isEmpty ? nil : $0 }
        (problem, hidesOthers) = (nil, false)
        source =
            configuration.policy.file.map { .file($0) }
            ?? RuleSource(rules, verifier.trust.edition, directory: configuration.trust.directory)
    }

    /// Returns whether the rules come from the trust data and change with it. `file`: the configured policy file; nil
    /// if there is none.
    package static func comeWithTrust(_ file: String?) -> Bool { file == nil }

    /// The source of the rules in plain words, and the source over which it takes precedence.
    package var origin: String {
        if rules == nil, source != .none { return source.words + ", which cannot be used" }
        return source.words + (hidesOthers ? " in place of those in the trust data" : "")
    }

    /// The name and source of the rules on one line: `gate@7 sha256:…, from /etc/gatehouse/policy.toml`.
    package var line: String {
        if problem != nil { return "\(origin); gatehouse policy check says why" }
        return (rules.map { $0.name + ", " } ?? "") + origin
    }

    /// The description of the rules as JSON members for machines: `policy` (the name), `policySource` (`file`,
    /// `directory`, `bundle` or `none`), `policyFile`, `policyOrigin` (in words) and `policyProblems`. Members without
    /// a value are omitted.
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
