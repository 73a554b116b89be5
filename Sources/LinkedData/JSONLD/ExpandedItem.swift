import Encoding

/// An element of an expanded document (JSON-LD 1.1 section 9: node, value and list objects).
indirect enum ExpandedItem: Sendable {
    case node(ExpandedNode)
    case value(ExpandedValue)
    case list([ExpandedItem], index: Text?)

    /// Whether the item is a graph object: a node with `@graph`, and with no other members than `@id` and `@index`.
    var isGraph: Bool {
        guard case .node(let node) = self else { return false }
        return node.graph != nil && node.types == nil && node.properties.isEmpty && node.reverse == nil
            && node.included == nil
    }
}

/// A node object after expansion.
struct ExpandedNode: Sendable {
    /// The `@id` of the node. The outer optional is nil if there is no `@id`; the inner one if the `@id` expands to
    /// nothing.
    var id: Text??
    /// The types of the node; nil if there is no `@type`. An element is nil if the type expands to nothing.
    var types: [Text?]?
    var properties = PropertyMap()
    var reverse: PropertyMap?
    var graph: [ExpandedItem]?
    var included: [ExpandedItem]?
    var index: Text?

    /// Whether the node has no members except an optional `@id`.
    var isReference: Bool {
        types == nil && properties.isEmpty && reverse == nil && graph == nil && included == nil && index == nil
    }
}

/// A value object after expansion.
struct ExpandedValue: Sendable {
    /// A string, number or boolean; with the type `@json` any JSON value.
    var value: JSON
    /// The type of the value: `@json` or a datatype; nil if the value has no type.
    var type: Text?
    var language: Text?
    var direction: Direction?
    var index: Text?
}

/// Properties with their values, in the order in which the properties first occur.
struct PropertyMap: Sendable {
    /// One property with its values.
    struct Entry: Sendable {
        let iri: Text
        /// Whether RDF allows the property as a predicate: its IRI is absolute and well-formed.
        let isWellFormed: Bool
        var items: [ExpandedItem]
    }

    private(set) var entries: [Entry] = []
    private var positions: [Text: Int]?

    var isEmpty: Bool { entries.isEmpty }

    /// Adds `items` to the values of the property `iri`: before the existing values if `first`, otherwise after them.
    mutating func add(_ items: [ExpandedItem], to iri: Text, isWellFormed: Bool, first: Bool = false) {
        if let position = positions?[iri] ?? (positions == nil ? entries.firstIndex { $0.iri == iri } : nil) {
            entries[position].items.insert(contentsOf: items, at: first ? 0 : entries[position].items.count)
            return
        }
        entries.append(Entry(iri: iri, isWellFormed: isWellFormed, items: items))
        if positions != nil {
            positions?[iri] = entries.count - 1
        } else if entries.count == 24 {
            positions = Dictionary(uniqueKeysWithValues: entries.enumerated().map { ($1.iri, $0) })
        }
    }

    /// Adds every property of `other` with its values.
    mutating func add(_ other: PropertyMap) {
        for entry in other.entries { add(entry.items, to: entry.iri, isWellFormed: entry.isWellFormed) }
    }
}

extension ExpandedItem {
    /// The item as JSON of an expanded document.
    var json: JSON {
        switch self {
        case .node(let node): .object(node.json)
        case .value(let value): .object(value.json)
        case .list(let items, let index):
            .object(JSONObject([("@list", .array(items.map(\.json)))], "@index", index))
        }
    }
}

extension ExpandedNode {
    fileprivate var json: JSONObject {
        var object = JSONObject()
        if let id { object["@id"] = id.map(JSON.string) ?? .null }
        if let types { object["@type"] = .array(types.map { $0.map(JSON.string) ?? .null }) }
        for entry in properties.entries { object[entry.iri] = .array(entry.items.map(\.json)) }
        if let reverse {
            object["@reverse"] = .object(
                JSONObject(reverse.entries.map { .init($0.iri, .array($0.items.map(\.json))) }))
        }
        if let graph { object["@graph"] = .array(graph.map(\.json)) }
        if let included { object["@included"] = .array(included.map(\.json)) }
        if let index { object["@index"] = .string(index) }
        return object
    }
}

extension ExpandedValue {
    fileprivate var json: JSONObject {
        var object = JSONObject([("@value", value)], "@type", type)
        if let language { object["@language"] = .string(language) }
        if let direction { object["@direction"] = .text(direction.rawValue) }
        if let index { object["@index"] = .string(index) }
        return object
    }
}

extension JSONObject {
    fileprivate init(_ members: [(Text, JSON)], _ name: Text, _ optional: Text?) {
        self.init(members.map { Member($0.0, $0.1) })
        if let optional { self[name] = .string(optional) }
    }
}
