import Encoding

/// One spelling: linked data is to be written as its data model writes it. The expansion finds what is not
/// (`DeserializedDocument.unusualSpelling`); this names it where the reading of members by their names fails first.
enum Spelling {
    /// Where a document has a member that no data model of credentials has: a keyword, an IRI or a compact IRI as its name. A
    /// guess, as no context is looked at.
    static func suspicion(in document: JSONObject) -> String? { suspicion(in: .object(document), at: "") }

    private static func suspicion(in value: JSON, at pointer: String) -> String? {
        switch value {
        case .object(let object):
            for member in object.members where member.name != "@context" {
                let place = Pointer.append(pointer, member.name)
                if isUnusual(member.name, in: object) { return place }
                if let inner = suspicion(in: member.value, at: place) { return inner }
            }
        case .array(let elements):
            for (index, element) in elements.enumerated() where element.isContainer {
                let place = Pointer.append(pointer, index)
                if let inner = suspicion(in: element, at: place) { return inner }
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

    /// Where the second description of a node stands: empty when it cannot be found, nil for the one repetition that there is
    /// in the field. A status list of MOSIP's has the id of its credential; a reader of names is not misled by that unless the
    /// list has members of the credential.
    static func repetition(of id: Text, in document: JSONObject) -> String? {
        var places: [String] = []
        findDescriptions(of: id, in: .object(document), at: "", &places)
        let subject = document["credentialSubject"]?.object
        if places == ["", "/credentialSubject"], let subject,
            !subject.names.contains(where: CredentialVocabulary.credentialNames.contains)
        {
            return nil
        }
        return places.count > 1 ? places[1] : ""
    }

    private static func findDescriptions(of id: Text, in value: JSON, at pointer: String, _ places: inout [String]) {
        switch value {
        case .object(let object):
            if object["id"] == .string(id), object.count > 1 { places.append(pointer) }
            for member in object.members where member.value.isContainer && member.name != "@context" {
                findDescriptions(of: id, in: member.value, at: Pointer.append(pointer, member.name), &places)
            }
        case .array(let elements):
            for (index, element) in elements.enumerated() where element.isContainer {
                findDescriptions(of: id, in: element, at: Pointer.append(pointer, index), &places)
            }
        default: break
        }
    }
}
