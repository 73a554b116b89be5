import Encoding

/// Documents of which it is known beforehand that they can be expanded: nodes, types, ids and values under the contexts,
/// and nothing whose form JSON-LD has rules for (value objects, maps, graphs, nests, reverse properties, JSON literals).
///
/// Contexts are applied exactly as the expansion algorithm applies them, so that every fault of theirs shows. What is not
/// certain counts as not plain; it is then for the expansion to find out.
extension Expander {
    /// Whether expanding the document and writing it as quads is certain to meet no error.
    mutating func isPlain(_ document: JSONObject) -> Bool {
        var room = Room(values: min(limits.quads, limits.items), bytes: limits.iriBytes, prefix: limits.iriLength)
        do throws(JSONLDError) {
            let active = try contexts.initial(options)
            let isPlain = try isPlain(document, .none, active, &room)
            contexts.finish()
            return isPlain
        } catch { return false }
    }

    /// What a plain document may hold, so that no limit of expansion is reached.
    private struct Room {
        /// Values and types: each comes to one quad at most.
        var values: Int
        /// Bytes of IRIs.
        var bytes: Int
        /// The longest IRI that can come before a text.
        let prefix: Int

        mutating func takeValue() -> Bool {
            values -= 1
            return values > 0
        }

        mutating func take(iri text: Text, _ active: ActiveContext) -> Bool {
            let before = active.state.vocabulary?.utf8.count ?? 0
            bytes -= text.utf8.count + (text.utf8.contains(UInt8(ascii: ":")) ? max(before, prefix) : before)
            return bytes > 0
        }
    }

    private mutating func isPlain(
        _ value: JSON, _ property: ActiveProperty, _ definition: TermDefinition?, _ active: ActiveContext,
        _ room: inout Room
    ) throws(JSONLDError) -> Bool {
        guard room.takeValue() else { return false }
        switch value {
        case .number(let number):
            // Writing fractions has a limit of its own.
            return definition?.fields.context == nil && definition?.fields.type == nil && number.int != nil
        case .null, .bool: return definition?.fields.context == nil
        case .string(let text):
            guard definition?.fields.context == nil else { return false }
            switch definition?.fields.type {
            case .id?, .vocab?: return room.take(iri: text, active)
            default: return true
            }
        case .array(let elements):
            for element in elements {
                guard try isPlain(element, property, definition, active, &room) else { return false }
            }
            return true
        case .object(let object): return try isPlain(object, property, active, &room)
        }
    }

    private mutating func isPlain(
        _ object: JSONObject, _ property: ActiveProperty, _ given: ActiveContext, _ room: inout Room
    ) throws(JSONLDError) -> Bool {
        let (frame, _) = try frame(for: object, property, given, fromMap: false)
        var hasID = false
        for index in object.members.indices {
            let definition = frame.active[object.members[index].name]
            if let definition, definition.takesPlainText, case .string = object.members[index].value {
                guard room.takeValue() else { return false }
                continue
            }
            let member = object.members[index]
            if member.name == Keyword.context.text { continue }
            guard let mapping = definition?.fields.mapping else {
                // No term: @id, @type, an IRI, or a name without meaning.
                guard member.name.utf8.first != UInt8(ascii: "@"), !Spelling.isCompact(member.name),
                    room.take(iri: member.name, frame.active),
                    try isPlain(member.value, .term(member.name), nil, frame.active, &room)
                else { return false }
                continue
            }
            if definition?.isUnusual == true { return false }
            switch mapping {
            case .nothing: continue
            case .keyword(.id):
                guard !hasID, let id = member.value.string, room.take(iri: id, frame.active) else { return false }
                hasID = true
            case .keyword(.type):
                for type in member.value.array ?? [member.value] {
                    guard room.takeValue(), let text = type.string, room.take(iri: text, frame.active) else {
                        return false
                    }
                }
            case .keyword: return false
            case .iri:
                guard let fields = definition?.fields, fields.container.isSubset(of: .set), !fields.isReverse,
                    fields.type != .json,
                    try isPlain(member.value, .term(member.name), definition, frame.active, &room)
                else { return false }
            }
        }
        return true
    }
}
