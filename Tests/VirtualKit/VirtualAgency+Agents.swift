import Aries
import DIDComm
import Encoding
import Mailboxes

extension VirtualAgency {
    /// Handles a message to a gate's agent. Rejects every message that the agent's owner has not sent.
    mutating func agent(_ index: Int, _ message: Opened) throws(VirtualAgencyError) -> [UInt8] {
        let agent = entities[index]
        guard message.sender == agent.owner, !faults.refusesAll, let type = message.type else {
            throw VirtualAgencyError("GNR-121")
        }
        if type.family == "routing" { return try forwarded(message.body) }
        note(type.name)
        let answers: (name: Text, members: [JSONObject.Member])
        switch type.name {
        case "SIGNUP":
            guard dialect == .node || agent.kind == .provisional else { throw VirtualAgencyError("ARS-101") }
            entities[index].isSignedUp = true
            answers = ("SIGNED_UP", [])
        case "CREATE_AGENT": answers = ("AGENT_CREATED", try create(index))
        case "CREATE_KEY": answers = ("KEY_CREATED", try createKey(agent, message.body))
        case "UPDATE_COM_METHOD": answers = ("COM_METHOD_UPDATED", try setWebhook(index, message.body["comMethod"]))
        case "GET_MSGS_BY_CONNS" where dialect == .evernym:
            guard !faults.refusesBulk else { throw VirtualAgencyError("GNR-105") }
            answers = ("MSGS_BY_CONNS", [.init("msgsByConns", messagesByConnections(agent.did, message.body))])
        case "UPDATE_MSG_STATUS_BY_CONNS":
            answers = ("MSG_STATUS_UPDATED_BY_CONNS", update(agent.did, message.body))
        default: throw VirtualAgencyError("GNR-120")
        }
        return answer(type, answers.name, answers.members, from: agent.keys, to: agent.owner)
    }

    /// Handles a request to create the agent. A Node agency has already created the agent at CONNECT and only returns
    /// it. Verity creates the agent now, once.
    private mutating func create(_ index: Int) throws(VirtualAgencyError) -> [JSONObject.Member] {
        let agent = entities[index]
        if dialect == .node { return Self.members(agent) }
        guard agent.isSignedUp else { throw VirtualAgencyError("ARS-102") }
        guard !entities.contains(where: { $0.kind == .agent && $0.owner == agent.owner }) else {
            throw VirtualAgencyError("ACS-101")
        }
        return Self.members(try add(.agent, owner: agent.owner, forDID: agent.forDID))
    }

    private mutating func createKey(
        _ agent: VirtualAgencyEntity, _ body: JSON
    ) throws(VirtualAgencyError) -> [JSONObject.Member] {
        guard agent.kind == .agent, let did = body["forDID"]?.string,
            let key = body["forDIDVerKey"]?.string.flatMap({ Verkey($0) })
        else { throw VirtualAgencyError("GNR-115") }
        if dialect == .evernym, entities.contains(where: { $0.isConnection(of: agent.did) && $0.owner == key }) {
            throw VirtualAgencyError("CS-104")
        }
        return Self.members(try add(.connection(agent: agent.did), owner: key, forDID: did))
    }

    private mutating func setWebhook(
        _ index: Int, _ method: JSON?
    ) throws(VirtualAgencyError) -> [JSONObject.Member] {
        guard let id = method?["id"]?.string, let url = method?["value"]?.string,
            method?["type"] == (dialect == .node ? "2" : 2)
        else { throw VirtualAgencyError("GNR-115") }
        entities[index].webhook = url.isEmpty ? nil : (id: id, url: url)
        return [.init("id", .string(id))]
    }

    // MARK: Messages

    private mutating func messagesByConnections(_ agent: Text, _ query: JSON) -> JSON {
        let wanted = (query["pairwiseDIDs"]?.array ?? []).compactMap(\.string)
        var lists: [JSON] = []
        for index in entities.indices where entities[index].isConnection(of: agent) && !entities[index].isDeleted {
            let did = entities[index].forDID
            guard wanted.isEmpty || wanted.contains(did) else { continue }
            lists.append(["pairwiseDID": .string(did), "msgs": select(index, query)])
        }
        return .array(lists)
    }

