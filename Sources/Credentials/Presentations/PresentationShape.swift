import Encoding
import Reasons

/// A linked-data presentation with well-formed members (VCDM 1.1 section 4.10, VCDM 2.0 section 4.13).
struct PresentationShape {
    let document: JSONObject
    /// The holder's id; nil if the presentation names no holder.
    let holder: Text?
    /// The presented credentials: objects or, in VCDM 1.1, token texts.
    let credentials: [Located<JSON>]
    /// The proofs of the presentation; empty if the presentation is unsigned.
    let proofs: [Located<JSONObject>]

    init(_ document: JSONObject, limits: Limits) throws(Rejection) {
        self.document = document
        let members = Members(document, limits: limits)
        let version = try members.contextVersion()
        _ = try members.types(including: "VerifiablePresentation")
        try members.id(.shapeID)
        holder = try Self.holder(members)
        credentials = try Self.credentials(document, tokensAllowed: version == .v1, limits)
        proofs = try members.proofs()
    }

    private static func holder(_ members: Members) throws(Rejection) -> Text? {
        guard let member = members["holder"] else { return nil }
        guard let id = member.string ?? member["id"]?.string, members.isIdentifier(id) else {
            throw Rejection(.shapeMember, at: "/holder")
        }
        return id
    }

    private static func credentials(
        _ document: JSONObject, tokensAllowed: Bool, _ limits: Limits
    ) throws(Rejection) -> [Located<JSON>] {
        guard let member = document["verifiableCredential"], !member.isNull else { return [] }
        let elements = member.array ?? [member]
        guard elements.count <= limits.credentials else { throw Rejection(.inputTooLarge, at: "/verifiableCredential") }
        var credentials: [Located<JSON>] = []
        for (index, element) in elements.enumerated() {
            let pointer =
                member.array == nil ? "/verifiableCredential" : Pointer.append("/verifiableCredential", index)
            guard element.object != nil || tokensAllowed && element.string != nil else {
                throw Rejection(.shapeMember, at: pointer)
            }
            credentials.append(Located(value: element, pointer: pointer))
        }
        return credentials
    }
}
