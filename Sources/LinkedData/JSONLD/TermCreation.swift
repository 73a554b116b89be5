import Encoding

/// The state that the definitions of all terms of one local context share.
struct TermCreation {
    let local: JSONObject
    /// The URL of the document that contains the local context; nil for a context inside a document.
    let base: Text?
    /// Whether terms are protected if their definition does not contain `@protected`.
    let isProtected: Bool
    let remote: [Text]
    let manner: ContextProcessor.Manner
    /// The progress of each term: false while it is being defined, true when it is defined.
    var defined: [Text: Bool] = [:]

    init(local: JSONObject, base: Text?, isProtected: Bool, remote: [Text], manner: ContextProcessor.Manner) {
        self.local = local
        self.base = base
        self.isProtected = isProtected
        self.remote = remote
        self.manner = manner
    }
}

extension ContextProcessor {
    private typealias Fields = TermDefinition.Fields

    /// Defines `term` in `state` (the create term definition algorithm, JSON-LD 1.1 API section 4.2).
    mutating func define(
        _ term: Text, in state: inout ActiveContext.State, _ creation: inout TermCreation
    ) throws(JSONLDError) {
        if let isFinished = creation.defined[term] {
            if isFinished { return }
            throw JSONLDError(.cyclicIRIMapping, detail: term)
        }
        guard !term.isEmpty else { throw JSONLDError(.invalidTermDefinition, detail: term) }
        try countWork()
        try checkLength(term)
        try beginDefinition()
        defer { endDefinition() }
        creation.defined[term] = false
        let value = creation.local[term] ?? .null
        try checkLength(value.string)
        if try isReserved(term, value) { return }
        let previous = state.terms[term]
        if previous != nil { state.terms[term] = nil }

        let isSimple = value.string != nil
        let entries: JSONObject
        switch value {
        case .null, .string: entries = [Keyword.id.text: value]
        case .object(let object): entries = object
        default: throw JSONLDError(.invalidTermDefinition, detail: term)
        }
        // Check the lengths of all texts now: the definition may be processed again at every place where it applies.
        for entry in entries.members { try checkLength(entry.value.string) }
        var fields = Fields()
        fields.isProtected = try flag(.protected, of: entries, .invalidProtectedValue, term) ?? creation.isProtected
        fields.type = try coercion(entries, term, &state, &creation)
        if entries[Keyword.reverse.text] != nil {
            guard try mapReverse(&fields, entries, term, &state, &creation) else { return }
        } else {
            guard try map(&fields, entries, term, isSimple, &state, &creation) else { return }
        }
        try readContainer(&fields, entries, term)
        try readIndex(&fields, entries, term, state)
        try readContext(&fields, entries, term, &state, creation)
        try readText(&fields, entries, term)
        try readPrefix(&fields, entries, term)
        for name in entries.names where !Self.entryNames.contains(name) {
            throw JSONLDError(.invalidTermDefinition, detail: term)
        }
        if !creation.manner.overrideProtected, let previous, previous.fields.isProtected {
            guard fields.means(previous.fields) else { throw JSONLDError(.protectedTermRedefinition, detail: term) }
            state.terms[term] = previous
        } else {
            try checkLength(fields.mapping.text)
            state.terms[term] = TermDefinition(
                fields, isUnusual: Spelling.isUnusual(term, fields, isInline: creation.base == nil, standardNames))
        }
        creation.defined[term] = true
    }

    private static let entryNames: Set<Text> = [
        "@id", "@reverse", "@container", "@context", "@direction", "@index", "@language", "@nest", "@prefix",
        "@protected", "@type",
    ]

    /// Returns whether the term has the form of a keyword but is none, so that it is ignored. Throws if it is a
    /// keyword.
    private func isReserved(_ term: Text, _ value: JSON) throws(JSONLDError) -> Bool {
        guard term.utf8.first == UInt8(ascii: "@") else { return false }
        if Keyword(term) == .type, mode == .v1_1, let object = value.object, !object.isEmpty,
            object.members.allSatisfy({ member in
                switch Keyword(member.name) {
                case .container: member.value == .string(Keyword.set.text) || member.value == [.string("@set")]
                case .protected: true
                default: false
                }
            })
        {
            return false
        }
        if Keyword(term) != nil { throw JSONLDError(.keywordRedefinition, detail: term) }
        return Keyword.hasForm(term)
    }

    private func flag(
        _ keyword: Keyword, of entries: JSONObject, _ code: JSONLDError.Code, _ term: Text
    ) throws(JSONLDError) -> Bool? {
        guard let value = entries[keyword.text] else { return nil }
        try refuse(in: .v1_0, .invalidTermDefinition, term)
        guard let flag = value.bool else { throw JSONLDError(code, detail: term) }
        return flag
    }

    private mutating func coercion(
        _ entries: JSONObject, _ term: Text, _ state: inout ActiveContext.State, _ creation: inout TermCreation
    ) throws(JSONLDError) -> TermDefinition.Coercion? {
        guard let value = entries[Keyword.type.text] else { return nil }
        guard let text = value.string else { throw JSONLDError(.invalidTypeMapping, detail: term) }
        switch try expand(text, in: &state, &creation) {
        case .keyword(.id): return .id
        case .keyword(.vocab): return .vocab
        case .keyword(.json) where mode == .v1_1: return .json
        case .keyword(.none) where mode == .v1_1: return TermDefinition.Coercion.none
        case .iri(let iri) where IRI.hasScheme(iri):
            try checkLength(iri)
            return .datatype(iri)
        default: throw JSONLDError(.invalidTypeMapping, detail: term)
        }
    }