    /// Returns the messages of a connection that match the ids and states in a query, as JSON.
    private mutating func select(_ index: Int, _ query: JSON) -> JSON {
        let uids = (query["uids"]?.array ?? []).compactMap(\.string)
        let statuses = (query["statusCodes"]?.array ?? []).compactMap(\.string)
        let excludesPayload = query["excludePayload"] == "Y"
        var found: [JSON] = []
        var bytes = 0
        for message in entities[index].messages {
            guard uids.isEmpty || uids.contains(message.uid), statuses.isEmpty || statuses.contains(message.status)
            else { continue }
            bytes += message.payload.compactBytes.count
            if dialect == .evernym, bytes >= batchBytes, !found.isEmpty { break }
            found.append(message.json(dialect, excludesPayload: excludesPayload))
        }
        if faults.reorders { found.reverse() }
        found = faults.strayMessages + found
        if faults.duplicates > 0, let first = found.first {
            faults.duplicates -= 1
            found.append(first)
        }
        return .array(found)
    }

    private mutating func update(_ agent: Text, _ body: JSON) -> [JSONObject.Member] {
        var (updated, failed): ([JSON], [JSON]) = ([], [])
        for list in body["uidsByConns"]?.array ?? [] {
            let uids = (list["uids"]?.array ?? []).compactMap(\.string)
            let did = list["pairwiseDID"]?.string ?? ""
            let status = body["statusCode"]?.string ?? ""
            if !faults.ignoresReleases, let problem = update(agent, did, uids, to: status) {
                failed.append([
                    "pairwiseDID": .string(did), "statusCode": .string(problem), "statusMsg": "what a person reads",
                ])
            } else {
                updated.append(list)
            }
        }
        if dialect == .node { return [.init("failed", []), .init("updatedUidsByConns", [])] }
        return [.init("updatedUidsByConns", .array(updated))]
            + (failed.isEmpty ? [] : [.init("failed", .array(failed))])
    }

    /// Changes the status of messages. Returns an error code; nil after success. The Node agency ignores unknown ids.
    /// Verity stops at the first message whose status may not be changed.
    private mutating func update(_ agent: Text, _ did: Text, _ uids: [Text], to status: Text) -> Text? {
        let own = entities.indices.filter { entities[$0].isConnection(of: agent) }
        let chosen = dialect == .node ? own : own.filter { entities[$0].forDID == did }
        if chosen.isEmpty { return "VES-104" }
        for uid in uids {
            guard
                let index = chosen.first(where: { entities[$0].messages.contains { $0.uid == uid } }),
                let place = entities[index].messages.firstIndex(where: { $0.uid == uid })
            else {
                if dialect == .node { continue }
                return "GNR-114"
            }
            if dialect == .evernym {
                guard ["MS-104", "MS-105", "MS-106"].contains(status),
                    ["MS-103", "MS-104", "MS-105"].contains(entities[index].messages[place].status)
                else { return "GNR-115" }
            }
            entities[index].messages[place].status = status
        }
        return nil
    }

    // MARK: Agents of connections

    /// Handles a message to the agent of a connection. Any sender may store a message there. Only the owner of the
    /// connection's key may fetch messages.
    mutating func connection(_ index: Int, _ message: Opened) throws(VirtualAgencyError) -> [UInt8] {
        let entity = entities[index]
        if message.isForward {
            guard !entity.isDeleted else { throw VirtualAgencyError("CS-103") }
            // Verity compares the recipient in the forward message with the owner of the connection's agent. The Node
            // agency does not.
            let isTheirs = message.body["to"]?.string.flatMap { Verkey($0) } == entity.owner
            guard dialect == .node || isTheirs, let payload = message.body["msg"], payload.object != nil else {
                throw VirtualAgencyError("GNR-115")
            }
            store(payload, for: entity.keys.verkey)
            return []
        }
        guard message.sender == entity.owner, !faults.refusesAll, let type = message.type else {
            throw VirtualAgencyError("GNR-121")
        }
        note(type.name)
        guard case .connection(let agent) = entity.kind,
            let owner = entities.first(where: { $0.did == agent })?.owner
        else { throw VirtualAgencyError("GNR-113") }
        let receiver = dialect == .node ? owner : entity.owner
        switch type.name {
        case "GET_MSGS":
            guard !entity.isDeleted else { throw VirtualAgencyError("CS-103") }
            let messages = select(index, message.body)
            return answer(type, "MSGS", [.init("msgs", messages)], from: entity.keys, to: receiver)
        case "UPDATE_CONN_STATUS" where dialect == .evernym:
            guard message.body["statusCode"] == "CS-103" else { throw VirtualAgencyError("GNR-115") }
            entities[index].isDeleted = true
            return answer(
                type, "CONN_STATUS_UPDATED", [.init("statusCode", "CS-103")], from: entity.keys, to: receiver)
        default: throw VirtualAgencyError("GNR-120")
        }
    }
}
