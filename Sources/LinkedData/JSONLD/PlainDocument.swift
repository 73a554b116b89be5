package import Encoding

/// Facts about a document that was recognised as plain without an expansion (``JSONLDProcessor/plain(_:)``).
package struct PlainDocument: Sendable {
    /// The types of the outermost object, if they are IRIs.
    package fileprivate(set) var types: [Text] = []
}

/// Recognises plain documents. A plain document can certainly be expanded. It has only nodes, types, ids and values
/// under its contexts. It has no form for which JSON-LD has special rules: value objects, maps, graphs, nests, reverse
/// properties, JSON literals.
///
/// Contexts are applied exactly as in the expansion algorithm, so every error in a context is found. In doubt a
/// document does not count as plain and must be expanded.
extension Expander {
    /// Returns facts about the document; nil unless all these conditions hold:
    /// - Expanding the document and writing it as quads certainly succeeds.
    /// - `id`, `type` and each property and type with a standard name (``StandardNames``) have that name.
    /// - No id is abbreviated.
    /// - No two objects describe the same node.
    mutating func plain(_ document: JSONObject) -> PlainDocument? {
        var look = Look(values: min(limits.quads, limits.items), bytes: limits.iriBytes, prefix: limits.iriLength)
        do throws(JSONLDError) {
            let active = try contexts.initial(options)
            let isPlain = try isPlain(document, .none, active, &look)
            contexts.finish()
            return isPlain ? look.found : nil
        } catch { return nil }
    }

    /// The state of the examination: the values seen, and the distance to the limits of an expansion.
    private struct Look {
        /// The number of values and types that may still follow. Each of them becomes at most one quad.
        var values: Int
        /// The number of bytes of IRIs that may still follow.
        var bytes: Int
        /// The length of the longest IRI that may replace a prefix in a text.
        let prefix: Int
        /// The ids of the nodes that were already described.
        var described: Set<Text> = []
        /// The vocabulary used last, and whether any standard IRI begins with it.
        private var vocabulary: (iri: Text, isStandard: Bool)?
        var found = PlainDocument()

        init(values: Int, bytes: Int, prefix: Int) { (self.values, self.bytes, self.prefix) = (values, bytes, prefix) }

        mutating func takeValue() -> Bool {
            values -= 1
            return values > 0
        }

        mutating func take(iri text: Text, _ active: ActiveContext) -> Bool {
            let before = active.state.vocabulary?.utf8.count ?? 0
            bytes -= text.utf8.count + (text.utf8.contains(UInt8(ascii: ":")) ? max(before, prefix) : before)
            return bytes > 0
        }

        /// Whether a name that no context defines expands to an IRI with a different standard name.
        mutating func renames(_ name: Text, _ active: ActiveContext, _ names: StandardNames) -> Bool {
            guard let iri = active.state.vocabulary else { return false }
            if vocabulary?.iri != iri { vocabulary = (iri, names.begin(with: iri)) }
            guard vocabulary?.isStandard == true else { return false }
            return names.renames(Text(iri.string + name.string), as: name)
        }
    }

    private mutating func isPlain(
        _ value: JSON, _ property: ActiveProperty, _ definition: TermDefinition?, _ active: ActiveContext,
        _ look: inout Look
    ) throws(JSONLDError) -> Bool {
        guard look.takeValue() else { return false }
        switch value {
        case .number(let number):
            // Fractions are excluded, because a separate limit bounds the work of writing fractions.
            return definition?.fields.context == nil && definition?.fields.type == nil && number.int != nil
        case .null, .bool: return definition?.fields.context == nil
        case .string(let text):
            guard definition?.fields.context == nil else { return false }
            switch definition?.fields.type {
            case .id?: return look.take(iri: text, active) && !isCompact(text, active)
            case .vocab?: return look.take(iri: text, active)
            default: return true
            }
        case .array(let elements):
            for element in elements {
                guard try isPlain(element, property, definition, active, &look) else { return false }
            }
            return true
        case .object(let object): return try isPlain(object, property, active, &look)
        }
    }

    private mutating func isPlain(
        _ object: JSONObject, _ property: ActiveProperty, _ given: ActiveContext, _ look: inout Look
    ) throws(JSONLDError) -> Bool {
        let (frame, _) = try frame(for: object, property, given, fromMap: false)
        for index in object.members.indices {
            let definition = frame.active[object.members[index].name]
            if definition?.isUnusual == true { return false }
            if let definition, definition.takesPlainText, case .string = object.members[index].value {
                guard look.takeValue() else { return false }
                continue
            }
            let member = object.members[index]
            if member.name == Keyword.context.text { continue }
            guard let mapping = definition?.fields.mapping else {
                // The name is not a term. It is `@id`, `@type`, an IRI or a name without meaning.
                guard member.name.utf8.first != UInt8(ascii: "@"), !Spelling.isCompact(member.name),
                    !look.renames(member.name, frame.active, standardNames), look.take(iri: member.name, frame.active),
                    try isPlain(member.value, .term(member.name), nil, frame.active, &look)
                else { return false }
                continue
            }
            switch mapping {
            case .nothing: continue
            case .keyword(.id): guard isPlain(id: member, of: object, frame, &look) else { return false }
            case .keyword(.type): guard isPlain(type: member, property, frame, &look) else { return false }
            case .keyword: return false
            case .iri:
                guard let fields = definition?.fields, fields.container.isSubset(of: .set), !fields.isReverse,
                    fields.type != .json,
                    try isPlain(member.value, .term(member.name), definition, frame.active, &look)
                else { return false }
            }
        }
        return true
    }

    private func isPlain(
        id member: JSONObject.Member, of object: JSONObject, _ frame: Frame, _ look: inout Look
    ) -> Bool {
        guard member.name == "id", let id = member.value.string, look.take(iri: id, frame.active),
            !isCompact(id, frame.active)
        else { return false }
        // An object with only an id refers to a node. Such an object does not describe the node.
        return object.count == 1 || look.described.insert(id).inserted
    }

    /// Returns whether an id is a compact IRI, which expands to a different id.
    private func isCompact(_ id: Text, _ active: ActiveContext) -> Bool {
        guard let (prefix, _) = ActiveContext.State.splitCompact(id) else { return false }
        return active[prefix]?.fields.isPrefix == true
    }

    private func isPlain(
        type member: JSONObject.Member, _ property: ActiveProperty, _ frame: Frame, _ look: inout Look
    ) -> Bool {
        guard member.name == "type" else { return false }
        for type in member.value.array ?? [member.value] {
            guard look.takeValue(), let text = type.string, look.take(iri: text, frame.active) else { return false }
            guard case .iri(let iri) = frame.typeScope.state.expand(text, vocabulary: true, documentRelative: true)
            else { continue }
            if standardNames.renames(iri, as: text) { return false }
            if case .none = property, IRI.isWellFormed(iri) { look.found.types.append(iri) }
        }
        return true
    }
}
