import Encoding
import LinkedData

extension PolicyReader {
    mutating func test(_ source: PolicyTable, number: Int) -> PolicyTest {
        var table = PolicyTable("a [[test]]", source.table, line: source.line)
        let name = table.text("name", &problems) ?? Text("test \(number)")
        let at = table.instant("at", &problems)
        if at == nil, !table.asked(for: "at") {
            problems.note(table.line, "the test \(name) has no date", "Write at = 2026-06-01T09:00:00Z.")
        }
        let provenance = table.take("clock", "\"unset\", \"saved\", \"rtc\" or \"synchronised\"", &problems) { value in
            WallTime.Provenance.allCases.first { Text($0.rawValue) == value.string }
        }
        let unsynced = table.duration("unsynced", &problems)
        let clock = WallTime(
            utc: at ?? Timestamp(seconds: 0), provenance: provenance ?? .synchronised, unsynchronised: unsynced)
        let decision = table.take("expect", "\"accept\" or \"reject\"", &problems) { value in
            [VerdictDecision.accept, .reject].first { Text($0.rawValue) == value.string }
        }
        if decision == nil, !table.asked(for: "expect") {
            problems.note(table.line, "the test \(name) expects nothing", "Write expect = \"accept\" or \"reject\".")
        }
        var test = PolicyTest(
            name: name, line: table.line, clock: clock, subject: subject(of: &table), decision: decision ?? .reject)
        test.direction = table.choice("direction", &problems)
        test.wasSeen = table.flag("seen", &problems) ?? false
        test.rule = table.text("rule", &problems)
        test.code = table.text("code", &problems)
        table.rejectUnknownKeys(&problems)
        return test
    }

    private mutating func subject(of table: inout PolicyTable) -> PolicyTest.Subject {
        if let file = table.text("credential", &problems) {
            return .payload(file: file, trust: table.text("trust", &problems) ?? "trust")
        }
        var file: Text?
        var document: JSON = [:]
        if let value = table.take(
            "claims", "a table { … } with the signed claims, or the name of a JSON file", &problems,
            { value in value.string != nil || value.table != nil ? value : nil })
        {
            file = value.string
            if let inline = value.table { document = JSON(.table(inline)) }
        }
        let issuer = table.text("issuer", &problems) ?? ""
        let format = table.take(
            "format", Self.credentialFormats.map { "\"\($0.rawValue)\"" }.joined(separator: " or "), &problems
        ) { value in Self.credentialFormats.first { Text($0.rawValue) == value.string } }
        let graph = table.take("graph", "a table { … } from property IRIs to values", &problems, \.table)
        let claims = SignedClaims(
            format: format ?? .ldpVC, issuer: issuer, types: table.texts("types", &problems) ?? [],
            text: .described(document, as: format ?? .ldpVC), graph: graph.map { Self.graph($0, issuer: issuer) },
            contexts: ListedContexts(document["@context"] ?? .null),
            validFrom: table.instant("valid-from", &problems), validUntil: table.instant("valid-until", &problems),
            signed: SignedContent(
                digest: table.take("digest", "64 hexadecimal digits", &problems) { value in
                    value.string.flatMap { Hex.decode($0.string) }.flatMap { $0.count == 32 ? $0 : nil }
                } ?? [UInt8](repeating: 0, count: 32)),
            subjects: CredentialSubjects(table.texts("subject", &problems) ?? []))
        var credential = PolicyTestCredential(claims: claims)
        credential.groups = table.texts("groups", &problems) ?? []
        credential.status = table.sections("status", "[ { value = \"valid\", purpose = \"revocation\" } ]", &problems)
            .map { answer($0) }
        credential.holderProven = table.flag("holder-proven", &problems) ?? false
        return file.map { .claims(file: $0, credential) } ?? .verified(credential)
    }

    private mutating func answer(_ source: PolicyTable) -> StatusAnswer {
        var table = source
        let value = table.take("value", "\"valid\", \"revoked\", \"suspended\" or \"unknown\"", &problems) { value in
            value.string.flatMap { StatusAnswer.Value(rawValue: $0.string) }
        }
        let answer = StatusAnswer(
            value ?? .unknown, purpose: table.text("purpose", &problems) ?? "revocation", pointer: "/credentialStatus",
            age: table.duration("age", &problems), overdue: table.duration("overdue", &problems))
        table.rejectUnknownKeys(&problems)
        return answer
    }

    /// Creates the graph of a credential of `issuer`. The members of `table` become properties, and inner tables become
    /// further nodes.
    private static func graph(_ table: TOMLTable, issuer: Text) -> StatementGraph {
        let root = Term.blank("c")
        var quads = [
            Quad(root, RDF.type, .iri(CredentialVocabulary.verifiableCredentialType)),
            Quad(root, CredentialVocabulary.issuer, .iri(issuer)),
        ]
        var count = 0
        func add(_ table: TOMLTable, to node: Term) {
            for entry in table.entries {
                for value in entry.value.array ?? [entry.value] {
                    quads.append(Quad(node, entry.name, term(value)))
                }
            }
        }
        // The recursion is bounded, because the TOML parser limits the depth of a document.
        func term(_ value: TOML) -> Term {
            switch value {
            case .string(let text), .dateTime(let text): return .literal(Literal(text))
            case .integer(let number): return .literal(Literal(Text(String(number)), datatype: XSD.integer))
            case .float(let number): return .literal(Literal(Text(number.description), datatype: XSD.double))
            case .boolean(let value): return .literal(Literal(value ? "true" : "false", datatype: XSD.boolean))
            case .array: return .literal(Literal("", datatype: RDF.json))
            case .table(let inner):
                count += 1
                let node = Term.blank(Text("n\(count)"))
                add(inner, to: node)
                return node
            }
        }
        add(table, to: root)
        return StatementGraph(Dataset(quads), root: root)
    }
}

extension PolicyTable {
    /// Returns whether the table has the key, whether its value is valid or not.
    fileprivate func asked(for key: Text) -> Bool { table.entry(key) != nil }
}

extension JSON {
    /// Converts a TOML value to JSON.
    fileprivate init(_ value: TOML) {
        switch value {
        case .string(let text), .dateTime(let text): self = .string(text)
        case .integer(let number): self = .number(JSONNumber(validated: String(number)))
        case .float(let number): self = number.isFinite ? .number(JSONNumber(validated: number.description)) : .null
        case .boolean(let flag): self = .bool(flag)
        case .array(let elements): self = .array(elements.map { JSON($0) })
        case .table(let table): self = .object(JSONObject(table.entries.map { .init($0.name, JSON($0.value)) }))
        }
    }
}
