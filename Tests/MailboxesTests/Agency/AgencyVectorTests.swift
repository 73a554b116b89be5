import Aries
import DIDComm
import Encoding
import Foundation
import Mailboxes
import TestKit
import Testing

/// Complete recorded runs with an agency of each dialect: the mailbox produces the recorded requests, layer
/// for layer, and reads the recorded answers.
@Suite struct AgencyVectorTests {
    private func runs() throws -> [(name: String, run: Run)] {
        guard let folder = Vectors.path("didcomm/agency") else { return [] }
        return try Vectors.files(in: folder, withExtension: "json").map { file in
            (file.lastPathComponent, try #require(Run(try JSON.parse(try Vectors.bytes(file)))))
        }
    }

    /// Records every step of every run.
    private func tally(_ name: String, _ check: (Run, JSON) -> String?) throws {
        var tally = VectorTally("didcomm/agency \(name)")
        for (file, run) in try runs() {
            for (number, step) in run.steps.enumerated() {
                tally.record("\(file) \(number) \(step["name"]?.string?.string ?? "?")", check(run, step))
            }
        }
        #expect(tally.finish() == [])
    }

    @Test func messagesAreThoseThatWereSent() throws {
        try tally("messages") { run, step in
            guard let plain = step["layers"]?.array?.first?["plain"], let request = run.request(plain) else {
                return "no request"
            }
            return sorted(request.json(run.dialect)) == sorted(plain) ? nil : "\(request.json(run.dialect).compactText)"
        }
    }

    @Test func outermostLayersOpenToTheirWrapping() throws {
        try tally("outermost layers") { run, step in
            guard let layer = step["layers"]?.array?.last, let packed = layer["packed"] else { return "no layer" }
            guard let content = try? Envelope.unpack(packed, with: [run.agencyKey]) else { return "does not open" }
            guard content.sender == nil else { return "has a sender" }
            return (try? JSON.parse(content.plaintext)) == layer["plain"] ? nil : "another plaintext"
        }
    }

    @Test func ourLayersAreTheirs() throws {
        try tally("layers") { run, step in
            guard let layers = step["layers"]?.array, let request = layers.first?["plain"].flatMap(run.request) else {
                return "no request"
            }
            return run.compare(request, layers)
        }
    }

    @Test func answersAreRead() throws {
        try tally("answers") { run, step in
            guard let plain = step["layers"]?.array?.first?["plain"], let request = run.request(plain) else {
                return "no request"
            }
            if let status = step["answer"]?["http"]?.int {
                let problem = AgencyProblem(
                    status: status, body: Array((step["answer"]?["body"]?.string?.string ?? "").utf8))
                return problem.kind == (run.dialect == .node ? .busy : .unauthorised) ? nil : "\(problem)"
            }
            guard let packed = step["answer_packed"],
                let sender = step["answer_from"]?.string.flatMap({ Verkey($0) })
            else { return "no answer" }
            return run.read(packed.compactBytes, from: sender, request, step)
        }
    }

    @Test func onlyWhoWasAskedMayAnswer() throws {
        try tally("senders") { run, step in
            guard let packed = step["answer_packed"]?.compactBytes else { return nil }
            do throws(AgencyError) {
                _ = try AgencyEnvelope.open(packed, with: run.keys, from: run.keys[0].verkey)
                return "taken from somebody else"
            } catch {
                guard error == .foreignSender else { return "\(error)" }
            }
            guard let sender = step["answer_from"]?.string.flatMap({ Verkey($0) }) else { return "no sender" }
            do throws(AgencyError) {
                _ = try AgencyEnvelope.open(packed, with: [run.agencyKey], from: sender)
                return "opened with another key"
            } catch {
                return error == .unreadable ? nil : "\(error)"
            }
        }
    }
}

/// Returns the JSON value with its members sorted by name.
private func sorted(_ json: JSON) -> JSON {
    switch json {
    case .object(let object):
        .object(JSONObject(object.members.sorted { $0.name < $1.name }.map { .init($0.name, sorted($0.value)) }))
    case .array(let elements): .array(elements.map(sorted))
    default: json
    }
}

/// One recorded run.
private struct Run {
    let dialect: AgencyDialect
    let agency, agent, connectionAgent: AgencyParty
    /// The kiosk's own key and the connection's key.
    let keys: [KeyPair]
    let theirKey: Verkey
    let steps: [JSON]
    /// The agency's key, from the published seed.
    let agencyKey: KeyPair

