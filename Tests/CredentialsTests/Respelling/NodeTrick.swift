import Encoding

/// One node as a whole.
struct NodeSite {
    let node: JSONObject
    let isTop: Bool
    /// The IRIs of its types, as far as they have a meaning.
    let types: [Text]
    let prefixes: [Respeller.Prefix]

    /// Its id, or an unused one.
    var id: JSON { node["id"] ?? node["@id"] ?? "_:respelt" }

    /// Returns a compact form of an IRI.
    func compact(_ iri: Text) -> JSON? {
        prefixes.lazy.compactMap { prefix in
            iri.rest(behind: prefix.stem).map { JSON.text(prefix.term.string + ":" + $0.string) }
        }.first
    }
}

/// A way of writing a node and its types.
struct NodeTrick: Sendable {
    let name: String
    /// Whether the result is another form that a data model may allow, and not another spelling.
    var isForm = false
    let apply: @Sendable (NodeSite) -> JSON?

    static let all: [NodeTrick] = [
        NodeTrick(name: "@id and @type") { site in
            .object(site.node.renaming("id", to: "@id").renaming("type", to: "@type"))
        },
        NodeTrick(name: "last type by IRI", isForm: true) { site in
            guard let last = site.types.last, let types = site.node["type"]?.elements else { return nil }
            return .object(site.node.with("type", .array(types.dropLast() + [.string(last)])))
        },
        NodeTrick(name: "last type by compact IRI", isForm: true) { site in
            guard let last = site.types.last.flatMap(site.compact), let types = site.node["type"]?.elements else {
                return nil
            }
            return .object(site.node.with("type", .array(types.dropLast() + [last])))
        },
        NodeTrick(name: "last type elsewhere") { site in
            guard let types = site.node["type"]?.elements, let last = site.types.last,
                site.types.count == types.count
            else { return nil }
            let node = types.count == 1 ? site.node.without("type") : site.node.with("type", .array(types.dropLast()))
            let other: JSONObject = ["@id": site.id, "@type": .string(last)]
            return .object(node.without("id").with("@id", site.id).with("@included", .object(other)))
        },
        NodeTrick(name: "types beside @type") { site in
            guard let types = site.node["type"]?.elements, types.count > 1, site.types.count == types.count else {
                return nil
            }
            return .object(
                site.node.with("type", .array(types.dropLast())).with("@type", site.types.last.map { .string($0) }))
        },
        NodeTrick(name: "a blank node's id", isForm: true) { site in
            // A language map looks like a node, but has no id.
            site.node["id"] == nil && site.node["@id"] == nil && site.node["@value"] == nil && site.node["en"] == nil
                ? .object(site.node.with("@id", "_:respelt")) : nil
        },
        NodeTrick(name: "node in a set", isForm: true) { site in
            site.isTop ? nil : ["@set": [.object(site.node)]]
        },
        NodeTrick(name: "node in nested arrays", isForm: true) { site in
            site.isTop ? nil : [[[.object(site.node)]]]
        },
        NodeTrick(name: "all in @nest") { site in
            let kept: [Text] = ["@context", "id", "type"]
            let inside = JSONObject(site.node.members.filter { !kept.contains($0.name) })
            return .object(
                JSONObject(site.node.members.filter { kept.contains($0.name) } + [.init("@nest", .object(inside))]))
        },
        NodeTrick(name: "context of nothing below", isForm: true) { site in
            site.isTop || site.node["@context"] != nil ? nil : .object(site.node.with("@context", []))
        },
        NodeTrick(name: "second context below") { site in
            site.isTop || site.node["@context"] != nil
                ? nil : .object(site.node.with("@context", .string(SecondContext.aliasURL)))
        },
    ]
}

/// A way of writing a document as a whole.
enum DocumentTrick {
    /// The name, whether the result is a form that a data model may allow, and the change.
    static let all: [(String, Bool, @Sendable (JSONObject) -> JSONObject?)] = [
        ("@graph at the top", false, { graph(of: $0) { [.object($0)] } }),
        ("@graph with one object", false, { graph(of: $0) { .object($0) } }),
        ("@graph with the node twice", false, halves),
        (
            "a context twice", true,
            { node in
                guard let contexts = node["@context"]?.array, contexts.count > 1, let last = contexts.last else {
                    return nil
                }
                return node.with("@context", .array(contexts + [last]))
            }
        ),
    ]

    private static func graph(of node: JSONObject, _ make: (JSONObject) -> JSON) -> JSONObject? {
        guard let context = node["@context"] else { return nil }
        return ["@context": context, "@graph": make(node.without("@context"))]
    }

    @Sendable private static func halves(_ node: JSONObject) -> JSONObject? {
        let content = node.without("@context")
        let id = content["id"] ?? "_:respelt"
        let own = content.without("id").members.filter { $0.name != "type" }
        guard own.count > 1, let type = content["type"] else { return nil }
        func half(_ members: some Sequence<JSONObject.Member>) -> JSON {
            .object(JSONObject([.init("@id", id), .init("type", type)] + members))
        }
        let middle = own.count / 2
        return graph(of: node) { _ in [half(own[..<middle]), half(own[middle...])] }
    }
}
