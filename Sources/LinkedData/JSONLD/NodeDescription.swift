package import Encoding

/// One object of a document, where several objects describe the same node.
package struct NodeDescription: Hashable, Sendable {
    /// The expanded id of the node.
    package let id: Text
    /// The number of the object in document order among all objects that describe nodes. The outermost object has
    /// number 0.
    package let object: Int
    /// The number of the object of which this object is a value; nil if it is at the top, in a graph, or under a
    /// keyword.
    package let parent: Int?
    /// The property of which this object is a value; nil if there is none.
    package let property: Text?
    /// The IRIs of the properties of the node that this object states, without types.
    package let properties: [Text]
}

/// Finds all descriptions of given nodes. It is used only for documents in which several objects describe one node.
struct NodeDescriptions {
    private let ids: Set<Text>
    private(set) var found: [NodeDescription] = []
    private var objects = 0

    init(of ids: Set<Text>, in items: [ExpandedItem]) {
        self.ids = ids
        visit(items, of: nil, under: nil)
    }

    private mutating func visit(_ items: [ExpandedItem], of parent: Int?, under property: Text?) {
        for item in items {
            switch item {
            case .node(let node): visit(node, of: parent, under: property)
            case .list(let items, _): visit(items, of: parent, under: property)
            case .value: continue
            }
        }
    }

    private mutating func visit(_ node: ExpandedNode, of parent: Int?, under property: Text?) {
        let object = objects
        objects += 1
        if let id = node.id ?? nil, ids.contains(id), !node.isReference {
            found.append(
                NodeDescription(
                    id: id, object: object, parent: parent, property: property,
                    properties: (node.properties.entries + (node.reverse?.entries ?? [])).map(\.iri)))
        }
        for entry in node.properties.entries { visit(entry.items, of: object, under: entry.iri) }
        for entry in node.reverse?.entries ?? [] { visit(entry.items, of: nil, under: nil) }
        visit(node.graph ?? [], of: nil, under: nil)
        visit(node.included ?? [], of: nil, under: nil)
    }
}