    init?(_ json: JSON) {
        func party(_ json: JSON?, _ key: Text) -> AgencyParty? {
            guard let did = (json?["did"] ?? json?["DID"])?.string, let key = json?[key]?.string.flatMap({ Verkey($0) })
            else { return nil }
            return AgencyParty(did: did, key: key)
        }
        let keys = (json["keys"]?.array ?? []).compactMap { key in
            key["seed_hex"]?.string.flatMap { Hex.decode($0.string) }.flatMap { KeyPair(seed: Secret($0)) }
        }
        guard let dialect = json["dialect"]?.string.flatMap({ AgencyDialect(rawValue: $0.string) }),
            let agency = party(json["agency"], "verKey"), let agent = party(json["agent"], "verkey"),
            let connectionAgent = party(json["connection_agent"], "verkey"), keys.count == 2,
            let theirs = json["their_verkey"]?.string.flatMap({ Verkey($0) }), let steps = json["steps"]?.array,
            let agencyKey = KeyPair(seed: Secret(Array("0000000000000000000000000Forward".utf8)))
        else { return nil }
        (self.dialect, self.agency, self.agent, self.connectionAgent) = (dialect, agency, agent, connectionAgent)
        (self.keys, theirKey, self.steps, self.agencyKey) = (keys, theirs, steps, agencyKey)
    }

    /// Returns the request of a recorded plaintext.
    func request(_ plain: JSON) -> AgencyRequest? {
        let name = plain["@type"]?.string.flatMap { AgencyType($0) }?.name
        func texts(_ json: JSON?) -> [Text] { (json?.array ?? []).compactMap(\.string) }
        let query = AgencyQuery(statusCodes: texts(plain["statusCodes"]))
        switch name {
        case "CONNECT": return .connect(AgencyParty(keys[0].verkey))
        case "SIGNUP": return .signUp
        case "CREATE_AGENT":
            guard let token = plain["provisionToken"] else { return .createAgent }
            return (try? ProvisionToken(token)).map {
                .createAgentByToken(
                    $0, AgencyParty(keys[0].verkey), thread: plain["~thread"]?["thid"]?.string ?? "")
            }
        case "CREATE_KEY": return .createKey(AgencyParty(keys[1].verkey))
        case "UPDATE_COM_METHOD":
            return .webhook(
                id: plain["comMethod"]?["id"]?.string ?? "", url: plain["comMethod"]?["value"]?.string ?? "")
        case "GET_MSGS": return .messages(query)
        case "GET_MSGS_BY_CONNS": return .messagesByConnections(texts(plain["pairwiseDIDs"]), query)
        case "UPDATE_MSG_STATUS_BY_CONNS":
            let lists = (plain["uidsByConns"]?.array ?? []).map {
                AgencyUIDs(pairwiseDID: $0["pairwiseDID"]?.string ?? "", uids: texts($0["uids"]))
            }
            return .updateStatuses(plain["statusCode"]?.string ?? "", lists)
        case "UPDATE_CONN_STATUS": return .deleteConnection
        default: return nil
        }
    }

