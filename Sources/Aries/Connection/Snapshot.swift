package import DIDComm
package import Encoding

/// Why a stored connection cannot be used.
package enum SnapshotError: Error, Hashable, Sendable {
    /// A version that this program does not know.
    case unknownVersion
    /// A member is absent or wrong.
    case malformed
}

extension AgentConnection {
    private static let version = 1

    /// Everything that must survive a restart, with the connection's secret seed: the store has to protect it.
    package var snapshot: JSON {
        var object: JSONObject = [
            "version": .int(Self.version), "id": .string(id), "invitation": invitation.json,
            "seed": .text(keys.seed.withBytes { Base64.encode($0) }),
        ]
        switch phase {
        case .handshaking(let attempt):
            object["phase"] = "handshaking"
            object["handshake"] = .string(attempt.handshake.protocolName.path)
            object["thread"] = .string(attempt.thread)
        case .connected(let established):
            object["phase"] = "connected"
            object["handshake"] = .string(established.handshake.protocolName.path)
            object["thread"] = .string(established.thread)
            if let id = established.confirmation { object["confirmation"] = .string(id) }
            let service = established.peer.service
            object["peer"] = [
                "did": .string(established.peer.did),
                "recipientKeys": .array(service.recipientKeys.map { .string($0.base58) }),
                "routingKeys": .array(service.routingKeys.map { .string($0.base58) }),
                "endpoint": .string(service.endpoint),
            ]
        case .ended: object["phase"] = "ended"
        }
        return .object(object)
    }

    /// The connection that `snapshot` describes; it goes on at ``Event/start``. `seen`: keys of the last messages that were seen
    /// on any connection, oldest first (``takeSeen()``).
    package init(
        restoring snapshot: JSON, seen: [[UInt8]] = [], configuration: Configuration, random: consuming RandomStream
    ) throws(SnapshotError) {
        guard snapshot["version"]?.int == Self.version else { throw .unknownVersion }
        guard let id = snapshot["id"]?.string, let json = snapshot["invitation"],
            let invitation = try? Invitation(json), let inviter = try? invitation.service(),
            let seed = snapshot["seed"]?.string.flatMap({ Base64.decodeURL($0.string) }),
            let keys = KeyPair(seed: Secret(seed)), let phase = Self.phase(snapshot)
        else { throw .malformed }
        self.init(
            id: id, invitation: invitation, inviter: inviter, configuration: configuration, keys: keys, phase: phase,
            seen: seen, isStored: true, random: random)
    }

    private static func phase(_ snapshot: JSON) -> Phase? {
        if snapshot["phase"] == "ended" { return .ended }
        guard let thread = snapshot["thread"]?.string,
            let handshake = Invitation.Handshake.allCases.first(where: {
                $0.protocolName.path == snapshot["handshake"]?.string
            })
        else { return nil }
        switch snapshot["phase"]?.string {
        case "handshaking": return .handshaking(Attempt(handshake: handshake, thread: thread))
        case "connected":
            guard let did = snapshot["peer"]?["did"]?.string, let endpoint = snapshot["peer"]?["endpoint"]?.string,
                let recipients = keys(snapshot["peer"]?["recipientKeys"]), !recipients.isEmpty,
                let routing = keys(snapshot["peer"]?["routingKeys"])
            else { return nil }
            let service = Service(recipientKeys: recipients, routingKeys: routing, endpoint: endpoint)
            return .connected(
                Established(
                    peer: Peer(did: did, service: service), handshake: handshake, thread: thread,
                    confirmation: snapshot["confirmation"]?.string))
        default: return nil
        }
    }

    private static func keys(_ list: JSON?) -> [Verkey]? {
        guard let entries = list?.array else { return nil }
        let keys = entries.compactMap { $0.string.flatMap { Verkey($0) } }
        return keys.count == entries.count ? keys : nil
    }
}
