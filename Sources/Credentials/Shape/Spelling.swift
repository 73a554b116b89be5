import Encoding

/// One spelling: linked data is to be written as its data model writes it. The expansion finds what is not
/// (`DeserializedDocument.unusualSpelling`); this names it where the reading of members by their names fails first.
enum Spelling {
    /// Where a document has a member that no data model of credentials has: a keyword, an IRI or a compact IRI as its name. A
    /// guess, as no context is looked at.
    static func suspicion(in document: JSONObject) -> String? { suspicion(in: .object(document)) }

    /// Pointers are made on the way back: names may be long, and there may be many members below one.
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

    /// Where the second description of a node stands; empty when it cannot be found.
    static func repetition(of id: Text, in document: JSONObject) -> String {
        let places = descriptions(of: id, in: .object(document))
        return places.count > 1 ? places[1] : ""
    }

    /// Where a node is described, two places at most.
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
