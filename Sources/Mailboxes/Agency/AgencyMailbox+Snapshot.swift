package import Aries
package import DIDComm
package import Encoding

extension AgencyMailbox {
    /// The value of the member `kind` in the stored state.
    package static let kind: Text = "agency"
    private static let version = 1

    /// The state that must survive a restart, as JSON. It contains the secret keys of the gate and of the connections,
    /// so the store must protect it.
    package var snapshot: JSON {
        var object: JSONObject = [
            "version": .int(Self.version), "kind": .string(Self.kind), "dialect": .text(settings.dialect.rawValue),
            "label": .text("agency \(settings.agency.did)"), "agency": Self.json(settings.agency), "owner": owner.json,
            "connections": .array(slots.map(Self.json)),
        ]
        switch stage {
        case .connect: object["stage"] = "connect"
        case .signUp(let party): (object["stage"], object["agent"]) = ("signUp", Self.json(party))
        case .createAgent(let party): (object["stage"], object["agent"]) = ("createAgent", Self.json(party))
        case .token(let token): (object["stage"], object["token"]) = ("token", token?.json)
        case .ready(let party): (object["stage"], object["agent"]) = ("ready", Self.json(party))
        }
        if let registered { object["webhook"] = ["id": .string(registered.id), "url": .string(registered.url)] }
        if let spentToken { object["spent"] = .string(spentToken) }
        return .object(object)
    }

    /// Restores a mailbox from `snapshot`. The mailbox does nothing before ``MailboxEvent/start``.
    package init(
        restoring snapshot: JSON, _ settings: AgencySettings, random: consuming RandomStream
    ) throws(SnapshotError) {
        guard snapshot["version"]?.int == Self.version, snapshot["kind"]?.string == Self.kind else {
            throw .unknownVersion
        }
        guard let agency = Self.party(snapshot["agency"]), let dialect = snapshot["dialect"]?.string,
            let owner = KeyPair(json: snapshot["owner"]), let stage = Self.stage(snapshot),
            let list = snapshot["connections"]?.array, list.count <= settings.limits.connections
        else { throw .malformed }
        guard agency == settings.agency, dialect.string == settings.dialect.rawValue else { throw .otherAgency }
        let slots = list.compactMap(Self.slot)
        guard slots.count == list.count, Set(slots.map(\.ours)).count == list.count else { throw .malformed }
        var webhook: AgencySettings.Webhook?
        if let json = snapshot["webhook"] {
            guard let id = json["id"]?.string, let url = json["url"]?.string else { throw .malformed }
            webhook = AgencySettings.Webhook(id: id, url: url)
        }
        self.init(
            settings, owner: owner, stage: stage, slots: slots, registered: webhook,
            spentToken: snapshot["spent"]?.string, random: random)
    }

    private static func json(_ party: AgencyParty) -> JSON {
        ["did": .string(party.did), "verkey": .string(party.key.base58)]
    }

    private static func party(_ json: JSON?) -> AgencyParty? {
        AgencyParty(did: json?["did"], key: json?["verkey"])
    }

    private static func stage(_ snapshot: JSON) -> Stage? {
        if snapshot["stage"] == "connect" { return .connect }
        if snapshot["stage"] == "token" {
            guard let json = snapshot["token"] else { return .token(nil) }
            return (try? ProvisionToken(json)).map { .token($0) }
        }
        guard let agent = party(snapshot["agent"]) else { return nil }
        switch snapshot["stage"]?.string {
        case "signUp": return .signUp(agent)
        case "createAgent": return .createAgent(agent)
        case "ready": return .ready(agent)
        default: return nil
        }
    }

    private static func json(_ slot: AgencySlot) -> JSON {
        var object: JSONObject = ["connection": .string(slot.connection), "seed": slot.key.json]
        if let agent = slot.agent { object["agent"] = json(agent) }
        if let closing = slot.closing {
            object["state"] = closing.isTold ? "closing" : "expired"
        } else if slot.earlierUntil != nil {
            object["state"] = "earlier"
        }
        return .object(object)
    }

    private static func slot(_ json: JSON) -> AgencySlot? {
        guard let connection = json["connection"]?.string, let key = KeyPair(json: json["seed"]) else { return nil }
        let agent = party(json["agent"])
        guard agent != nil || json["agent"] == nil else { return nil }
        var slot = AgencySlot(connection: connection, key: key, agent: agent)
        switch json["state"] {
        case nil: break
        case "earlier"?: slot.earlierUntil = .distantPast  // `start` sets the time
        case "closing"?: slot.closing = .init(isTold: true)
        case "expired"?: slot.closing = .init(isTold: false)
        default: return nil
        }
        return slot
    }
}
