import Encoding

/// One member of a node, with the facts that a trick may use.
struct MemberSite {
    let node: JSONObject
    let name: Text
    let value: JSON
    /// Whether the node is the document itself.
    let isTop: Bool
    let prefixes: [Respeller.Prefix]
    /// Names under the second pinned context.
    let aliases: [Text: Text]
    let meaning: () -> Meaning?

    /// The node without the member.
    var rest: JSONObject { node.without(name) }

    /// The node's id, or an unused name if it has none.
    var id: Text { node["id"]?.string ?? node["@id"]?.string ?? "_:respelt" }

    /// Returns a node with the id, if one is needed, in which the member is replaced by `node`.
    func named(_ node: JSONObject) -> JSONObject {
        node["id"] == nil && node["@id"] == nil ? node.with("@id", .string(id)) : node
    }

    /// Returns another node with the same id, which has only this member, under the IRI of its property.
    func fragment(_ meaning: Meaning) -> JSONObject { ["@id": .string(id), meaning.property: meaning.value] }
}

/// A way of writing one member.
struct MemberTrick: Sendable {
    struct Result {
        let node: JSONObject
        /// A context to be appended to the document's.
        var context: JSON?
    }

    let name: String
    /// Whether the document must be allowed contexts of its own.
    var isInline = false
    /// Whether the result is another form of the same value, which a data model may allow, and not another
    /// spelling.
    var isForm = false
    let apply: @Sendable (MemberSite) -> Result?

    static let all = nesting + elsewhere + keys + (values + sets).map(\.asForm) + inline + pinned

    private var asForm: MemberTrick {
        var trick = self
        trick.isForm = true
        return trick
    }

    /// Makes a trick that does not change the contexts.
    static func plain(_ name: String, _ apply: @escaping @Sendable (MemberSite) -> JSONObject?) -> MemberTrick {
        MemberTrick(name: name) { site in apply(site).map { Result(node: $0) } }
    }

    /// Makes such a trick that also needs the member's meaning.
    static func meant(_ name: String, _ apply: @escaping @Sendable (MemberSite, Meaning) -> JSONObject?) -> MemberTrick
    {
        plain(name) { site in site.meaning().flatMap { apply(site, $0) } }
    }
}

extension MemberTrick {
    /// Tricks that move the member one level down. JSON-LD reads the member as if the level did not exist.
    private static let nesting = [
        plain("@nest") { $0.rest.with("@nest", [$0.name: $0.value]) },
        plain("@nest in @nest") { $0.rest.with("@nest", [["@nest": [$0.name: $0.value]]]) },
        meant("IRI in @nest") { $0.rest.with("@nest", [$1.property: $1.value]) },
    ]

    /// Tricks that put the member on another object with the same id.
    private static let elsewhere = [
        meant("@included") { $0.named($0.rest).with("@included", [.object($0.fragment($1))]) },
        plain("@included by name") { site in
            var twin: JSONObject = ["@id": .string(site.id), site.name: site.value]
            twin["type"] = site.node["type"]
            return site.named(site.rest).with("@included", [.object(twin)])
        },
        meant("node below itself") { site, meaning in
            // The node of some other member states it about the node above.
            guard
                let other = site.rest.members.first(where: { $0.value.object?["id"] != nil && $0.name != "@context" }),
                let object = other.value.object, object["@included"] == nil
            else { return nil }
            return site.named(site.rest).with(
                other.name, .object(object.with("@included", .object(site.fragment(meaning)))))
        },
        meant("@reverse") { site, meaning in
            // Writes the member in reverse, from its values to the node.
            let values = meaning.values.enumerated().compactMap { index, value -> JSON? in
                guard var node = value.object, node["@value"] == nil, node["@list"] == nil else { return nil }
                if node["@id"] == nil { node["@id"] = .text("_:value\(index)") }
                node["@reverse"] = [meaning.property: ["@id": .string(site.id)]]
                return .object(node)
            }
            guard values.count == meaning.values.count else { return nil }
            return site.named(site.rest).with("@included", .array(values))
        },
        meant("reference, content elsewhere") { site, meaning in
            guard meaning.values.count == 1, var node = meaning.values[0].object, node["@value"] == nil,
                node["@list"] == nil, node["@graph"] == nil, node.count > 1 || node["@id"] == nil
            else { return nil }
            let id = node["@id"] ?? "_:value"
            node["@id"] = id
            return site.node.with(site.name, ["@id": id]).with("@included", .object(node))
        },
        meant("node written twice") { site, meaning in
            // The values become nodes with one id, each with a part of the statements.
            guard meaning.values.count == 1, var node = meaning.values[0].object, node["@value"] == nil,
                let last = node.members.last(where: { !$0.name.hasPrefix("@") })
            else { return nil }
            let id = node["@id"] ?? "_:value"
            node["@id"] = id
            let other: JSONObject = ["@id": id, last.name: last.value]
            return site.node.with(site.name, [.object(node.without(last.name)), .object(other)])
        },
        plain("object written twice, by name") { site in
            guard let object = site.value.object, object["@value"] == nil,
                let last = object.members.last(where: { !["id", "type", "@id", "@context"].contains($0.name) })
            else { return nil }
            let id = object["id"] ?? object["@id"] ?? "_:value"
            var other: JSONObject = ["@id": id, last.name: last.value]
            other["type"] = object["type"]
            return site.node.with(
                site.name,
                [.object(object.without(last.name).without("id").with("@id", id)), .object(other)])
        },
    ]

    /// Tricks that use another key.
    private static let keys = [
        meant("IRI") { $0.node.renaming($0.name, to: $1.property, $1.value) },
        meant("IRI, one value") {
            $1.values.count == 1 ? $0.node.renaming($0.name, to: $1.property, $1.values[0]) : nil
        },
        meant("IRI, value as written") { site, meaning in site.node.renaming(site.name, to: meaning.property) },
        meant("compact IRI") { site, meaning in
            let keys = site.prefixes.compactMap { prefix in
                meaning.property.rest(behind: prefix.stem).map { Text(prefix.term.string + ":" + $0.string) }
            }
            return keys.first.map { site.node.renaming(site.name, to: $0, meaning.value) }
        },
        plain("keyword for alias") { site in
            let keywords: [Text: Text] = ["id": "@id", "type": "@type", "@id": "id", "@type": "type"]
            return keywords[site.name].map { site.node.renaming(site.name, to: $0) }
        },
        meant("split between name and IRI") { site, meaning in
            guard let elements = site.value.array, elements.count > 1, meaning.values.count == elements.count else {
                return nil
            }
            return site.node.with(site.name, .several(elements.dropLast()))
                .with(meaning.property, .array([meaning.values[elements.count - 1]]))
        },
        meant("split between IRI and name") { site, meaning in
            guard let elements = site.value.array, elements.count > 1, meaning.values.count == elements.count else {
                return nil
            }
            return site.node.with(site.name, .several(elements.dropFirst()))
                .with(meaning.property, .array([meaning.values[0]]))
        },
        meant("beside its IRI") { site, meaning in site.node.with(meaning.property, meaning.value) },
    ]
}
