package import Credentials
package import Encoding

/// Where a gate's rules come from.
package enum RuleSource: Hashable, Sendable {
    /// A policy file of that path, which `policy.file` or an option names.
    case file(String)
    /// The `policy.toml` of that path in the trust directory.
    case directory(String)
    /// The `policy.toml` in the bundle of that name.
    case bundle(String)
    /// Nowhere: there are no rules.
    case none

    /// The source of rules that came with trust data: those of that edition, else those in that directory.
    fileprivate init(_ rules: GatePolicy?, _ edition: TrustEdition?, directory: String) {
        guard rules != nil else {
            self = .none
            return
        }
        self = edition.map { .bundle($0.name) } ?? .directory(directory + "/" + TrustDirectory.policyFile)
    }

    /// Every file on this machine that may hold rules of a gate, in force or not.
    package static func files(_ configuration: Configuration) -> [String] {
        [configuration.policy.file, configuration.trust.directory + "/" + TrustDirectory.policyFile].compactMap(\.self)
    }

    /// Where the rules of a gate will come from, in plain words, whatever this machine has of it.
    package static func expected(_ configuration: Configuration) -> String {
        if let file = configuration.policy.file { return RuleSource.file(file).words }
        let place = configuration.trust.bundleKeys.isEmpty ? configuration.trust.directory : "the bundle"
        return "from \(TrustDirectory.policyFile) in \(place), if there is one"
    }

    /// The word for machines.
    package var word: String {
        switch self {
        case .file: "file"
        case .directory: "directory"
        case .bundle: "bundle"
        case .none: "none"
        }
    }

    /// The path of the rules; nil where they are in a bundle, or there are none.
    package var path: String? {
        switch self {
        case .file(let path), .directory(let path): path
        case .bundle, .none: nil
        }
    }

    /// The source in plain words, after a name of rules or alone.
    package var words: String {
        switch self {
        case .file(let path), .directory(let path): "from \(path)"
        case .bundle(let name): "from \(TrustDirectory.policyFile) in \(name)"
        case .none: "none: the types in each issuer's entry say who is let in"
        }
    }
}

/// The rules that a gate judges by, and where they come from. The one answer to that question for the gate and for
/// every command: a configured file goes before the `policy.toml` of the trust data, and without either there are no
/// rules.
package struct RulesInForce: Sendable {
    /// Where they come from.
    package let source: RuleSource
    /// The rules; nil where there are none, or ``problem`` says why they cannot be used.
    package let rules: GatePolicy?
    /// Why the rules of the source cannot be used.
    package let problem: PolicyLoadError?
    /// Whether the trust data bring rules that do not count, because a configured file goes before them.
    package let hidesOthers: Bool

    /// The rules by a configured file and by trust data.
    ///
    /// - Parameters:
    ///   - file: The configured policy file; nil: none is.
    ///   - directory: The trust data in force; nil where they cannot be used.
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

    /// Rules that a running verifier has, which knows nothing of files.
    package init(_ verifier: Verifier, _ configuration: Configuration) {
        // In place of a file that cannot be used there are rules of no file.
        rules = verifier.policy.rules.flatMap { $0.digest.isEmpty ? nil : $0 }
        (problem, hidesOthers) = (nil, false)
        source =
            configuration.policy.file.map { .file($0) }
            ?? RuleSource(rules, verifier.trust.edition, directory: configuration.trust.directory)
    }

    /// Whether the rules come, and change, with the trust data where that file is configured.
    package static func comeWithTrust(_ file: String?) -> Bool { file == nil }

    /// Where they come from in plain words, and what they take the place of.
    package var origin: String {
        if rules == nil, source != .none { return source.words + ", which cannot be used" }
        return source.words + (hidesOthers ? " in place of those in the trust data" : "")
    }

    /// The rules by name and source, on one line: `gate@7 sha256:…, from /etc/gatehouse/policy.toml`.
    package var line: String {
        if problem != nil { return "\(origin); gatehouse policy check says why" }
        return (rules.map { $0.name + ", " } ?? "") + origin
    }

    /// The same for machines: `policy` (the name), `policySource` (`file`, `directory`, `bundle` or `none`),
    /// `policyFile`, and in words `policyOrigin`, as far as there are such.
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
