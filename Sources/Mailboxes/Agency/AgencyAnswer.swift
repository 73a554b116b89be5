package import Encoding

/// A decrypted answer of an agency. The methods check the members that they read, and ignore all others.
package struct AgencyAnswer: Sendable {
    /// The parsed `@type`.
    package let type: AgencyType
    /// All members of the answer.
    package let body: JSON

    /// The largest number of messages that are read from one answer. The agency sends the other messages with its next
    /// answer, once the gate has released the first ones.
    package static let messagesLimit = 256
    /// The largest length of a message's id, in bytes. A message with a longer id is skipped.
    package static let uidBytes = 128

    /// Reads a decrypted answer: a JSON object, nested at most 32 levels deep, with an `@type` of the agency's
    /// protocol.
    package init(plaintext: [UInt8]) throws(AgencyError) {
        var limits = JSON.Limits()
        limits.depth = 32
        guard let body = try? JSON.parse(plaintext, limits: limits),
            let type = body["@type"]?.string.flatMap({ AgencyType($0) })
        else { throw .malformed }
        (self.type, self.body) = (type, body)
    }

    /// Throws if this is not the answer to `request`. Family and name are compared, but not the version, because the
    /// servers mix versions.
    package func check(answers request: AgencyRequest, _ dialect: AgencyDialect) throws(AgencyError) {
        guard type.family == dialect.form(of: request).family else { throw .otherAnswer }
        guard type.name != "problem-report" else { throw .problemReport }
        guard type.name == request.answerName else { throw .otherAnswer }
    }

    /// The DID and key of an agent that the agency has created, from a CONNECTED, AGENT_CREATED or KEY_CREATED answer;
    /// nil for other answers.
    package var party: AgencyParty? {
        AgencyParty(did: body["withPairwiseDID"], key: body["withPairwiseDIDVerKey"])
            ?? AgencyParty(did: body["selfDID"], key: body["agentVerKey"])
    }

    /// Returns the first ``messagesLimit`` messages of a MSGS answer.
    package func messages() throws(AgencyError) -> [AgencyMessage] {
        guard let list = body["msgs"]?.array else { throw .malformed }
        return Self.read(list, limit: Self.messagesLimit)
    }

    /// Returns the first ``messagesLimit`` messages of a MSGS_BY_CONNS answer, grouped by connection. `pairwiseDID` is
    /// the gate's DID in the connection.
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

    /// Reads up to `limit` messages. Skips an element without a usable id, because the agency could not release it.
    private static func read(_ list: [JSON], limit: Int) -> [AgencyMessage] {
        var messages: [AgencyMessage] = []
        for element in list {
            guard messages.count < limit else { break }
            if let message = AgencyMessage(element) { messages.append(message) }
        }
        return messages
    }

    /// Returns the connections for which the agency did not update the status of messages, at most ``messagesLimit``,
    /// each with the problem, from a MSG_STATUS_UPDATED_BY_CONNS answer. The list is always empty for the Node agency,
    /// which does not report such failures.
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
    /// The id that the agency has assigned to the message.
    package let uid: Text
    /// The status of the message, such as MS-103.
    package let statusCode: Text
    /// The encrypted message. Empty if the agency sent none, or sent something that cannot be an envelope; such a
    /// message can be released but not read.
    package let envelope: [UInt8]

    /// The largest size of an envelope in bytes, as in ``DIDComm/Envelope/Limits``. A larger envelope counts as absent.
    package static let envelopeBytes = 2 * 1024 * 1024

    /// Reads an element of `msgs`; nil if its id or its status is absent or too long.
    package init?(_ json: JSON) {
        guard let uid = json["uid"]?.string, (1...AgencyAnswer.uidBytes).contains(uid.utf8.count),
            let status = json["statusCode"]?.string, (1...16).contains(status.utf8.count)
        else { return nil }
        (self.uid, statusCode) = (uid, status)
        let payload = json["payload"].flatMap { $0.object == nil ? nil : $0.compactBytes } ?? []
        envelope = payload.count <= Self.envelopeBytes ? payload : []
    }
}
