import Encoding

extension Expander {
    /// Expands a member whose name is a property (steps 13.5 to 13.14). Adds the result to `members`.
    mutating func expandProperty(
        _ iri: Text, _ definition: TermDefinition?, _ member: JSONObject.Member,
        into members: inout ExpansionMembers, _ frame: Frame
    ) throws(JSONLDError) {
        let mark = log.mark
        let container = definition?.fields.container ?? []
        var outcome: Outcome
        if definition?.fields.type == .json {
            outcome = .one(.value(ExpandedValue(value: member.value, type: Keyword.json.text)))
        } else if container.contains(.language), let map = member.value.object {
            outcome = .many(try expandLanguageMap(map, definition, frame))
        } else if !container.isDisjoint(with: [.index, .type, .id]), let map = member.value.object {
            outcome = .many(try expandIndexMap(map, member.name, definition, container, frame))
        } else {
            outcome = try expand(member.value, .term(member.name), frame.active)
        }
        if case .nothing = outcome { return log.drop(.emptyValue, since: mark) }
        if container.contains(.list) {
            if case .one(.list) = outcome {} else { outcome = .one(.list(outcome.items, index: nil)) }
        }
        if container.contains(.graph), container.isDisjoint(with: [.id, .index]) {
            outcome = .many(outcome.items.map { .node(ExpandedNode(graph: [$0])) })
        }
        let isWellFormed = definition?.isWellFormed ?? IRI.isWellFormed(iri)
        if !isWellFormed {
            log.drop(iri.hasPrefix("_:") ? .blankProperty : .relativeIRI, since: mark)
        } else if case .many(let items) = outcome, items.isEmpty {
            log.drop(.emptyValue, since: mark)
        }
        if definition?.fields.isReverse == true {
            try Self.checkReverse(outcome.items)
            members.reverse.add(outcome.items, to: iri, isWellFormed: isWellFormed)
        } else {
            members.properties.add(outcome.items, to: iri, isWellFormed: isWellFormed)
        }
    }

    /// Expands a language map such as `{"en": …, "de": …}` (step 13.7).
    private mutating func expandLanguageMap(
        _ map: JSONObject, _ definition: TermDefinition?, _ frame: Frame
    ) throws(JSONLDError) -> [ExpandedItem] {
        var direction = frame.active.state.direction
        switch definition?.fields.direction ?? .inherited {
        case .inherited: break
        case .cleared: direction = nil
        case .set(let value): direction = value
        }
        var result: [ExpandedItem] = []
        for entry in ordered(map) {
            log.enter(.name(entry.name))
            let isNone = isNone(entry.name, frame.active)
            let elements = entry.value.array ?? [entry.value]
            for element in elements where !element.isNull {
                guard element.string != nil else { throw JSONLDError(.invalidLanguageMapValue) }
                result.append(
                    .value(
                        ExpandedValue(value: element, language: isNone ? nil : entry.name, direction: direction)))
            }
            if elements.allSatisfy(\.isNull) {
                log.drop(.emptyValue)
            } else if !isNone, !LanguageTag.isWellFormed(entry.name) {
                log.drop(.languageTag)
            }
            log.leave()
        }
        return result
    }

