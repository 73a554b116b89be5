import Encoding

/// One run of the expansion algorithm (JSON-LD 1.1 API section 5.1).
struct Expander {
    let options: Options
    var contexts: ContextSource
    var log = DropLog()
    let limits: JSONLDProcessor.Limits
    /// The standard names of properties and types (``JSONLDProcessor/standardNames``).
    let standardNames: StandardNames
    /// The JSON pointer to the first unusual spelling so far (``DeserializedDocument/unusualSpelling``); nil if there
    /// is none.
    var unusualSpelling: String?
    private var depth = 0
    private var items = 0
    private var iriBytes = 0

    /// The result of expanding one JSON value.
    enum Outcome {
        case nothing
        case one(ExpandedItem)
        /// The value was an array, which expanded to these items.
        case many([ExpandedItem])

        /// The items as an array, which is empty for ``nothing``.
        var items: [ExpandedItem] {
            switch self {
            case .nothing: []
            case .one(let item): [item]
            case .many(let items): items
            }
        }
    }

    /// The property whose value is being expanded.
    enum ActiveProperty {
        case none
        case graph
        case reverse
        case term(Text)

        /// Whether the place is the top of the document or of a graph, where neither values nor references are allowed.
        var isTop: Bool {
            switch self {
            case .none, .graph: true
            case .reverse, .term: false
            }
        }
    }

    init(
        options: Options, contexts: ContextSource, limits: JSONLDProcessor.Limits, standardNames: StandardNames
    ) {
        self.standardNames = standardNames
        self.options = options
        self.contexts = contexts
        self.limits = limits
    }

    /// Expands a whole document and returns its items. Errors get the JSON pointer of the place at which they occur.
    mutating func document(_ document: JSON) throws(JSONLDError) -> [ExpandedItem] {
        do {
            let active = try contexts.initial(options)
            let items = try expand(document, .none, active).items
            contexts.finish()
            if items.count == 1, case .node(let node)? = items.first, let graph = node.graph, node.id == nil,
                node.index == nil, items.first?.isGraph == true
            {
                return graph
            }
            return items
        } catch {
            var located = error
            if located.pointer == nil { located.pointer = log.pointer }
            throw located
        }
    }

    /// Expands one JSON value, which is a value of `property` (the expansion algorithm).
    mutating func expand(
        _ element: JSON, _ property: ActiveProperty, _ active: ActiveContext, fromMap: Bool = false
    ) throws(JSONLDError) -> Outcome {
        switch element {
        case .null:
            return .nothing
        case .array(let elements):
            return .many(try expand(elements, property, active, fromMap: fromMap))
        case .object(let object):
            try countItem()
            guard depth < limits.depth else { throw JSONLDError(.limitExceeded, detail: "depth") }
            depth += 1
            defer { depth -= 1 }
            let outcome = try expand(object, property, active, fromMap: fromMap)
            if log.isFull { throw JSONLDError(.limitExceeded, detail: "dropped members") }
            return outcome
        case .string, .number, .bool:
            try countItem()
            switch property {
            case .none, .graph:
                log.drop(.freeFloating)
                return .nothing
            case .reverse:
                return .one(.value(ExpandedValue(value: element)))
            case .term(let term):
                return .one(try expandScalar(element, term, active))
            }
        }
    }

    private mutating func countItem() throws(JSONLDError) {
        items += 1
        guard items <= limits.items else { throw JSONLDError(.limitExceeded, detail: "items") }
    }

    /// Expands a text to a keyword or an IRI. Throws if all IRIs of the document together have too many bytes.
    mutating func expandIRI(
        _ value: Text, _ active: ActiveContext, vocabulary: Bool, documentRelative: Bool
    ) throws(JSONLDError) -> TermDefinition.Expanded {
        let expanded = active.state.expand(value, vocabulary: vocabulary, documentRelative: documentRelative)
        if case .iri(let iri) = expanded { iriBytes += iri.utf8.count }
        guard iriBytes <= limits.iriBytes else { throw JSONLDError(.limitExceeded, detail: "IRIs") }
        return expanded
    }

