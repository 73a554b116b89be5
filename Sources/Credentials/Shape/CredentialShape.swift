import Encoding
import Reasons

/// A linked-data credential with well-formed members (VCDM 1.1 section 4, VCDM 2.0 section 4).
struct CredentialShape {
    /// The versions of the data model. The first context determines the version.
    enum Version: Text, CaseIterable {
        case v1 = "https://www.w3.org/2018/credentials/v1"
        case v2 = "https://www.w3.org/ns/credentials/v2"
    }

    let document: JSONObject
    let version: Version
    let types: [Text]
    let issuer: Text
    let validFrom: Timestamp?
    let validUntil: Timestamp?
    let statusEntries: [Located<JSONObject>]
    /// The proofs of the credential; empty only if no proof was required.
    let proofs: [Located<JSONObject>]

    /// Checks the members in the order of Tests/Vectors/README.md. A missing proof is found last.
    init(_ document: JSONObject, profile: Profile, proofRequired: Bool, limits: Limits) throws(Rejection) {
        self.document = document
        let members = Members(document, limits: limits)
        version = try members.contextVersion()
        types = try members.types(including: "VerifiableCredential")
        issuer = try members.issuer(describedIn: version)
        try members.subjects()
        try members.id(.shapeID)
        (validFrom, validUntil) = try Self.dates(members, version, profile)
        statusEntries = try members.entries("credentialStatus", .shapeStatus, idRequired: version == .v1)
        guard statusEntries.count <= limits.statusEntries else {
            throw Rejection(.inputTooLarge, at: "/credentialStatus")
        }
        for name in ["credentialSchema", "refreshService"] as [Text] {
            let idRequired = name == "credentialSchema" || version == .v1
            _ = try members.entries(name, .shapeMember, idRequired: idRequired)
        }
        for name in ["termsOfUse", "evidence"] as [Text] { _ = try members.entries(name, .shapeMember) }
        if version == .v2 {
            try members.languageValues(in: document, at: "")
            try members.relatedResources()
        }
        proofs = try members.proofs()
        guard !proofRequired || !proofs.isEmpty else { throw Rejection(.proofMissing, at: "/proof") }
    }

    /// Returns the latest start and the earliest end of validity in the members of both data model versions. A date
    /// that is not signed can only narrow the validity.
    private static func dates(
        _ members: Members, _ version: Version, _ profile: Profile
    ) throws(Rejection) -> (from: Timestamp?, until: Timestamp?) {
        let zoned = profile == .strict
        let issued = try members.date("issuanceDate", zoneRequired: zoned)
        let from = try members.date("validFrom", zoneRequired: zoned)
        let expires = try members.date("expirationDate", zoneRequired: zoned)
        let until = try members.date("validUntil", zoneRequired: zoned)
        // MOSIP issues credentials/v1 with validFrom in place of issuanceDate.
        if version == .v1, issued == nil, profile == .strict || from == nil {
            throw Rejection(.shapeDates, at: "/issuanceDate")
        }
        let start = [issued, from].compactMap(\.self).max()
        let end = [expires, until].compactMap(\.self).min()
        if let start, let end, end < start {
            throw Rejection(.shapeDates, at: until != nil ? "/validUntil" : "/expirationDate")
        }
        return (start, end)
    }
}
