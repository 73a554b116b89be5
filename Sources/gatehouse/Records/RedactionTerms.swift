import Encoding
import Features
import Foundation
import LinuxIO
import Observation
import Settings
import TrustFiles

/// The words that `gatehouse report` replaces: secrets, and the names of this gate, of its agents, rules and hosts.
struct RedactionTerms {
    /// The secrets, such as tokens. Every report omits them.
    private(set) var secrets: [String] = []
    /// The names. A report omits them only with `--redacted`.
    private(set) var names: [String] = []
    /// Whether the names in the configuration are known: false if its file cannot be read or is not TOML.
    let knowsSettings: Bool

    /// Collects the words in the settings of a valid configuration. If the configuration is nil because `file` contains
    /// a mistake, reads the file as plain TOML and also collects the values of all unknown keys.
    init(_ configuration: Configuration?, file: String) {
        let written = configuration == nil ? Self.table(file) : nil
        knowsSettings = configuration != nil || written != nil
        if let configuration {
            take(configuration.effective)
            for file in RuleSource.files(configuration) { take(rules: file) }
        } else if let written {
            take(JSON(.table(written)))
            // A key may be unknown because it is misspelt, and its value may be a name.
            names += Self.unknown(in: written).flatMap { Self.leaves(of: JSON($0)) }
            let folder = URL(fileURLWithPath: file).deletingLastPathComponent()
            if let rules = written["policy"]?.table?["file"]?.string?.string {
                take(rules: URL(fileURLWithPath: rules, relativeTo: folder).path)
            }
        }
    }

    /// Adds names from other sources. Also adds the first 100 characters of each name, because warnings truncate long
    /// names.
    mutating func take(names: [String]) { self.names += names + names.map { String($0.prefix(100)) } }

    /// Adds the names in the service's status report.
    mutating func take(_ report: StatusReport) {
        take(places: report.names.map(\.string), in: report.json)
        if let policy = report.trust?.policy { take(policy: policy.string) }
    }

    /// Adds the tokens, names, hosts and policies in settings.
    private mutating func take(_ value: JSON) {
        secrets += Self.texts(named: ["token"], in: value)
        let hosts = Self.texts(named: ["host", "hosts"], in: value).compactMap(Self.host)
        take(places: Self.texts(named: Self.members, in: value) + hosts, in: value)
        for policy in Self.texts(named: ["policy"], in: value) { take(policy: policy) }
    }

    /// Adds `places`, and the hosts of all URLs in `value`. Omits the hosts that mean this machine itself.
    private mutating func take(places: [String], in value: JSON) {
        names += (places + Self.leaves(of: value).filter { $0.contains("://") }.compactMap(Self.host))
            .filter { !$0.hasPrefix("127.") && $0 != "localhost" }
    }

    /// Adds the name of a policy, with and without its version. The text has the form `id@version sha256:…`.
    mutating func take(policy: String) {
        let name = policy.firstRange(of: " sha256:").map { String(policy[..<$0.lowerBound]) } ?? policy
        names += [name, name.lastIndex(of: "@").map { String(name[..<$0]) } ?? name]
    }

    /// Adds the names in a policy file. The file need not be a valid policy, only valid TOML.
    private mutating func take(rules file: String) {
        guard let table = Self.table(file) else { return }
        let rules = JSON(.table(table))
        if let id = rules["id"]?.string {
            names.append(id.string)
            if let version = rules["version"]?.string { names.append("\(id)@\(version)") }
        }
        names += Self.texts(named: ["name"], in: rules)
        let group = "group:"
        names += Self.leaves(of: rules).filter { $0.hasPrefix(group) }.map { String($0.dropFirst(group.count)) }
    }

    // MARK: - Search

    /// The names of the members in settings whose values identify the gate or its site.
    private static let members: Set<Text> = ["name", "id", "label", "host", "hosts", "verkey", "instruction", "zone"]

    /// The number of bytes that are read from a file at most.
    private static let largest = 1 << 20

    private static func table(_ file: String) -> TOMLTable? {
        guard FileBytes.isFile(file), let bytes = FileBytes.read(file, limit: largest) else { return nil }
        return try? TOML.parse(bytes)
    }

    /// Returns the values of all keys that are not keys of the configuration.
    private static func unknown(in table: TOMLTable) -> [TOML] {
        let known = Set(Configuration.keys)
        return table.entries.flatMap { section -> [TOML] in
            guard let keys = section.value.table else { return [section.value] }
            return keys.entries.filter { !known.contains("\(section.name).\($0.name)") }.map(\.value)
        }
    }

    /// Returns the texts in all members with one of the names `names`, at any depth.
    private static func texts(named names: Set<Text>, in value: JSON, isNamed: Bool = false) -> [String] {
        switch value {
        case .string(let text) where isNamed: [text.string]
        case .array(let elements): elements.flatMap { texts(named: names, in: $0, isNamed: isNamed) }
        case .object(let object):
            object.members.flatMap { texts(named: names, in: $0.value, isNamed: names.contains($0.name)) }
        default: []
        }
    }

    /// Returns all texts in a JSON value at any depth. Names of members are not among them.
    private static func leaves(of value: JSON) -> [String] {
        switch value {
        case .string(let text): [text.string]
        case .array(let elements): elements.flatMap(leaves)
        case .object(let object): object.members.flatMap { leaves(of: $0.value) }
        default: []
        }
    }

    /// Returns the host of a URL or of `host:port`, without the port, because messages contain only the host; nil if
    /// there is no host.
    private static func host(_ text: String) -> String? {
        let start = text.firstRange(of: "://")?.upperBound ?? text.startIndex
        let place = text[start...].prefix { !"/?#".contains($0) }.split(separator: "@").last ?? ""
        let colon = place.lastIndex(of: ":").flatMap {
            place[place.index(after: $0)...].allSatisfy(\.isNumber) ? $0 : nil
        }
        let host = place[..<(colon ?? place.endIndex)].filter { $0 != "[" && $0 != "]" }
        return host.isEmpty ? nil : host
    }
}

extension JSON {
    /// Converts parsed TOML to JSON. Values other than texts, lists and tables become null.
    fileprivate init(_ value: TOML) {
        switch value {
        case .string(let text): self = .string(text)
        case .array(let elements): self = .array(elements.map { JSON($0) })
        case .table(let table): self = .object(JSONObject(table.entries.map { .init($0.name, JSON($0.value)) }))
        default: self = .null
        }
    }
}
