package import Encoding

/// Long polling at a Node agency: a wake-up for a kiosk that nobody can reach. Unauthenticated by design, so it says at most
/// "fetch now" and never what there is.
package struct AgencyLongPoll: Hashable, Sendable {
    /// Get it; it answers when a message arrives, or when the time is over.
    package let url: Text
    /// Post the body of ``acknowledgement(of:)`` there, or the next answer comes at once.
    package let acknowledgementURL: Text

    /// How long the agency may keep a question; the transport's own limit has to be longer.
    package static let wait = Duration.seconds(15)

    /// The long poll of that agent.
    package init(base: Text, agent: Text) {
        url = Text("\(base)/agent/\(agent)/notifications?timeout=\(Self.wait.nanoseconds / 1_000_000)")
        acknowledgementURL = Text("\(base)/agent/\(agent)/notifications/ack")
    }

    /// The time of the newest message that nobody acknowledged, in milliseconds since 1970, from an answer of at most 1 KiB; nil for
    /// none.
    package static func unacknowledged(in answer: [UInt8]) throws(AgencyError) -> Int? {
        guard answer.count <= 1024, let value = (try? JSON.parse(answer))?["unackedTimestamp"] else {
            throw .malformed
        }
        if value.isNull { return nil }
        guard let time = value.int, time >= 0 else { throw .malformed }
        return time
    }

    /// What acknowledges the messages up to that time; the mailbox fetches first.
    package static func acknowledgement(of time: Int) -> [UInt8] {
        JSON.object(["ackTimestamp": .int(time)]).compactBytes
    }
}

/// The body of a webhook: which message arrived for which connection. Nobody signs it: it is a reason to fetch and nothing more.
package struct AgencyWakeUp: Hashable, Sendable {
    /// The message's name.
    package let uid: Text
    /// Our DID in the connection.
    package let pairwiseDID: Text

    /// Reads a body of at most 4 KiB in any of the three spellings that servers and their documents have.
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
