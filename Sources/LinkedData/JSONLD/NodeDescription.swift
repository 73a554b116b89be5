package import Encoding

/// One of several objects of a document that describe the same node.
package struct NodeDescription: Hashable, Sendable {
    /// The node's expanded id.
    package let id: Text
    /// The number of the object among all nodes and graphs of the document. The outermost object has number 0.
    package let object: Int
    /// The number of the object that has this object as a value; nil for an object at the top, in a graph or under a
    /// keyword.
    package let parent: Int?
    /// The property that has this object as a value; nil if there is no such property.
    package let property: Text?
    /// The properties that this object states about the node. Types are not included.
    package let properties: [Text]
}

/// Finds the nodes that several objects describe. The search runs only for documents with such nodes.
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
