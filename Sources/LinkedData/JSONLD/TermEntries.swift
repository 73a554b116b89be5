import Encoding

/// Reads the entries of a term definition that do not affect its IRI (JSON-LD 1.1 API section 4.2, steps 19 to 25).
extension ContextProcessor {
    func readContainer(
        _ fields: inout TermDefinition.Fields, _ entries: JSONObject, _ term: Text
    ) throws(JSONLDError) {
        guard let value = entries[Keyword.container.text] else { return }
        if fields.isReverse, value.isNull { return }
        let invalid = JSONLDError(.invalidContainerMapping, detail: term)
        var container: TermDefinition.Container = []
        let elements = value.array ?? [value]
        guard elements.count <= TermDefinition.Container.keywords else { throw invalid }
        for element in elements {
            guard let text = element.string, let keyword = Keyword(text),
                let part = TermDefinition.Container(keyword)
            else { throw invalid }
            container.insert(part)
        }
        var rest = container
        rest.remove(.set)
        switch rest {
        case [], .graph, .id, .index, .language, .type, [.graph, .id], [.graph, .index]: break
        case .list where container == .list: break
        default: throw invalid
        }
        if mode == .v1_0 {
            guard value.string != nil, container.isDisjoint(with: [.graph, .id, .type]) else { throw invalid }
        }
        fields.container = container
        if container.contains(.type) {
            switch fields.type {
            case nil: fields.type = .id
            case .id, .vocab: break
            default: throw JSONLDError(.invalidTypeMapping, detail: term)
            }
        }
    }

    func readIndex(
        _ fields: inout TermDefinition.Fields, _ entries: JSONObject, _ term: Text, _ state: ActiveContext.State
    ) throws(JSONLDError) {
        guard let value = entries[Keyword.index.text] else { return }
        guard mode == .v1_1, fields.container.contains(.index), let index = value.string,
            case .iri(let iri) = state.expand(index, vocabulary: true, documentRelative: false), IRI.hasScheme(iri)
        else { throw JSONLDError(.invalidTermDefinition, detail: term) }
        fields.index = index
    }

    mutating func readContext(
        _ fields: inout TermDefinition.Fields, _ entries: JSONObject, _ term: Text,
        _ state: inout ActiveContext.State, _ creation: TermCreation
    ) throws(JSONLDError) {
        guard let context = entries[Keyword.context.text] else { return }
        try refuse(in: .v1_0, .invalidTermDefinition, term)
        state.terms.flatten()
        var trial = state
        let manner = Manner(overrideProtected: true, validateScoped: false)
        do {
            try extend(
                &trial, by: context, active: nil, base: creation.base, remote: creation.remote, manner: manner)
        } catch {
            // A missing document or an exceeded limit does not make the scoped context invalid, so throw that error
            // unchanged.
            if error.code == .loadingRemoteContextFailed || error.code == .contextOverflow { throw error }
            throw JSONLDError(.invalidScopedContext, detail: term)
        }
        fields.context = TermDefinition.ScopedContext(value: context, base: creation.base)
    }

    func readText(
        _ fields: inout TermDefinition.Fields, _ entries: JSONObject, _ term: Text
    ) throws(JSONLDError) {
        if let value = entries[Keyword.language.text], fields.type == nil {
            switch value {
            case .null: fields.language = .cleared
            case .string(let language): fields.language = .set(language)
            default: throw JSONLDError(.invalidLanguageMapping, detail: term)
            }
        }
        if let value = entries[Keyword.direction.text], fields.type == nil {
            if value.isNull {
                fields.direction = .cleared
            } else if let direction = Direction(value) {
                fields.direction = .set(direction)
            } else {
                throw JSONLDError(.invalidBaseDirection, detail: term)
            }
        }
        if let value = entries[Keyword.nest.text] {
            try refuse(in: .v1_0, .invalidTermDefinition, term)
            guard let nest = value.string, nest == Keyword.nest.text || Keyword(nest) == nil else {
                throw JSONLDError(.invalidNestValue, detail: term)
            }
            fields.nest = nest
        }
    }

    func readPrefix(
        _ fields: inout TermDefinition.Fields, _ entries: JSONObject, _ term: Text
    ) throws(JSONLDError) {
        guard let value = entries[Keyword.prefix.text] else { return }
        guard mode == .v1_1, !term.utf8.contains(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") }) else {
            throw JSONLDError(.invalidTermDefinition, detail: term)
        }
        guard let isPrefix = value.bool else { throw JSONLDError(.invalidPrefixValue, detail: term) }
        fields.isPrefix = isPrefix
        if isPrefix, case .keyword = fields.mapping { throw JSONLDError(.invalidTermDefinition, detail: term) }
    }
}
