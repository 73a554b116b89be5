import Credentials
import Encoding

/// `issuers.toml`: who is trusted, and how far.
///
/// ```toml
/// profile = "strict"              # or "compat": how credentials are read unless the policy or --profile says otherwise
///
/// [[issuer]]
/// id = "did:web:issuer.example"   # required: the id that credentials name
/// controllers = []                # other ids whose keys may sign for it
/// key-purpose = "strict"          # or "did-wide": assertionMethod names only the bare DID
/// inline-contexts = "forbid"      # or "allow": its credentials may bring contexts of their own
/// status-issuers = []             # other ids that may sign its status lists
/// ```
struct IssuersFile {
    static let name = "issuers.toml"

    private(set) var profile: Profile?
    private(set) var issuers: [TrustedIssuer] = []
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
            case "issuer":
                guard let tables = entry.value.array?.map(\.table), !tables.contains(nil) else {
                    note(entry.line, "issuer must be a list of sections", "Write [[issuer]] with two brackets.")
                    continue
                }
                for table in tables.compactMap(\.self) { read(table, line: entry.line) }
            default: noteUnknown(entry, "profile or [[issuer]]")
            }
        }
    }

    private mutating func read(_ table: TOMLTable, line: Int) {
        guard let id = table["id"]?.string, !id.isEmpty else {
            let line = table.entries.first?.line ?? line
            return note(line, "an [[issuer]] has no id", "Write id = \"did:web:…\": the id that its credentials name.")
        }
        var issuer = TrustedIssuer(id: id)
        for entry in table.entries {
            switch entry.name {
            case "id": continue
            case "controllers": issuer.controllers = texts(entry)
            case "status-issuers": issuer.statusIssuers = texts(entry)
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
            default:
                noteUnknown(entry, "id, controllers, key-purpose, inline-contexts or status-issuers")
            }
        }
        if issuers.contains(where: { $0.id == id }) {
            note(table.entry("id")?.line, "the issuer \(id) is listed twice", "Keep one section for each id.")
        }
        issuers.append(issuer)
    }

    private mutating func texts(_ entry: TOMLTable.Entry) -> [Text] {
        let texts = entry.value.array?.map(\.string) ?? [nil]
        if texts.contains(nil) {
            note(entry.line, "\(entry.name) must be a list of texts", "Write [\"did:…\", \"did:…\"].")
        }
        return texts.compactMap(\.self)
    }

    private mutating func noteUnknown(_ entry: TOMLTable.Entry, _ known: String) {
        note(entry.line, "\(entry.name) is not a known key", "Remove it, or write \(known).")
    }

    private mutating func note(_ line: Int?, _ message: String, _ remedy: String) {
        problems.append(.init(file: Self.name, line: line, message: message, remedy: remedy))
    }
}
