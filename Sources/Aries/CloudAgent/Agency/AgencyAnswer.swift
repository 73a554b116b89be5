package import Encoding

/// A decrypted answer of an agency. Readers are strict in what is used and ignore what is not.
package struct AgencyAnswer: Sendable {
    /// The parsed `@type`.
    package let type: AgencyType
    /// All members.
    package let body: JSON

    /// Messages that are taken from one answer; the others come with the next, once these are released.
    package static let messagesLimit = 256
    /// Bytes of the longest message name.
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

    /// Throws unless this answers `request`: by family and name, as the servers mix versions.
    package func check(answers request: AgencyRequest, _ dialect: AgencyDialect) throws(AgencyError) {
        guard type.family == dialect.form(of: request).family else { throw .otherAnswer }
        guard type.name != "problem-report" else { throw .problemReport }
        guard type.name == request.answerName else { throw .otherAnswer }
    }

    /// The agent that CONNECTED, AGENT_CREATED or KEY_CREATED names.
    package var party: AgencyParty? {
        AgencyParty(did: body["withPairwiseDID"], key: body["withPairwiseDIDVerKey"])
            ?? AgencyParty(did: body["selfDID"], key: body["agentVerKey"])
    }

    /// The first ``messagesLimit`` messages of a MSGS answer.
    package func messages() throws(AgencyError) -> [AgencyMessage] {
        guard let list = body["msgs"]?.array else { throw .malformed }
        return Self.read(list, limit: Self.messagesLimit)
    }

    /// The first messages of a MSGS_BY_CONNS answer, ``messagesLimit`` in all, by our DIDs in the connections.
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

    /// An entry without a name that could be released is left out.
    private static func read(_ list: [JSON], limit: Int) -> [AgencyMessage] {
        var messages: [AgencyMessage] = []
        for element in list {
            guard messages.count < limit else { break }
            if let message = AgencyMessage(element) { messages.append(message) }
        }
        return messages
    }

    /// The connections whose messages MSG_STATUS_UPDATED_BY_CONNS says were not updated, at most ``messagesLimit``, with what was
    /// wrong. None in the Node agency, which says nothing at all.
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
    /// The agency's name for it.
    package let uid: Text
    /// Its state, such as MS-103.
    package let statusCode: Text
    /// The packed message; empty when there is none, or none that an envelope could be: it can be released and not read.
    package let envelope: [UInt8]

    /// Bytes of the longest envelope, as ``DIDComm/Envelope/Limits``; a longer one is as good as none.
    package static let envelopeBytes = 2 * 1024 * 1024

    /// Reads an element of `msgs`; nil without usable name and state.
    package init?(_ json: JSON) {
        guard let uid = json["uid"]?.string, (1...AgencyAnswer.uidBytes).contains(uid.utf8.count),
            let status = json["statusCode"]?.string, (1...16).contains(status.utf8.count)
        else { return nil }
        (self.uid, statusCode) = (uid, status)
        let payload = json["payload"].flatMap { $0.object == nil ? nil : $0.compactBytes } ?? []
        envelope = payload.count <= Self.envelopeBytes ? payload : []
    }
}
