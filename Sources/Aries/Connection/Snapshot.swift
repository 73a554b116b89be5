package import DIDComm
package import Encoding

/// Why a stored connection or mailbox cannot be used.
package enum SnapshotError: Error, Hashable, Sendable {
    /// The stored state has a version or kind that this program does not know.
    case unknownVersion
    /// A required member is absent or has a wrong value.
    case malformed
    /// The stored mailbox is at another agency, or uses another dialect, than the configuration names. An operator has
    /// to restore the configuration or delete the stored mailbox.
    case otherAgency
}

extension AgentConnection {
    private static let version = 1

    /// The state that must survive a restart, as JSON. It contains the secret seed of the connection's key, so the
    /// store must protect it.
    package var snapshot: JSON {
        var object: JSONObject = [
            "version": .int(Self.version), "id": .string(id), "invitation": invitation.json,
            "seed": keys.json,
        ]
        if reception == .mailbox {
            object["mailbox"] = true
            object["earlier"] = .array(Self.list(earlier.entries, at: now))
        }
        if storesAnswers, !waiting.isEmpty { object["waiting"] = .array(waiting) }
        if !owed.isEmpty { object["owed"] = .array(owed.map(\.json)) }
        if rounds > 0, case .handshaking = phase { object["rounds"] = .int(rounds) }
        if let address, address != .queue { object["address"] = address.json }
        switch phase {
        case .handshaking(let attempt):
            object["phase"] = "handshaking"
            for member in Self.members(of: attempt) { object[member.name] = member.value }
        case .connected(let established):
            object["phase"] = "connected"
            if let handshake = established.handshake { object["handshake"] = .string(handshake.protocolName.path) }
            object["thread"] = .string(established.thread)
            if let id = established.confirmation { object["confirmation"] = .string(id) }
            object["peer"] = Self.json(established.peer)
            if let next = established.next {
                object["next"] = ["peer": Self.json(next.peer), "thread": .string(next.thread)]
            }
            if let former = established.former { object["former"] = .string(former.base58) }
        case .ended: object["phase"] = "ended"
        case .failed: object["phase"] = "failed"
        }
        return .object(object)
    }

    private static func members(of attempt: Attempt) -> [JSONObject.Member] {
        [
            .init("handshake", .string(attempt.handshake.protocolName.path)),
            .init("thread", .string(attempt.thread)),
        ]
    }

    private static func list(_ earlier: [EarlierKeys.Entry], at now: Instant) -> [JSON] {
        earlier.map { entry in
            var object: JSONObject = [
                "seed": entry.keys.json,
                "seconds": .int(Int(max(now.duration(to: entry.until), .zero).nanoseconds / 1_000_000_000)),
            ]
            for member in members(of: entry.attempt) { object[member.name] = member.value }
            if let address = entry.attempt.address { object["address"] = address.json }
            return .object(object)
        }
    }

    /// Restores a connection from `snapshot`. The connection does nothing before ``Event/start``. `seen`: the 8-byte
    /// keys of the last messages that arrived on any connection, oldest first (``takeSeen()``). `leadsToMailbox`:
    /// whether the peer is now used as the gate's mailbox, which the snapshot does not contain.
    package init(
        restoring snapshot: JSON, leadsToMailbox: Bool = false, seen: [[UInt8]] = [], configuration: Configuration,
        random: consuming RandomStream
    ) throws(SnapshotError) {
        guard snapshot["version"]?.int == Self.version else { throw .unknownVersion }
        guard let id = snapshot["id"]?.string, let json = snapshot["invitation"],
            let invitation = try? Invitation(json), let inviter = try? invitation.service(),
            let keys = KeyPair(json: snapshot["seed"]),
            let phase = Self.phase(snapshot, isOneTime: invitation.handshakes.isEmpty)
        else { throw .malformed }
        let hasMailbox = snapshot["mailbox"]?.bool ?? false
        let earlier = try Self.earlier(snapshot)
        self.init(
            id: id, invitation: invitation,
            reception: hasMailbox ? .mailbox : leadsToMailbox ? .leadsToMailbox : .returnRoute, inviter: inviter,
            configuration: configuration, keys: keys, phase: phase, seen: seen, isStored: true, random: random)
        self.earlier = earlier
        rounds = max(0, snapshot["rounds"]?.int ?? 0)
        owed = (snapshot["owed"]?.array ?? []).prefix(configuration.limits.waitingAnswers).compactMap { OwedAnswer($0) }
        waiting = Array((snapshot["waiting"]?.array ?? []).prefix(configuration.limits.waitingAnswers))
    }

