import Credentials
import Encoding
import Settings

/// `issuers.toml`: the issuers that a gate trusts, and the limits of this trust. `deploy/issuers.toml` explains all
/// keys. The tables ``keys`` and ``issuerKeys`` contain all of them.
struct IssuersFile {
    /// A key of the file, the form of its value, and the function that reads the value into `Target`.
    struct Key<Target>: Sendable {
        let form: KeyForm
        let read: @Sendable (inout IssuersFile, TOMLTable.Entry, inout Target) -> Void

        init(
            _ key: String, _ form: String,
            _ read: @escaping @Sendable (inout IssuersFile, TOMLTable.Entry, inout Target) -> Void
        ) {
            (self.form, self.read) = (KeyForm(key, form), read)
        }
    }

    var profile: Profile?
    var issuers: [TrustedIssuer] = []
    /// The value for files without this key: they were written before the key existed.
    var untypedIssuers = UntypedIssuers.warn
    var revokedKeys: [RevokedKey] = []
    /// The date at which each document was fetched, by the id of the document.
    var fetched: [Text: Timestamp] = [:]
    private(set) var problems: [TrustDirectoryError.Problem] = []

    init(_ bytes: [UInt8]) {
        do {
            var nothing: Void = ()
            read(try TOML.parse(bytes), by: Self.keys, into: &nothing)
        } catch {
            note(error.line, error.message, "See the example in the manual for the form of this file.")
        }
    }

    /// Reads all entries of a table. Notes a problem for an entry whose key is not in `keys`.
    private mutating func read<Target>(_ table: TOMLTable, by keys: [Key<Target>], into target: inout Target) {
        for entry in table.entries {
            if let key = keys.first(where: { entry.name == Text($0.form.key) }) {
                key.read(&self, entry, &target)
            } else {
                noteUnknown(entry, keys.map(\.form.key).joined(separator: ", "))
            }
        }
    }

    mutating func readIssuers(_ entry: TOMLTable.Entry) {
        guard let tables = entry.value.array?.map(\.table), !tables.contains(nil) else {
            return note(entry.line, "issuer must be a list of sections", "Write [[issuer]] with two brackets.")
        }
        for table in tables.compactMap(\.self) { readIssuer(table, line: entry.line) }
    }

    private mutating func readIssuer(_ table: TOMLTable, line: Int) {
        guard let id = table["id"]?.string, !id.isEmpty else {
            let line = table.entries.first?.line ?? line
            return note(line, "an [[issuer]] has no id", "Write id = \"did:web:…\": the id that its credentials name.")
        }
        var issuer = TrustedIssuer(id: id)
        read(table, by: Self.issuerKeys, into: &issuer)
        let line = table.entry("id")?.line
        if issuers.contains(where: { $0.id == id }) {
            note(line, "the issuer \(id) is listed twice", "Keep one section for each id.")
        }
        if let from = issuer.notBefore, let until = issuer.notAfter, until <= from {
            note(line, "the issuer \(id) is never trusted", "valid-until must be after valid-from.")
        }
        if issuer.isRoot { checkRoot(id, line) }
        issuers.append(issuer)
    }

    mutating func noteUnknown(_ entry: TOMLTable.Entry, _ known: String) {
        note(entry.line, "\(entry.name) is not a known key", "Remove it, or write \(known).")
    }

    mutating func note(_ line: Int?, _ message: String, _ remedy: String) {
        problems.append(.init(file: TrustSection.issuersFile, line: line, message: message, remedy: remedy))
    }
}