    /// Reads `@reverse` into `fields`. Returns false if its value has the form of a keyword, so that the term is
    /// ignored.
    private mutating func mapReverse(
        _ fields: inout Fields, _ entries: JSONObject, _ term: Text, _ state: inout ActiveContext.State,
        _ creation: inout TermCreation
    ) throws(JSONLDError) -> Bool {
        if entries[Keyword.id.text] != nil || entries[Keyword.nest.text] != nil {
            throw JSONLDError(.invalidReverseProperty, detail: term)
        }
        guard let text = entries[Keyword.reverse.text]?.string else {
            throw JSONLDError(.invalidIRIMapping, detail: term)
        }
        if Keyword.hasForm(text) { return false }
        fields.mapping = try expand(text, in: &state, &creation)
        guard case .iri(let iri) = fields.mapping, IRI.hasScheme(iri) || iri.hasPrefix("_:") else {
            throw JSONLDError(.invalidIRIMapping, detail: term)
        }
        switch entries[Keyword.container.text] {
        case nil, .null?, "@set", "@index": break
        default: throw JSONLDError(.invalidReverseProperty, detail: term)
        }
        fields.isReverse = true
        return true
    }

    /// Reads the IRI of the term into `fields`. Returns false if it has the form of a keyword but is none, so that the
    /// term is ignored.
    private mutating func map(
        _ fields: inout Fields, _ entries: JSONObject, _ term: Text, _ isSimple: Bool,
        _ state: inout ActiveContext.State, _ creation: inout TermCreation
    ) throws(JSONLDError) -> Bool {
        if let id = entries[Keyword.id.text], id.string != term {
            if id.isNull { return true }
            return try map(&fields, to: id, term, isSimple, &state, &creation)
        }
        if term.utf8.dropFirst().contains(UInt8(ascii: ":")) {
            fields.mapping = .iri(term)
            guard let (prefix, suffix) = ActiveContext.State.splitCompact(term) else { return true }
            if creation.local[prefix] != nil { try define(prefix, in: &state, &creation) }
            if let iri = state.terms[prefix]?.fields.mapping.text { fields.mapping = .iri(Text(iri.string + suffix)) }
        } else if term.utf8.contains(UInt8(ascii: "/")) {
            fields.mapping = state.expand(term, vocabulary: true, documentRelative: false)
            guard case .iri(let iri) = fields.mapping, IRI.hasScheme(iri) else {
                throw JSONLDError(.invalidIRIMapping, detail: term)
            }
        } else if Keyword(term) == .type {
            fields.mapping = .keyword(.type)
        } else if let vocabulary = state.vocabulary {
            fields.mapping = .iri(Text(vocabulary.string + term.string))
        } else {
            throw JSONLDError(.invalidIRIMapping, detail: term)
        }
        return true
    }

    private mutating func map(
        _ fields: inout Fields, to id: JSON, _ term: Text, _ isSimple: Bool, _ state: inout ActiveContext.State,
        _ creation: inout TermCreation
    ) throws(JSONLDError) -> Bool {
        guard let text = id.string else { throw JSONLDError(.invalidIRIMapping, detail: term) }
        if Keyword(text) == nil, Keyword.hasForm(text) { return false }
        fields.mapping = try expand(text, in: &state, &creation)
        var isBlank = false
        var endsOpen = false
        switch fields.mapping {
        case .keyword(.context): throw JSONLDError(.invalidKeywordAlias, detail: term)
        case .keyword: break
        case .iri(let iri) where iri.hasPrefix("_:"): isBlank = true
        case .iri(let iri) where IRI.hasScheme(iri):
            endsOpen = iri.utf8.last.map { ":/?#[]@".utf8.contains($0) } ?? false
        default: throw JSONLDError(.invalidIRIMapping, detail: term)
        }
        let hasSlash = term.utf8.contains(UInt8(ascii: "/"))
        if term.utf8.dropFirst().dropLast().contains(UInt8(ascii: ":")) || hasSlash {
            creation.defined[term] = true
            guard try expand(term, in: &state, &creation) == fields.mapping else {
                throw JSONLDError(.invalidIRIMapping, detail: term)
            }
        }
        fields.isPrefix =
            isSimple && !hasSlash && !term.utf8.contains(UInt8(ascii: ":")) && (endsOpen || isBlank)
        return true
    }

    /// Expands a text while the context is being made (JSON-LD 1.1 API section 5.2 with a local context). The terms
    /// that the text contains are defined first.
    private mutating func expand(
        _ value: Text, in state: inout ActiveContext.State, _ creation: inout TermCreation
    ) throws(JSONLDError) -> TermDefinition.Expanded {
        if Keyword(value) == nil, !Keyword.hasForm(value) {
            if creation.local[value] != nil, creation.defined[value] != true {
                try define(value, in: &state, &creation)
            }
            if state.terms[value] == nil, let (prefix, suffix) = ActiveContext.State.splitCompact(value),
                prefix != "_", !suffix.utf8.starts(with: "//".utf8), creation.local[prefix] != nil,
                creation.defined[prefix] != true
            {
                try define(prefix, in: &state, &creation)
            }
        }
        return state.expand(value, vocabulary: true, documentRelative: false)
    }
}