    /// Packs a request for parties whose keys are known in place of the recorded ones, and opens it layer by
    /// layer.
    func compare(_ request: AgencyRequest, _ layers: [JSON]) -> String? {
        guard let stand = [UInt8(1), 2].map({ KeyPair(seed: Secret([UInt8](repeating: $0, count: 32))) }) as? [KeyPair]
        else { return "no keys" }
        var stops: [AgencyEnvelope.Stop] = []
        var openers: [KeyPair] = []
        for layer in layers.dropLast() {
            let to = layer["to"]?.string.flatMap { Verkey($0) }
            let from = layer["from"]?.string.flatMap { Verkey($0) }
            // If the recorded sender is unknown, one of the known keys packs the request.
            let sender = keys.first { $0.verkey == from } ?? keys[1]
            let (party, opener): (AgencyParty, KeyPair) =
                switch to {
                case agency.key: (agency, agencyKey)
                case agent.key: (AgencyParty(did: agent.did, key: stand[0].verkey), stand[0])
                default:
                    (AgencyParty(did: layers.last?["plain"]?["@fwd"]?.string ?? "", key: stand[1].verkey), stand[1])
                }
            let did = to == connectionAgent.key ? connectionAgent.did : party.did
            stops.append(.init(AgencyParty(did: did, key: party.key), from: sender))
            openers.append(opener)
        }
        guard var random = RandomStream(seed: Secret([UInt8](repeating: 8, count: 32))) else { return "no stream" }
        var packed = AgencyEnvelope.pack(request.json(dialect), via: stops, agency: agency, random: &random)
        for (number, layer) in layers.enumerated().reversed() {
            let opener = number == layers.count - 1 ? agencyKey : openers[number]
            guard let content = try? Envelope.unpack(packed, with: [opener]),
                let plain = try? JSON.parse(content.plaintext)
            else { return "layer \(number) does not open" }
            let expected = number == layers.count - 1 ? nil : stops[number].sender.verkey
            guard content.sender == expected else { return "layer \(number) has another sender" }
            guard plain["@type"] == layer["plain"]?["@type"], plain["@fwd"] == layer["plain"]?["@fwd"],
                plain.object?.names == layer["plain"]?.object?.names || number == 0
            else { return "layer \(number): \(plain.compactText)" }
            packed = plain["@msg"]?.compactBytes ?? []
        }
        return nil
    }

    /// Reads an answer and compares the result with the recorded content.
    func read(_ packed: [UInt8], from sender: Verkey, _ request: AgencyRequest, _ step: JSON) -> String? {
        guard let expected = step["answer"] else { return "no plaintext" }
        do {
            let answer = try AgencyEnvelope.open(packed, with: keys, from: sender)
            guard answer.body == expected else { return "another plaintext" }
            if answer.type.name == "problem-report" {
                do throws(AgencyError) {
                    try answer.check(answers: request, dialect)
                    return "taken as an answer"
                } catch { return error == .problemReport ? nil : "\(error)" }
            }
            try answer.check(answers: request, dialect)
            switch request {
            case .connect: return answer.party == nil ? "no party" : nil
            case .createAgent, .createAgentByToken: return answer.party == agent ? nil : "another agent"
            case .createKey: return answer.party == connectionAgent ? nil : "another agent of the connection"
            case .messages:
                return opened(try answer.messages(), expected["msgs"]?.array)
            case .messagesByConnections:
                let lists = try answer.messagesByConnections()
                guard lists.map(\.pairwiseDID) == [keys[1].verkey.unqualifiedDID] else { return "other connections" }
                return opened(lists[0].messages, expected["msgsByConns"]?.array?.first?["msgs"]?.array)
            case .updateStatuses:
                let failures = try answer.failures()
                guard failures.count == (expected["failed"]?.array ?? []).count else { return "failures" }
                return failures.allSatisfy { $0.problem.kind == .invalid } ? nil : "\(failures)"
            case .signUp, .webhook, .deleteConnection: return nil
            }
        } catch {
            return "\(error)"
        }
    }

    /// Checks that each message opens with the connection's key, independent of its writer.
    private func opened(_ messages: [AgencyMessage], _ expected: [JSON]?) -> String? {
        guard messages.map(\.uid) == expected?.compactMap({ $0["uid"]?.string }) else { return "other messages" }
        for message in messages {
            guard message.statusCode == "MS-103" else { return "state" }
            guard let content = try? Envelope.unpack(message.envelope, with: [keys[1]]), content.sender != nil,
                (try? Message(plaintext: content.plaintext)) != nil
            else { return "\(message.uid) does not open" }
        }
        return nil
    }
}
