import Encoding

extension Expander {
    /// Expands one object (steps 6 to 20 of the expansion algorithm).
    mutating func expand(
        _ object: JSONObject, _ property: ActiveProperty, _ given: ActiveContext, fromMap: Bool
    ) throws(JSONLDError) -> Outcome {
        let start = log.mark
        var (frame, typeNames) = try frame(for: object, property, given, fromMap: fromMap)
        if let name = typeNames.first, let value = object[name], let last = (value.array ?? [value]).last?.string {
            frame.isJSON =
                frame.active.state.expand(last, vocabulary: true, documentRelative: false) == .keyword(.json)
        }
        var members = ExpansionMembers()
        try expandMembers(of: object, into: &members, frame)
        return try finish(members, object, property, start)
    }

    /// Returns the contexts that apply to an object (steps 7 to 11), and the names of those of its members that expand
    /// to `@type`.
    mutating func frame(
        for object: JSONObject, _ property: ActiveProperty, _ given: ActiveContext, fromMap: Bool
    ) throws(JSONLDError) -> (frame: Frame, typeNames: [Text]) {
        var active = given
        if let previous = given.state.previous, !fromMap, !isValueOrReference(object, given) { active = previous }
        if case .term(let term) = property, let definition = given[term] {
            active = try contexts.apply(scopeOf: definition, on: active, overrideProtected: true)
        }
        if let local = object[Keyword.context.text] { active = try contexts.apply(local, on: active) }
        let typeScope = active
        let typeNames = namesOfType(in: object, active)
        for name in typeNames {
            for type in (object[name].map { $0.array ?? [$0] } ?? []).compactMap(\.string).sorted() {
                guard let definition = typeScope[type] else { continue }
                active = try contexts.apply(scopeOf: definition, on: active, propagate: false)
            }
        }
        return (Frame(property: property, active: active, typeScope: typeScope), typeNames)
    }

    /// The values that are the same for all members of one object.
    struct Frame {
        var property: ActiveProperty
        var active: ActiveContext
        /// The active context before the scoped contexts of the object's types. The types themselves are expanded with
        /// it.
        let typeScope: ActiveContext
        /// Whether the object's type is `@json`.
        var isJSON = false
        /// Whether the members are inside a member that expands to `@nest`.
        var isNested = false
    }

    /// Expands the members of an object (step 13 and, for `@nest`, step 14).
    mutating func expandMembers(
        of object: JSONObject, into members: inout ExpansionMembers, _ frame: Frame
    ) throws(JSONLDError) {
        var nests: [JSONObject.Member] = []
        let source = options.ordered ? object.members.sorted { $0.name < $1.name } : object.members
        for member in source where member.name != Keyword.context.text {
            log.enter(.name(member.name))
            let definition = frame.active[member.name]
            var expanded = definition?.fields.mapping
            if expanded == nil {
                expanded = try expandIRI(member.name, frame.active, vocabulary: true, documentRelative: false)
            }
            checkSpelling(member.name, definition, expanded ?? .nothing, in: object, isNested: frame.isNested)
            switch expanded ?? .nothing {
            case .keyword(.nest): nests.append(member)
            case .keyword(let keyword): try expandKeyword(keyword, member.value, into: &members, frame)
            case .iri(let iri) where iri.utf8.contains(UInt8(ascii: ":")):
                try expandProperty(iri, definition, member, into: &members, frame)
            case .iri, .nothing: log.drop(.undefinedTerm)
            }
            log.leave()
        }
        for nest in nests { try expandNest(nest, into: &members, frame) }
    }

    private mutating func expandNest(
        _ nest: JSONObject.Member, into members: inout ExpansionMembers, _ frame: Frame
    ) throws(JSONLDError) {
        log.enter(.name(nest.name))
        var inner = frame
        inner.property = .term(nest.name)
        inner.isNested = true
        if let definition = frame.active[nest.name] {
            inner.active = try contexts.apply(scopeOf: definition, on: frame.active, overrideProtected: true)
        }
        let values = nest.value.array
        for (index, value) in (values ?? [nest.value]).enumerated() {
            guard let object = value.object,
                !object.names.contains(where: { isKeyword(.value, $0, inner.active) })
            else { throw JSONLDError(.invalidNestValue) }
            if values != nil { log.enter(.index(index)) }
            try expandMembers(of: object, into: &members, inner)
            if values != nil { log.leave() }
        }
        log.leave()
    }

    /// Determines whether the object is a value, list, set or node object, and returns the result (steps 15 to 20).
    private mutating func finish(
        _ members: ExpansionMembers, _ object: JSONObject, _ property: ActiveProperty, _ start: Int
    ) throws(JSONLDError) -> Outcome {
        if members.present.contains(.value) {
            guard let value = try members.valueObject() else { return .nothing }
            if let language = value.language, !LanguageTag.isWellFormed(language) {
                log.drop(.languageTag, since: start)
            }
            return property.isTop ? floating(start) : .one(.value(value))
        }
        if members.present.contains(.list) || members.present.contains(.set) {
            let kind: Keyword = members.present.contains(.list) ? .list : .set
            guard members.consists(of: [kind, .index]) else { throw JSONLDError(.invalidSetOrListObject) }
            if kind == .set { return members.set }
            return property.isTop ? floating(start) : .one(.list(members.list, index: members.index))
        }
        if members.present == [.language], members.consists(of: [.language]) { return .nothing }
        let node = members.node
        if property.isTop, node.isReference, !members.present.contains(.included) { return floating(start) }
        if let id = node.id, !(id.map { $0.hasPrefix("_:") || IRI.isWellFormed($0) } ?? false) {
            dropNode(object, start)
        }
        return .one(.node(node))
    }

    private mutating func floating(_ start: Int) -> Outcome {
        log.drop(.freeFloating, since: start)
        return .nothing
    }

    /// Logs a node that RDF cannot name. All its members and all references to it are dropped.
    private mutating func dropNode(_ object: JSONObject, _ start: Int) {
        guard log.path.isEmpty else { return log.drop(.relativeIRI, since: start) }
        var mark: Int? = start
        for member in object.members where member.name != Keyword.context.text {
            log.enter(.name(member.name))
            log.drop(.relativeIRI, since: mark)
            log.leave()
            mark = nil
        }
    }

    /// Returns whether an object is a value object or contains only an id (step 7). A context that does not propagate
    /// still applies to such an object.
    private func isValueOrReference(_ object: JSONObject, _ active: ActiveContext) -> Bool {
        if object.count == 1, isKeyword(.id, object.members[0].name, active) { return true }
        if object[Keyword.value.text] != nil { return true }
        // A context inside the document may define thousands of aliases. Search the object's names if there are fewer.
        let aliases = active.state.terms.valueAliases
        if aliases.count > object.count { return object.names.contains(where: aliases.contains) }
        return aliases.contains { object[$0] != nil }
    }

    private func isKeyword(_ keyword: Keyword, _ name: Text, _ active: ActiveContext) -> Bool {
        name == keyword.text || active[name]?.fields.mapping == .keyword(keyword)
    }

    /// Returns the names of the members that expand to `@type`, in byte order.
    private func namesOfType(in object: JSONObject, _ active: ActiveContext) -> [Text] {
        let aliases = active.state.terms.typeAliases
        if aliases.count > object.count {
            return object.names.filter { isKeyword(.type, $0, active) }.sorted()
        }
        var names: [Text] = []
        for alias in aliases where object[alias] != nil { names.append(alias) }
        let keyword = Keyword.type.text
        if object[keyword] != nil, !names.contains(keyword) { names.append(keyword) }
        if names.count > 1 { names.sort() }
        return names
    }
}