    private static func earlier(_ snapshot: JSON) throws(SnapshotError) -> EarlierKeys {
        var earlier = EarlierKeys()
        for entry in (snapshot["earlier"]?.array ?? []).suffix(EarlierKeys.limit) {
            guard let keys = KeyPair(json: entry["seed"]), let attempt = attempt(entry, default: nil),
                let seconds = entry["seconds"]?.int
            else { throw .malformed }
            let life = min(max(Duration.seconds(seconds), .zero), EarlierKeys.life)
            earlier.keep(keys, of: attempt, for: life, at: .zero)
        }
        return earlier
    }

    private static func attempt(_ entry: JSON, default address: MailboxAddress?) -> Attempt? {
        guard let thread = entry["thread"]?.string,
            let handshake = Invitation.Handshake.allCases.first(where: {
                $0.protocolName.path == entry["handshake"]?.string
            })
        else { return nil }
        return Attempt(
            handshake: handshake, thread: thread, address: entry["address"].flatMap { MailboxAddress($0) } ?? address)
    }

    private static func phase(_ snapshot: JSON, isOneTime: Bool) -> Phase? {
        if snapshot["phase"] == "ended" { return .ended }
        if snapshot["phase"] == "failed" { return .failed }
        let hasMailbox = snapshot["mailbox"]?.bool ?? false
        if isOneTime {
            guard snapshot["phase"] == "connected", let peer = peer(snapshot["peer"]),
                let thread = snapshot["thread"]?.string
            else { return nil }
            return .connected(Established(peer: peer, handshake: nil, thread: thread, address: .queue))
        }
        guard let attempt = attempt(snapshot, default: hasMailbox ? nil : .queue) else { return nil }
        switch snapshot["phase"]?.string {
        case "handshaking": return .handshaking(attempt)
        case "connected":
            guard let peer = peer(snapshot["peer"]) else { return nil }
            var next: NextPeer?
            if let stored = snapshot["next"] {
                guard let thread = stored["thread"]?.string else { return nil }
                // If this program cannot read the peer's next DID, the connection keeps the peer's present DID.
                next = self.peer(stored["peer"]).map { NextPeer(peer: $0, thread: thread) }
            }
            return .connected(
                Established(
                    peer: peer, handshake: attempt.handshake, thread: attempt.thread,
                    confirmation: snapshot["confirmation"]?.string, address: attempt.address ?? .queue, next: next,
                    former: snapshot["former"]?.string.flatMap { Verkey($0) }))
        default: return nil
        }
    }

    private static func json(_ peer: Peer) -> JSON {
        [
            "did": .string(peer.did),
            "recipientKeys": peer.service.recipientKeys.json, "routingKeys": peer.service.routingKeys.json,
            "endpoint": .string(peer.service.endpoint),
        ]
    }

    private static func peer(_ json: JSON?) -> Peer? {
        guard let did = json?["did"]?.string, let endpoint = json?["endpoint"]?.string,
            let recipients = [Verkey](json: json?["recipientKeys"]), !recipients.isEmpty,
            let routing = [Verkey](json: json?["routingKeys"]), routing.count <= MailboxAddress.maxRoutingKeys
        else { return nil }
        return Peer(did: did, service: Service(recipientKeys: recipients, routingKeys: routing, endpoint: endpoint))
    }
}
