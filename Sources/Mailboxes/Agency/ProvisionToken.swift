import DIDComm
package import Encoding

/// A signed statement of a sponsor that a gate may have an agent at an agency (token-provisioning/0.1). A service of
/// the operator makes it.
///
/// An agency accepts a token once, and only within 10 minutes of the time in it.
package struct ProvisionToken: Hashable, Sendable {
    /// The members that the gate sends to the agency, each at most 1024 bytes long.
    private static let required: [Text] = ["sponseeId", "sponsorId", "nonce", "timestamp", "sig", "sponsorVerKey"]
    private static let optional: [Text] = ["attestationAlgorithm", "attestationData"]

    /// The members of the token that the gate sends to the agency, in the order in which they were read.
    package let json: JSON
    /// The sponsor's signature. The gate uses it to distinguish tokens.
    package let signature: Text

    /// Reads a token. Throws if a required member is absent, or if the signature is not that of the named sponsor over
    /// nonce, time, sponsee and sponsor.
    package init(_ json: JSON) throws(AgencyError) {
        var members = JSONObject()
        for member in json.object?.members ?? [] where (Self.required + Self.optional).contains(member.name) {
            guard let value = member.value.string, value.utf8.count <= 1024 else { throw .malformed }
            members[member.name] = .string(value)
        }
        let values = Self.required.compactMap { members[$0]?.string }
        guard values.count == Self.required.count, let sponsor = Verkey(values[5]),
            let signature = Base64.decodeAny(values[4].string),
            sponsor.verifies(signature, over: [2, 3, 0, 1].flatMap { Array(values[$0].utf8) })
        else { throw .malformed }
        self.json = .object(members)
        self.signature = values[4]
    }
}
