import Encoding

/// The search for unusual spellings: linked data must be written as its data model writes it. The expansion detects
/// other spellings (`DeserializedDocument.unusualSpelling`). If the reading of members by name fails first, this search
/// finds the place.
enum Spelling {
    /// Returns the place of a member that no data model of credentials has: the name is a keyword, an IRI or a compact
    /// IRI. The result is a guess, because no context is read.
    static func suspicion(in document: JSONObject) -> String? { suspicion(in: .object(document)) }

    /// Returns the place of an unusual name in a value, at any depth; nil if there is none. The pointer is composed
    /// while the recursion returns, because names may be long and objects may have many members.
    private static func suspicion(in value: JSON) -> String? {
        switch value {
        case .object(let object):
            for member in object.members where member.name != "@context" {
                if isUnusual(member.name, in: object) { return Pointer.append("", member.name) }
                if let inner = suspicion(in: member.value) { return Pointer.append("", member.name) + inner }
            }
        case .array(let elements):
            for (index, element) in elements.enumerated() where element.isContainer {
                if let inner = suspicion(in: element) { return Pointer.append("", index) + inner }
            }
        default: break
        }
        return nil
    }

    private static func isUnusual(_ name: Text, in object: JSONObject) -> Bool {
        switch name {
        case "@value", "@language", "@direction", "@index", "@list", "@set": false
        case "@type": object["@value"] == nil
        default: name.utf8.first == UInt8(ascii: "@") || name.utf8.contains(UInt8(ascii: ":"))
        }
    }

    /// Returns the place of the second description of the node `id`; an empty pointer if there is no second
    /// description.
    static func repetition(of id: Text, in document: JSONObject) -> String {
        let places = descriptions(of: id, in: .object(document))
        return places.count > 1 ? places[1] : ""
    }

    /// Returns the places where a node is described, at most two.
    private static func descriptions(of id: Text, in value: JSON) -> [String] {
        var places: [String] = []
        func look(_ inner: JSON, _ step: @autoclosure () -> String) {
            guard inner.isContainer, places.count < 2 else { return }
            places += descriptions(of: id, in: inner).map { step() + $0 }
        }
        switch value {
        case .object(let object):
            if object["id"] == .string(id), object.count > 1 { places.append("") }
            for member in object.members where member.name != "@context" {
                look(member.value, Pointer.append("", member.name))
            }
        case .array(let elements):
            for (index, element) in elements.enumerated() { look(element, Pointer.append("", index)) }
        default: break
        }
        return Array(places.prefix(2))
    }
}
