package import Encoding

/// The long poll at a Node agency, which wakes a gate that cannot be reached from outside. The server does not
/// authenticate it, so the answer is only a reason to read messages and never states which messages wait.
package struct AgencyLongPoll: Hashable, Sendable {
    /// The URL for a GET request. The server answers when a message arrives, or after ``wait``.
    package let url: Text
    /// The URL to which ``acknowledgement(of:)`` is posted. Without an acknowledgement the server answers the next long
    /// poll at once.
    package let acknowledgementURL: Text

    /// How long the server delays its answer. The HTTP client's own time limit must be longer.
    package static let wait = Duration.seconds(15)

    /// Creates the long poll for the agent with the DID `agent`, at the agency with the base URL `base`.
    package init(base: Text, agent: Text) {
        url = Text("\(base)/agent/\(agent)/notifications?timeout=\(Self.wait.nanoseconds / 1_000_000)")
        acknowledgementURL = Text("\(base)/agent/\(agent)/notifications/ack")
    }

    /// Reads the server's answer, of at most 1 KiB. Returns the time of the newest message that is not acknowledged, in
    /// milliseconds since 1970; nil if there is none.
    package static func unacknowledged(in answer: [UInt8]) throws(AgencyError) -> Int? {
        guard answer.count <= 1024, let value = (try? JSON.parse(answer))?["unackedTimestamp"] else {
            throw .malformed
        }
        if value.isNull { return nil }
        guard let time = value.int, time >= 0 else { throw .malformed }
        return time
    }

    /// Returns the body that acknowledges all messages up to `time`, in milliseconds since 1970. Read these messages
    /// before you send it.
    package static func acknowledgement(of time: Int) -> [UInt8] {
        JSON.object(["ackTimestamp": .int(time)]).compactBytes
    }
}

/// The body of a webhook request: which message arrived for which connection. It is not signed, so it is only a reason
/// to read messages.
package struct AgencyWakeUp: Hashable, Sendable {
    /// The id that the agency has assigned to the message.
    package let uid: Text
    /// The gate's DID in the connection.
    package let pairwiseDID: Text

    /// Reads a body of at most 4 KiB. Its members may have any of the three spellings that the servers and their
    /// documents use.
    package init(_ body: [UInt8]) throws(AgencyError) {
        guard body.count <= 4 * 1024, let json = try? JSON.parse(body),
            let uid = (json["msgUid"] ?? json["msgId"] ?? json["uid"])?.string,
            let did = (json["pwDid"] ?? json["relationshipDid"] ?? json["forDID"])?.string,
            (1...AgencyAnswer.uidBytes).contains(uid.utf8.count),
            (1...AgencyParty.didBytes).contains(did.utf8.count)
        else { throw .malformed }
        (self.uid, pairwiseDID) = (uid, did)
    }
}
