package import Encoding

/// Long polling at a Node agency: a wake-up for a gate that cannot be reached from outside. The long poll is
/// unauthenticated by design, so its answer says at most "fetch now" and never which messages wait.
package struct AgencyLongPoll: Hashable, Sendable {
    /// The URL to get. The server answers when a message arrives, or when the time is over.
    package let url: Text
    /// The URL to post the body of ``acknowledgement(of:)`` to. Without an acknowledgement the next answer arrives at
    /// once.
    package let acknowledgementURL: Text

    /// How long the agency may hold a request. The transport's own limit must be longer.
    package static let wait = Duration.seconds(15)

    /// Creates the long poll for the agent with the given DID at the agency with the URL `base`.
    package init(base: Text, agent: Text) {
        url = Text("\(base)/agent/\(agent)/notifications?timeout=\(Self.wait.nanoseconds / 1_000_000)")
        acknowledgementURL = Text("\(base)/agent/\(agent)/notifications/ack")
    }

    /// Returns the time of the newest unacknowledged message, in milliseconds since 1970, from an answer of
    /// at most 1 KiB; nil if no message is unacknowledged.
    package static func unacknowledged(in answer: [UInt8]) throws(AgencyError) -> Int? {
        guard answer.count <= 1024, let value = (try? JSON.parse(answer))?["unackedTimestamp"] else {
            throw .malformed
        }
        if value.isNull { return nil }
        guard let time = value.int, time >= 0 else { throw .malformed }
        return time
    }

    /// Returns the body that acknowledges the messages up to `time`. The mailbox fetches these messages
    /// before it acknowledges them.
    package static func acknowledgement(of time: Int) -> [UInt8] {
        JSON.object(["ackTimestamp": .int(time)]).compactBytes
    }
}

/// The body of a webhook: which message arrived for which connection. The body is not signed, so it is only a reason to
/// fetch.
package struct AgencyWakeUp: Hashable, Sendable {
    /// The agency's id of the message.
    package let uid: Text
    /// The gate's DID in the connection.
    package let pairwiseDID: Text

    /// Reads a body of at most 4 KiB in any of the three spellings that servers and their documents use.
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
