package import Encoding

/// Which of the two public servers an agency is. They speak one protocol, "client to agency" in its JSON form, with other versions,
/// other errors and other rules.
package enum AgencyDialect: String, CaseIterable, Sendable {
    /// The Node agency of aries-vcx.
    case node
    /// Evernym's consumer agency, Verity.
    case evernym

    /// Whether one request answers for all connections. The last Node agency has no such message.
    var readsAllConnections: Bool { self == .evernym }

    /// Whether a connection can be deleted there.
    package var deletes: Bool { self == .evernym }

    /// Whether the server wakes its clients by long polling.
    package var hasLongPoll: Bool { self == .node }

    /// Connections' agents are made in this family.
    fileprivate var pairwise: (family: Text, version: Text) {
        switch self {
        case .node: ("pairwise", "1.0")
        case .evernym: ("pairwise", "0.6")
        }
    }

    /// Family and version that a request is written in.
    func form(of request: AgencyRequest) -> (family: Text, version: Text) {
        switch request {
        case .connect, .signUp, .createAgent: self == .node ? ("onboarding", "1.0") : ("agent-provisioning", "0.5")
        case .createAgentByToken: ("agent-provisioning", "0.7")
        case .createKey: self == .node ? pairwise : ("connecting", "0.6")
        case .webhook: ("configs", "1.0")
        case .messages, .messagesByConnections, .updateStatuses, .deleteConnection: pairwise
        }
    }

    /// The type of a com method in the server's own spelling: 2 is an HTTP webhook.
    var webhookType: JSON { self == .node ? "2" : 2 }
}

/// An `@type` of the protocol: `did:sov:123456789abcdefghi1234;spec/FAMILY/VERSION/NAME`.
package struct AgencyType: Hashable, Sendable {
    /// What every type begins with; the DID is a placeholder in both servers.
    package static let prefix: Text = "did:sov:123456789abcdefghi1234;spec/"

    /// The message family.
    package let family: Text
    /// The family's version; answers are matched without it, since the servers mix them.
    package let version: Text
    /// The message's name.
    package let name: Text

    /// A type of these parts.
    package init(_ family: Text, _ version: Text, _ name: Text) {
        (self.family, self.version, self.name) = (family, version, name)
    }

    /// Reads an `@type` of at most 256 bytes; nil for any other form.
    package init?(_ text: Text) {
        guard text.utf8.count <= 256, text.hasPrefix(Self.prefix) else { return nil }
        let parts = text.string.dropFirst(Self.prefix.string.count).split(
            separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
        self.init(Text(String(parts[0])), Text(String(parts[1])), Text(String(parts[2])))
    }

    /// The whole `@type`.
    package var text: Text { Text("\(Self.prefix)\(family)/\(version)/\(name)") }
}
