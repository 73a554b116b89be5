package import Encoding

/// A decrypted answer of an agency. Readers are strict about the members that they use, and ignore all
/// others.
package struct AgencyAnswer: Sendable {
    /// The parsed `@type`.
    package let type: AgencyType
    /// All members of the answer.
    package let body: JSON

    /// The maximum number of messages that are read from one answer. The remaining messages arrive with the
    /// next answer, once the read ones are released.
    package static let messagesLimit = 256
    /// The longest message name, in bytes.
    package static let uidBytes = 128

    /// Reads a plaintext: an object with an `@type` of the protocol, nested at most 32 deep.
    package init(plaintext: [UInt8]) throws(AgencyError) {
        var limits = JSON.Limits()
        limits.depth = 32
        guard let body = try? JSON.parse(plaintext, limits: limits),
            let type = body["@type"]?.string.flatMap({ AgencyType($0) })
        else { throw .malformed }
        (self.type, self.body) = (type, body)
    }

    /// Throws unless this answers `request`. Only family and name are compared, because the servers mix
    /// versions.
    package func check(answers request: AgencyRequest, _ dialect: AgencyDialect) throws(AgencyError) {
        guard type.family == dialect.form(of: request).family else { throw .otherAnswer }
        guard type.name != "problem-report" else { throw .problemReport }
        guard type.name == request.answerName else { throw .otherAnswer }
    }

    /// The agent's DID and key in a CONNECTED, AGENT_CREATED or KEY_CREATED answer; nil for other answers.
    package var party: AgencyParty? {
        AgencyParty(did: body["withPairwiseDID"], key: body["withPairwiseDIDVerKey"])
            ?? AgencyParty(did: body["selfDID"], key: body["agentVerKey"])
    }

    /// Returns the first ``messagesLimit`` messages of a MSGS answer.
    package func messages() throws(AgencyError) -> [AgencyMessage] {
        guard let list = body["msgs"]?.array else { throw .malformed }
        return Self.read(list, limit: Self.messagesLimit)
    }

    /// Returns the first messages of a MSGS_BY_CONNS answer, at most ``messagesLimit`` in total, grouped by
    /// the gate's pairwise DID in the connection.
    package func messagesByConnections() throws(AgencyError) -> [(pairwiseDID: Text, messages: [AgencyMessage])] {
        guard let list = body["msgsByConns"]?.array else { throw .malformed }
        var found: [(pairwiseDID: Text, messages: [AgencyMessage])] = []
        var room = Self.messagesLimit
        for element in list {
            guard room > 0 else { break }
            guard let did = element["pairwiseDID"]?.string, (1...AgencyParty.didBytes).contains(did.utf8.count),
                let entries = element["msgs"]?.array
            else { throw .malformed }
            guard !entries.isEmpty else { continue }
            let messages = Self.read(entries, limit: room)
            room -= messages.count
            found.append((pairwiseDID: did, messages: messages))
        }
        return found
    }

    /// Reads messages. Skips an entry without a usable name, because it could not be released.
    private static func read(_ list: [JSON], limit: Int) -> [AgencyMessage] {
        var messages: [AgencyMessage] = []
        for element in list {
            guard messages.count < limit else { break }
            if let message = AgencyMessage(element) { messages.append(message) }
        }
        return messages
    }

    /// Returns the connections whose messages were not updated according to a MSG_STATUS_UPDATED_BY_CONNS
    /// answer, at most ``messagesLimit``, each with its problem. The list is empty for the Node agency, which
    /// reports no failures.
    package func failures() throws(AgencyError) -> [(pairwiseDID: Text, problem: AgencyProblem)] {
        guard let list = body["failed"] else { return [] }
        guard let entries = list.array else { throw .malformed }
        return entries.prefix(Self.messagesLimit).compactMap { entry in
            guard let did = entry["pairwiseDID"]?.string, let code = entry["statusCode"]?.string else { return nil }
            return (did, AgencyProblem(code: code))
        }
    }
}

/// One message that waits at an agency.
package struct AgencyMessage: Hashable, Sendable {
    /// The agency's id of the message.
    package let uid: Text
    /// The state of the message, such as MS-103.
    package let statusCode: Text
    /// The packed message; empty if the agency sent none, or if the bytes cannot be an envelope. Such a
    /// message can be released but not read.
    package let envelope: [UInt8]

    /// The longest envelope in bytes, as in ``DIDComm/Envelope/Limits``. A longer envelope counts as missing.
    package static let envelopeBytes = 2 * 1024 * 1024

    /// Reads an element of `msgs`; nil without a usable name and state.
    package init?(_ json: JSON) {
        guard let uid = json["uid"]?.string, (1...AgencyAnswer.uidBytes).contains(uid.utf8.count),
            let status = json["statusCode"]?.string, (1...16).contains(status.utf8.count)
        else { return nil }
        (self.uid, statusCode) = (uid, status)
        let payload = json["payload"].flatMap { $0.object == nil ? nil : $0.compactBytes } ?? []
        envelope = payload.count <= Self.envelopeBytes ? payload : []
    }
}
