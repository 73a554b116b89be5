import Encoding
import LinkedData
import Reasons

/// Checks of single members of a credential or presentation. A failure names its member.
struct Members {
    let document: JSONObject
    let limits: Limits

    init(_ document: JSONObject, limits: Limits) {
        self.document = document
        self.limits = limits
    }

    /// Returns a member; nil if the member is absent or `null`, which means absence in JSON-LD.
    subscript(name: Text) -> JSON? { document[name].flatMap { $0.isNull ? nil : $0 } }

    /// Checks `@context`: a list of URLs and objects that starts with a W3C credentials context.
    func contextVersion() throws(Rejection) -> CredentialShape.Version {
        guard let entries = document["@context"]?.array, let first = entries.first?.string,
            let version = CredentialShape.Version(rawValue: first)
        else { throw Rejection(.shapeContext, at: "/@context") }
        for (index, entry) in entries.enumerated() where entry.object == nil {
            guard let url = entry.string, isIdentifier(url) else {
                throw Rejection(.shapeContext, at: Pointer.append("/@context", index))
            }
        }
        return version
    }

    /// Checks `type`: one text or a list of texts. `required` must be among them.
    func types(including required: Text) throws(Rejection) -> [Text] {
        let types = Self.texts(document["type"])
        guard let types, types.contains(required) else { throw Rejection(.shapeType, at: "/type") }
        return types
    }

    /// Checks `issuer`: a URL or an object with a URL as `id`.
    func issuer(describedIn version: CredentialShape.Version) throws(Rejection) -> Text {
        let member = document["issuer"]
        if let text = member?.string, isIdentifier(text) { return text }
        guard let object = member?.object, let id = object["id"]?.string, isIdentifier(id) else {
            throw Rejection(.shapeIssuer, at: "/issuer")
        }
        if version == .v2 { try languageValues(in: object, at: "/issuer") }
        return id
    }

    /// Checks `credentialSubject`: a non-empty object or a non-empty list of such objects. The ids of these objects
    /// must be URLs.
    func subjects() throws(Rejection) {
        let pointer = "/credentialSubject"
        let subjects = document["credentialSubject"].map { $0.array ?? [$0] } ?? []
        guard !subjects.isEmpty else { throw Rejection(.shapeCredentialSubject, at: pointer) }
        for subject in subjects {
            guard let object = subject.object, !object.isEmpty, isIdentifierOrAbsent(object["id"]) else {
                throw Rejection(.shapeCredentialSubject, at: pointer)
            }
        }
    }

    /// Checks `id`: absent or one URL.
    func id(_ code: ReasonCode) throws(Rejection) {
        guard isIdentifierOrAbsent(self["id"]) else { throw Rejection(code, at: "/id") }
    }

    /// Reads a date member: absent, or an RFC 3339 date-time.
    func date(_ name: Text, zoneRequired: Bool) throws(Rejection) -> Timestamp? {
        guard let member = self[name] else { return nil }
        guard let date = member.string.flatMap({ Self.dateTime($0, zoneRequired: zoneRequired) }) else {
            throw Rejection(.shapeDates, at: Pointer.append("", name))
        }
        return date
    }

    /// Returns the instant of an xsd:dateTime; nil for any other text.
    static func dateTime(_ text: Text, zoneRequired: Bool) -> Timestamp? {
        isXMLDateTime(text) ? Timestamp(rfc3339: text.string, zoneRequired: zoneRequired) : nil
    }

    /// Returns whether a text obeys the rules of XML Schema 1.1 part 2 section 3.3.7 that are stricter than RFC 3339:
    /// upper-case letters, and zones up to 14 hours.
    private static func isXMLDateTime(_ text: Text) -> Bool {
        if text.utf8.contains(where: { $0 == UInt8(ascii: "t") || $0 == UInt8(ascii: "z") }) { return false }
        let zone = text.utf8.suffix(6)
        guard zone.count == 6, zone.first == UInt8(ascii: "+") || zone.first == UInt8(ascii: "-") else { return true }
        return !"14:00".utf8.lexicographicallyPrecedes(zone.dropFirst())
    }