    private mutating func expand(
        _ elements: [JSON], _ property: ActiveProperty, _ active: ActiveContext, fromMap: Bool
    ) throws(JSONLDError) -> [ExpandedItem] {
        var isList = false
        if case .term(let term) = property { isList = active[term]?.fields.container.contains(.list) ?? false }
        var result: [ExpandedItem] = []
        result.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            log.enter(.index(index))
            let mark = log.mark
            switch try expand(element, property, active, fromMap: fromMap) {
            case .nothing: log.drop(property.isTop ? .freeFloating : .emptyValue, since: mark)
            case .one(let item): result.append(item)
            case .many(let items):
                if isList {
                    result.append(.list(items, index: nil))
                } else if items.isEmpty {
                    log.drop(.emptyValue, since: mark)
                } else {
                    result += items
                }
            }
            log.leave()
        }
        return result
    }

    /// Expands a scalar with the scoped context of its property (step 4).
    private mutating func expandScalar(
        _ element: JSON, _ term: Text, _ active: ActiveContext
    ) throws(JSONLDError) -> ExpandedItem {
        guard let definition = active[term] else { return try expandValue(element, nil, active) }
        guard definition.fields.context != nil else { return try expandValue(element, definition, active) }
        let scoped = try contexts.apply(scopeOf: definition, on: active, overrideProtected: true)
        return try expandValue(element, scoped[term], scoped)
    }

    /// Expands a value (value expansion, JSON-LD 1.1 API section 5.3).
    mutating func expandValue(
        _ value: JSON, _ definition: TermDefinition?, _ active: ActiveContext
    ) throws(JSONLDError) -> ExpandedItem {
        let coercion = definition?.fields.type
        if case .string(let text) = value, coercion == .id || coercion == .vocab {
            let id = try expandIRI(text, active, vocabulary: coercion == .vocab, documentRelative: true).text
            noteReference(id)
            return .node(ExpandedNode(id: .some(id)))
        }
        var result = ExpandedValue(value: value)
        switch coercion {
        case .datatype(let iri)?:
            result.type = iri
            if definition?.isTypeWellFormed == false { log.drop(.undefinedType) }
        case .json?:
            result.type = Keyword.json.text
        default:
            guard case .string = value else { break }
            switch definition?.fields.language ?? .inherited {
            case .inherited: result.language = active.state.language
            case .cleared: break
            case .set(let language): result.language = language
            }
            switch definition?.fields.direction ?? .inherited {
            case .inherited: result.direction = active.state.direction
            case .cleared: break
            case .set(let direction): result.direction = direction
            }
            if let language = result.language, !LanguageTag.isWellFormed(language) { log.drop(.languageTag) }
        }
        return .value(result)
    }

    /// Logs a reference to the node `id`, at the current place, if RDF cannot name that node.
    mutating func noteReference(_ id: Text?) {
        if let id, id.hasPrefix("_:") || IRI.isWellFormed(id) { return }
        log.drop(.relativeIRI)
    }
}

/// Checks the form of language tags (BCP 47, as in RDF 1.1 and N-Quads).
enum LanguageTag {
    /// The largest length of a language tag in bytes, far above that of any registered tag. It is limited because a tag
    /// in a context is checked again for every text to which it applies.
    private static let longest = 128

    /// Returns whether a tag is a group of letters followed by groups of letters and digits, with hyphens between them,
    /// each group from one to eight characters long.
    static func isWellFormed(_ tag: Text) -> Bool {
        guard tag.utf8.count <= longest else { return false }
        let parts = tag.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return parts.enumerated().allSatisfy { index, part in
            (1...8).contains(part.count)
                && part.allSatisfy { IRI.isLetter($0) || (index > 0 && IRI.isDigit($0)) }
        }
    }
}
