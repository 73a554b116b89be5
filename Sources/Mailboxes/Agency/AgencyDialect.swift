package import Encoding

/// The server software of an agency. Both servers use the protocol "client to agency" in its JSON form, but with
/// different versions, errors and rules.
package enum AgencyDialect: String, CaseIterable, Sendable {
    /// The Node agency of aries-vcx.
    case node
    /// Verity, Evernym's consumer agency.
    case evernym

    /// Whether one request can return the messages of all connections. The latest Node agency has no such request.
    var readsAllConnections: Bool { self == .evernym }

    /// Whether a connection can be deleted at the server.
    package var deletes: Bool { self == .evernym }

    /// Whether the gate can wait for new messages with a long poll at the server.
    package var hasLongPoll: Bool { self == .node }

    /// The protocol family and version of requests about the agents of connections.
    fileprivate var pairwise: (family: Text, version: Text) {
        switch self {
        case .node: ("pairwise", "1.0")
        case .evernym: ("pairwise", "0.6")
        }
    }

    /// Returns the protocol family and version of the `@type` of `request`.
    func form(of request: AgencyRequest) -> (family: Text, version: Text) {
        switch request {
        case .connect, .signUp, .createAgent: self == .node ? ("onboarding", "1.0") : ("agent-provisioning", "0.5")
        case .createAgentByToken: ("agent-provisioning", "0.7")
        case .createKey: self == .node ? pairwise : ("connecting", "0.6")
        case .webhook: ("configs", "1.0")
        case .messages, .messagesByConnections, .updateStatuses, .deleteConnection: pairwise
        }
    }

    /// The type number of a webhook in UPDATE_COM_METHOD, as the server writes it: a string or a number.
    var webhookType: JSON { self == .node ? "2" : 2 }
}

/// The `@type` of an agency's message: `did:sov:123456789abcdefghi1234;spec/FAMILY/VERSION/NAME`.
package struct AgencyType: Hashable, Sendable {
    /// The prefix of every type. Both servers use this placeholder DID.
    package static let prefix: Text = "did:sov:123456789abcdefghi1234;spec/"

    /// The protocol family of the message, such as `routing`.
    package let family: Text
    /// The version of the message family. The gate does not compare it in answers, because the servers mix versions.
    package let version: Text
    /// The name of the message in its family, such as `FWD`.
    package let name: Text

    /// Creates a message type from its family, version and name.
    package init(_ family: Text, _ version: Text, _ name: Text) {
        (self.family, self.version, self.name) = (family, version, name)
    }

    /// Reads an `@type`; nil if it is longer than 256 bytes or has another form.
    package init?(_ text: Text) {
        guard text.utf8.count <= 256,
            let parts = text.behind(Self.prefix)?.split(separator: "/", omittingEmptySubsequences: false),
            parts.count == 3, parts.allSatisfy({ !$0.isEmpty })
        else { return nil }
        self.init(Text(String(parts[0])), Text(String(parts[1])), Text(String(parts[2])))
    }

    /// The whole `@type` as text.
    package var text: Text { Text("\(Self.prefix)\(family)/\(version)/\(name)") }
}
