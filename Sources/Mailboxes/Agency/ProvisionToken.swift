import DIDComm
package import Encoding

/// A sponsor's statement that a gate may have an agent (token-provisioning/0.1), made by the operator's own
/// service.
///
/// An agency accepts it within 10 minutes of its time, and once: after that a new one is needed.
package struct ProvisionToken: Hashable, Sendable {
    /// The members that are sent, each at most 1024 bytes.
    private static let required: [Text] = ["sponseeId", "sponsorId", "nonce", "timestamp", "sig", "sponsorVerKey"]
    private static let optional: [Text] = ["attestationAlgorithm", "attestationData"]

    /// The members as they were read, in their order.
    package let json: JSON
    /// The sponsor's signature. It distinguishes one token from another.
    package let signature: Text

    /// Reads a token. The signature must be the named sponsor's signature over the concatenated nonce, time,
    /// sponsee and sponsor.
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
