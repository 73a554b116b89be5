import Encoding

/// The expanded members of one object, while it is not known yet whether it is a node, value, list or set object.
struct ExpansionMembers {
    /// The keywords that occurred, except `@reverse` and `@nest`, whose content is stored under the properties.
    var present: Keyword.Group = []
    var id: Text??
    var types: [Text?] = []
    var typeIsArray = false
    var value: JSON = .null
    var language: Text?
    var direction: Direction?
    var index: Text?
    var list: [ExpandedItem] = []
    var set = Expander.Outcome.nothing
    var graph: [ExpandedItem] = []
    var included: [ExpandedItem] = []
    var reverse = PropertyMap()
    var properties = PropertyMap()

    /// Returns whether all members of the object are keywords of the set `keywords`.
    func consists(of keywords: Keyword.Group) -> Bool {
        properties.isEmpty && reverse.isEmpty && present.isSubset(of: keywords)
    }

    /// The object as a node object.
    var node: ExpandedNode {
        ExpandedNode(
            id: id, types: present.contains(.type) ? types : nil, properties: properties,
            reverse: reverse.isEmpty ? nil : reverse, graph: present.contains(.graph) ? graph : nil,
            included: present.contains(.included) ? included : nil, index: index)
    }

    /// Returns the object as a value object (step 15); nil if it expands to nothing. Throws if it is no valid value
    /// object.
    func valueObject() throws(JSONLDError) -> ExpandedValue? {
        guard consists(of: [.direction, .index, .language, .type, .value]),
            !present.contains(.type) || present.isDisjoint(with: [.language, .direction])
        else { throw JSONLDError(.invalidValueObject) }
        let type = types.first ?? nil
        if present.contains(.type), !typeIsArray, type == Keyword.json.text {
            return ExpandedValue(value: value, type: type, index: index)
        }
        switch value {
        case .null: return nil
        case .array(let elements) where elements.isEmpty: return nil
        case .string: break
        default:
            if present.contains(.language) { throw JSONLDError(.invalidLanguageTaggedValue) }
        }
        if present.contains(.type) {
            guard !typeIsArray, let type, IRI.hasScheme(type), IRI.isWellFormed(type) else {
                throw JSONLDError(.invalidTypedValue)
            }
        }
        return ExpandedValue(value: value, type: type, language: language, direction: direction, index: index)
    }
}
