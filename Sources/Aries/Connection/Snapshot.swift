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
            object["peer"] = Self.json(established.peer)
            if let next = established.next {
                object["next"] = ["peer": Self.json(next.peer), "thread": .string(next.thread)]
            }
            if let former = established.former { object["former"] = .string(former.base58) }
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
            guard let peer = peer(snapshot["peer"]) else { return nil }
            var next: NextPeer?
            if let stored = snapshot["next"] {
                guard let peer = self.peer(stored["peer"]), let thread = stored["thread"]?.string else { return nil }
                next = NextPeer(peer: peer, thread: thread)
            }
            return .connected(
                Established(
                    peer: peer, handshake: handshake, thread: thread, confirmation: snapshot["confirmation"]?.string,
                    next: next, former: snapshot["former"]?.string.flatMap { Verkey($0) }))
        default: return nil
        }
    }

    private static func json(_ peer: Peer) -> JSON {
        [
            "did": .string(peer.did),
            "recipientKeys": .array(peer.service.recipientKeys.map { .string($0.base58) }),
            "routingKeys": .array(peer.service.routingKeys.map { .string($0.base58) }),
            "endpoint": .string(peer.service.endpoint),
        ]
    }

    private static func peer(_ json: JSON?) -> Peer? {
        guard let did = json?["did"]?.string, let endpoint = json?["endpoint"]?.string,
            let recipients = keys(json?["recipientKeys"]), !recipients.isEmpty,
            let routing = keys(json?["routingKeys"])
        else { return nil }
        return Peer(did: did, service: Service(recipientKeys: recipients, routingKeys: routing, endpoint: endpoint))
    }

    private static func keys(_ list: JSON?) -> [Verkey]? {
        guard let entries = list?.array else { return nil }
        let keys = entries.compactMap { $0.string.flatMap { Verkey($0) } }
        return keys.count == entries.count ? keys : nil
    }
}
