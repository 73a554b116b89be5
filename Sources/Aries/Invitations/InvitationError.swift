package import Encoding

/// Why an invitation cannot be used. ``remedy`` is the instruction for the operator.
package enum InvitationError: Error, Hashable, Sendable {
    /// The input is longer than ``InvitationText/maxBytes``.
    case tooLarge
    /// The input is neither JSON nor a URL that contains an invitation.
    case notAnInvitation
    /// The input is a URL, but its scheme is not http, https or didcomm.
    case unsupportedScheme
    /// The parameter of the URL that should contain the invitation is not base64.
    case notBase64
    /// The input, or the decoded content of the URL, is not JSON.
    case notJSON
    /// The JSON is no invitation.
    case anotherMessage
    /// The protocol of the invitation has an unsupported major version.
    case unsupportedVersion
    /// The invitation has no `@id`.
    case noID
    /// The invitation has no service, or a service without a recipient key.
    case noKey
    /// A key in the invitation is not a valid Ed25519 key, or a service has too many keys.
    case badKey
    /// The DID of a service does not have the form that its DID method requires.
    case badDID
    /// A service in the invitation has no endpoint.
    case noEndpoint
    /// The invitation offers no handshake and contains no request.
    case nothingOffered
    /// This program knows none of the handshakes that the invitation offers.
    case unknownHandshakes
    /// The invitation offers no handshake, so it permits no lasting connection. It only asks for an answer to an
    /// attached request.
    case noHandshake
    /// Only a ledger or another service can resolve the inviter's DID. `method`: the DID method, such as `sov`.
    case needsResolver(method: Text)
    /// The invitation has no endpoint that can be reached by HTTP.
    case unsupportedEndpoint

    /// The instruction that the operator can follow, in one or two sentences.
    package var remedy: String {
        switch self {
        case .tooLarge: "The invitation is larger than 64 KiB: ask for one without embedded images."
        case .notAnInvitation: "Give the invitation's whole URL in quotes, or a file with its JSON."
        case .unsupportedScheme: "Give an http, https or didcomm URL."
        case .notBase64: "The URL is truncated or altered: copy it again, in quotes."
        case .notJSON: "The URL's content is not JSON: copy it again, in quotes."
        case .anotherMessage: "This is not an invitation: ask the agent's operator for an out-of-band invitation."
        case .unsupportedVersion: "Ask for an invitation of out-of-band 1.x or connections 1.x."
        case .noID: "The invitation has no @id: ask for a new one."
        case .noKey: "The invitation has no recipient key: ask for a new one."
        case .badKey:
            "A key in the invitation is not a valid Ed25519 key, or there are too many: ask for a new invitation."
        case .badDID: "The inviter's DID is malformed: ask for a new invitation."
        case .noEndpoint: "The invitation has no endpoint: the agent must be started with one."
        case .nothingOffered: "The invitation offers neither a handshake nor a request: ask for a new one."
        case .unknownHandshakes: "Ask for an invitation that offers didexchange/1.1."
        case .noHandshake: "The invitation offers no lasting connection: ask for one with handshake protocols."
        case .needsResolver(let method):
            "The inviter's DID (did:\(method)) needs a ledger to be resolved: ask for an invitation with keys and "
                + "endpoint in it."
        case .unsupportedEndpoint: "The agent has no http or https endpoint, or its port is not from 1 to 65535."
        }
    }
}
