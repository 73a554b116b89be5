package import Encoding

/// What is known of a document without expanding it (``JSONLDProcessor/plain(_:)``).
package struct PlainDocument: Sendable {
    /// The types of the outermost object that are IRIs.
    package fileprivate(set) var types: [Text] = []
}

/// Documents of which it is known beforehand that they can be expanded, and that they state no more than their names
/// say: nodes, types, ids and values under the contexts, and nothing whose form JSON-LD has rules for (value objects,
/// maps, graphs, nests, reverse properties, JSON literals).
///
/// Contexts are applied exactly as the expansion algorithm applies them, so that every fault of theirs shows. What is
/// not certain counts as not plain; it is then for the expansion to find out.
extension Expander {
    /// What is known of the document; nil unless expanding it and writing it as quads is certain to meet no error, each
    /// of its properties and types with a standard name (``StandardNames``) has that name, so have `id` and `type`,
    /// each id is written out, and no two objects describe one node.
    mutating func plain(_ document: JSONObject) -> PlainDocument? {
        var look = Look(values: min(limits.quads, limits.items), bytes: limits.iriBytes, prefix: limits.iriLength)
        do throws(JSONLDError) {
            let active = try contexts.initial(options)
            let isPlain = try isPlain(document, .none, active, &look)
            contexts.finish()
            return isPlain ? look.found : nil
        } catch { return nil }
    }

    /// A look at a document: what may still come, so that no limit of expansion is reached, and what was seen.
    private struct Look {
        /// Values and types: each comes to one quad at most.
        var values: Int
        /// Bytes of IRIs.
        var bytes: Int
        /// The longest IRI that can come before a text.
        let prefix: Int
        /// The ids of the nodes that were described.
        var described: Set<Text> = []
        /// Whether a standard name may begin with that vocabulary, of the one asked for last.
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

        /// Whether a name that no context defines stands for a standard one.
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
            // Writing fractions has a limit of its own.
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
                // No term: @id, @type, an IRI, or a name without meaning.
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
        // An object of nothing else refers to a node and does not describe it.
        return object.count == 1 || look.described.insert(id).inserted
    }

    /// Whether an id stands for another one.
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
