package import Encoding

/// Facts about a plain document, found without an expansion (``JSONLDProcessor/plain(_:)``).
package struct PlainDocument: Sendable {
    /// The types of the outermost object that expand to well-formed IRIs.
    package fileprivate(set) var types: [Text] = []
}

/// Recognises plain documents, which can certainly be expanded. Apart from its contexts, a plain document has only
/// nodes, types, ids and values. It has no form for which JSON-LD has special rules: value objects, maps, graphs,
/// nests, reverse properties, JSON literals.
///
/// Contexts are applied exactly as in an expansion, so every error in a context is found. If it is not certain that a
/// document is plain, it does not count as plain and must be expanded.
extension Expander {
    /// Returns facts about the document; nil unless all these conditions hold:
    /// - Expanding the document and writing it as quads certainly succeeds.
    /// - `id`, `type` and each property and type with a standard name (``StandardNames``) have that name.
    /// - No id is a compact IRI.
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

    /// The state of the examination: what was seen so far, and how much more the limits of an expansion allow.
    private struct Look {
        /// The number of further values and types that the limits allow. Each of them becomes at most one quad.
        var values: Int
        /// The number of further bytes of IRIs that the limits allow.
        var bytes: Int
        /// The largest length in bytes of an IRI that may replace a prefix.
        let prefix: Int
        /// The ids of the nodes that an object has described so far.
        var described: Set<Text> = []
        /// The vocabulary that was examined last, and whether the IRI of any standard name begins with it.
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

        /// Returns whether a name that no context defines expands to an IRI whose standard name is another one.
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
            // Numbers with a fraction are excluded, because writing them has a limit of its own.
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
        // An object with only an id is a reference. It does not describe the node.
        return object.count == 1 || look.described.insert(id).inserted
    }

    /// Returns whether an id is a compact IRI: `active` defines the part before its colon as a prefix.
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