    /// Reads one object or a list of objects. Each object must have a `type` of text, and its `id`, if present, must be
    /// a URL.
    func entries(_ name: Text, _ code: ReasonCode, idRequired: Bool = false) throws(Rejection) -> [Located<JSONObject>]
    {
        guard let member = self[name] else { return [] }
        let pointer = Pointer.append("", name)
        var entries: [Located<JSONObject>] = []
        for (index, element) in (member.array ?? [member]).enumerated() {
            guard let object = element.object, let types = Self.texts(object["type"]), !types.isEmpty,
                isIdentifierOrAbsent(object["id"]), !idRequired || object["id"] != nil
            else { throw Rejection(code, at: pointer) }
            entries.append(
                Located(value: object, pointer: member.array == nil ? pointer : Pointer.append(pointer, index)))
        }
        return entries
    }

    /// Checks `relatedResource` of VCDM 2.0 (section 5.3): one object or a list of objects, each with a different URL
    /// as `id` and at least one digest. The digests are not compared, because the resources are not available.
    func relatedResources() throws(Rejection) {
        guard let member = self["relatedResource"] else { return }
        var ids: Set<Text> = []
        for resource in member.array ?? [member] {
            let digests = ["digestSRI", "digestMultibase"].compactMap { resource[$0] }
            guard let id = resource["id"]?.string, isIdentifier(id), ids.insert(id).inserted, !digests.isEmpty,
                digests.allSatisfy({ Self.texts($0)?.isEmpty == false }),
                resource["mediaType"].map({ $0.string != nil }) ?? true
            else { throw Rejection(.shapeMember, at: "/relatedResource") }
        }
    }

    /// Checks `name` and `description` of VCDM 2.0 (section 4.6): a text, a language value object, or a list of
    /// language value objects.
    func languageValues(in object: JSONObject, at parent: String) throws(Rejection) {
        let allowed: [Text] = ["@value", "@language", "@direction"]
        for name in ["name", "description"] as [Text] {
            guard let member = object[name], !member.isNull else { continue }
            for value in member.array ?? [member] where value.string == nil {
                guard let language = value.object, language["@value"]?.string != nil,
                    language.members.allSatisfy({ allowed.contains($0.name) && $0.value.string != nil })
                else { throw Rejection(.shapeMember, at: Pointer.append(parent, name)) }
            }
        }
    }

    /// Reads `proof`: absent, an object, or a list of objects. Each object must have one `type`.
    func proofs() throws(Rejection) -> [Located<JSONObject>] {
        guard let member = self["proof"] else { return [] }
        let elements = member.array ?? [member]
        guard elements.count <= limits.proofs else { throw Rejection(.inputTooLarge, at: "/proof") }
        var proofs: [Located<JSONObject>] = []
        for (index, element) in elements.enumerated() {
            let pointer = member.array == nil ? "/proof" : Pointer.append("/proof", index)
            guard let proof = element.object, proof["type"]?.string != nil else {
                throw Rejection(.shapeProof, at: pointer)
            }
            proofs.append(Located(value: proof, pointer: pointer))
        }
        return proofs
    }

    /// Returns whether `text` is a URL of acceptable length.
    func isIdentifier(_ text: Text) -> Bool {
        text.utf8.count <= limits.identifierBytes && IRI.isWellFormed(text) && !text.hasSuffix(":")
    }

    private func isIdentifierOrAbsent(_ member: JSON?) -> Bool {
        guard let member else { return true }
        return member.string.map(isIdentifier) ?? false
    }

    /// Returns the texts of a member that is one text or a list of texts; nil for any other member.
    private static func texts(_ member: JSON?) -> [Text]? {
        if let text = member?.string { return [text] }
        guard let elements = member?.array else { return nil }
        let texts = elements.compactMap(\.string)
        return texts.count == elements.count ? texts : nil
    }
}