    /// Expands an index map, id map or type map (step 13.8): the keys are indexes, ids or types, and the values are
    /// objects.
    private mutating func expandIndexMap(
        _ map: JSONObject, _ name: Text, _ definition: TermDefinition?, _ container: TermDefinition.Container,
        _ frame: Frame
    ) throws(JSONLDError) -> [ExpandedItem] {
        var result: [ExpandedItem] = []
        for entry in ordered(map) {
            log.enter(.name(entry.name))
            var active = frame.active
            if !container.isDisjoint(with: [.id, .type]) { active = active.state.previous ?? active }
            if container.contains(.type), let type = active[entry.name] {
                active = try contexts.apply(scopeOf: type, on: active, propagate: false)
            }
            let key = IndexKey(
                text: entry.name, isNone: isNone(entry.name, frame.active), property: definition?.fields.index,
                container: container)
            // Treat a value that is not an array as an array of one element, but log it under the place of the map's
            // entry.
            let mark = log.mark
            let values: [ExpandedItem]
            if let elements = entry.value.array {
                values = try expand(.array(elements), .term(name), active, fromMap: true).items
            } else {
                values = try expand(asElement: entry.value, .term(name), active)
            }
            if values.isEmpty { log.drop(.emptyValue, since: mark) }
            for value in values {
                var item = value
                if container.contains(.graph), !item.isGraph { item = .node(ExpandedNode(graph: [item])) }
                try place(&item, with: key, frame.active)
                result.append(item)
            }
            log.leave()
        }
        return result
    }

    /// Expands `value` as the only element of an array (step 13.8.3.5).
    private mutating func expand(
        asElement value: JSON, _ property: ActiveProperty, _ active: ActiveContext
    ) throws(JSONLDError) -> [ExpandedItem] {
        try expand(value, property, active, fromMap: true).items
    }

    /// A key of an index map, and how it is used.
    private struct IndexKey {
        let text: Text
        let isNone: Bool
        /// The property to which the key is added in place of `@index`; nil if there is none.
        let property: Text?
        let container: TermDefinition.Container
    }

    /// Adds the key of an index map to an item: as index, property, id or type, depending on the container (step
    /// 13.8.3.7).
    private mutating func place(
        _ item: inout ExpandedItem, with key: IndexKey, _ active: ActiveContext
    ) throws(JSONLDError) {
        guard !key.isNone else { return }
        if key.container.contains(.index) {
            if let property = key.property, property != Keyword.index.text {
                return try addIndexProperty(property, key.text, to: &item, active)
            }
            if item.index == nil { item.index = key.text }
            return log.drop(.index)
        }
        guard case .node(var node) = item else { return }
        if key.container.contains(.id) {
            if node.id == nil {
                let id = try expandIRI(key.text, active, vocabulary: false, documentRelative: true).text
                node.id = .some(id)
                noteReference(id)
            }
        } else if key.container.contains(.type) {
            let type = try expandIRI(key.text, active, vocabulary: true, documentRelative: true).text
            node.types = [type] + (node.types ?? [])
            if let type, IRI.isWellFormed(type) || type.hasPrefix("_:") {} else { log.drop(.undefinedType) }
        }
        item = .node(node)
    }

    private mutating func addIndexProperty(
        _ property: Text, _ index: Text, to item: inout ExpandedItem, _ active: ActiveContext
    ) throws(JSONLDError) {
        guard case .node(var node) = item else { throw JSONLDError(.invalidValueObject) }
        let value = try expandValue(.string(index), active[property], active)
        if let iri = try expandIRI(property, active, vocabulary: true, documentRelative: false).text {
            node.properties.add([value], to: iri, isWellFormed: IRI.isWellFormed(iri), first: true)
        }
        item = .node(node)
    }

    private func ordered(_ map: JSONObject) -> [JSONObject.Member] {
        options.ordered ? map.members.sorted { $0.name < $1.name } : map.members
    }

    private func isNone(_ name: Text, _ active: ActiveContext) -> Bool {
        name == Keyword.none.text || active[name]?.fields.mapping == .keyword(.none)
    }
}

extension ExpandedItem {
    /// The `@index` of the node, value or list object.
    fileprivate var index: Text? {
        get {
            switch self {
            case .node(let node): node.index
            case .value(let value): value.index
            case .list(_, let index): index
            }
        }
        set {
            switch self {
            case .node(var node):
                node.index = newValue
                self = .node(node)
            case .value(var value):
                value.index = newValue
                self = .value(value)
            case .list(let items, _): self = .list(items, index: newValue)
            }
        }
    }
}
