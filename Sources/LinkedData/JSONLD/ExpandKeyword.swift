import Encoding

extension Expander {
    /// Expands a member whose name is a keyword or an alias of one (step 13.4). Adds the result to `members`.
    mutating func expandKeyword(
        _ keyword: Keyword, _ value: JSON, into members: inout ExpansionMembers, _ frame: Frame
    ) throws(JSONLDError) {
        if case .reverse = frame.property { throw JSONLDError(.invalidReversePropertyMap) }
        if members.present.contains(keyword), keyword != .included, keyword != .type {
            throw JSONLDError(.collidingKeywords, detail: keyword.text)
        }
        switch keyword {
        case .id:
            guard let text = value.string else { throw JSONLDError(.invalidIDValue) }
            members.id = .some(try expandIRI(text, frame.active, vocabulary: false, documentRelative: true).text)
        case .type: try expandType(value, into: &members, frame)
        case .graph: members.graph = try expand(value, .graph, frame.active).items
        case .included:
            guard options.processingMode == .v1_1 else { return }
            members.included += try expandIncluded(value, frame)
        case .value: try expandValueKeyword(value, into: &members, frame)
        case .language:
            guard let language = value.string else { throw JSONLDError(.invalidLanguageTaggedString) }
            members.language = language
        case .direction:
            guard options.processingMode == .v1_1 else { return }
            guard let direction = Direction(value) else { throw JSONLDError(.invalidBaseDirection) }
            members.direction = direction
            if options.rdfDirection == nil { log.drop(.direction) }
        case .index:
            guard let index = value.string else { throw JSONLDError(.invalidIndexValue) }
            members.index = index
            log.drop(.index)
        case .list:
            if frame.property.isTop { return log.drop(.freeFloating) }
            members.list = try expand(value, frame.property, frame.active).items
        case .set:
            members.set = try expand(value, frame.property, frame.active)
            if members.set.items.isEmpty { log.drop(.emptyValue) }
        case .reverse:
            return try expandReverse(value, into: &members, frame)
        default:
            return log.drop(.undefinedTerm)
        }
        members.present.insert(keyword)
    }

    private mutating func expandType(
        _ value: JSON, into members: inout ExpansionMembers, _ frame: Frame
    ) throws(JSONLDError) {
        var types: [Text?] = []
        for (index, element) in (value.array ?? [value]).enumerated() {
            guard let text = element.string else { throw JSONLDError(.invalidTypeValue) }
            let type = try expandIRI(text, frame.typeScope, vocabulary: true, documentRelative: true).text
            types.append(type)
            if let type, IRI.isWellFormed(type) || type.hasPrefix("_:") || type == Keyword.json.text { continue }
            if value.array != nil { log.enter(.index(index)) }
            log.drop(.undefinedType)
            if value.array != nil { log.leave() }
        }
        members.typeIsArray = value.array != nil || members.present.contains(.type)
        members.types += types
    }

    private mutating func expandIncluded(_ value: JSON, _ frame: Frame) throws(JSONLDError) -> [ExpandedItem] {
        let outcome = try expand(value, .none, frame.active)
        if case .nothing = outcome { throw JSONLDError(.invalidIncludedValue) }
        for item in outcome.items {
            guard case .node = item else { throw JSONLDError(.invalidIncludedValue) }
        }
        return outcome.items
    }

    private mutating func expandValueKeyword(
        _ value: JSON, into members: inout ExpansionMembers, _ frame: Frame
    ) throws(JSONLDError) {
        if frame.isJSON {
            guard options.processingMode == .v1_1 else { throw JSONLDError(.invalidValueObjectValue) }
        } else if value.array != nil || value.object != nil {
            throw JSONLDError(.invalidValueObjectValue)
        }
        members.value = value
    }

    private mutating func expandReverse(
        _ value: JSON, into members: inout ExpansionMembers, _ frame: Frame
    ) throws(JSONLDError) {
        guard let object = value.object else { throw JSONLDError(.invalidReverseValue) }
        guard case .one(.node(let inner)) = try expand(object, .reverse, frame.active, fromMap: false) else { return }
        if let doubled = inner.reverse { members.properties.add(doubled) }
        for entry in inner.properties.entries {
            try Self.checkReverse(entry.items)
            members.reverse.add(entry.items, to: entry.iri, isWellFormed: entry.isWellFormed)
        }
    }

    /// Throws if an item is not a node. The values of a reverse property become subjects, which only nodes can be.
    static func checkReverse(_ items: [ExpandedItem]) throws(JSONLDError) {
        for item in items {
            guard case .node = item else { throw JSONLDError(.invalidReversePropertyValue) }
        }
    }
}
