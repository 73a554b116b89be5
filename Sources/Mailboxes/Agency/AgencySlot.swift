import Aries
import DIDComm
import Encoding

/// One key of a connection, and the agent at the agency that receives the messages for this key.
struct AgencySlot: Sendable {
    /// The id of the connection.
    let connection: Text
    /// The connection's key pair. The agency returns the messages only to the owner of this key.
    let key: KeyPair
    /// The gate's DID and key in this connection.
    let ours: AgencyParty
    /// The connection's agent at the agency; nil before CREATE_KEY is answered.
    var agent: AgencyParty?
    /// The state of closing; nil while the slot is in use.
    var closing: Closing?
    /// The time until which messages for this key are still read, because another key has replaced it; nil if it was
    /// not replaced.
    var earlierUntil: Instant?

    // The following properties are not stored.

    /// The time before which no request about this slot is sent.
    var hold = Instant.distantPast
    /// When the messages of this slot are read next with a separate request.
    var askAt = Instant.distantPast
    /// Whether the messages of this slot are read with a separate request, although one request can read those of all
    /// connections.
    var isAskedAlone = false
    /// How often in a row the messages were read again without a wait (`rereads`), and whether the present read is such
    /// a repetition (`isReread`).
    var (rereads, isReread) = (0, false)
    /// The number of unusable answers about this slot in a row.
    var failures = 0
    /// The ids of messages that were passed to the connection and are not durable yet, each with the time at which it
    /// was passed.
    var handed: [Text: Instant] = [:]
    /// The ids of messages that are durable at the gate and not released at the agency yet.
    var applied: [Text] = []
    /// Whether the last answer contained new messages. If so, more may be waiting.
    var mayHaveMore = false
    /// The failure that was reported last (`told`; nil if none), and whether that failure is over but its end is not
    /// reported yet (`hasRecovered`).
    var (told, hasRecovered): (MailboxFailure?, Bool) = (nil, false)

    /// The state of a slot that is being closed.
    struct Closing: Sendable {
        /// Whether the end of the slot is reported. It is not reported for an earlier key that was replaced by another
        /// key of the connection.
        let isTold: Bool
        /// Whether the agency has deleted all keys of the connection that were removed so far.
        var isComplete = true
        /// The ids of waiting messages to release without reading them. Used only for an agency that cannot delete
        /// connections.
        var leftovers: [Text] = []
        /// The number of times that waiting messages were released without reading them.
        var rounds = 0
    }

    /// Creates a slot for the key `key` of `connection`.
    init(connection: Text, key: KeyPair, agent: AgencyParty? = nil) {
        (self.connection, self.key, self.agent) = (connection, key, agent)
        ours = AgencyParty(key.verkey)
    }

    /// Whether messages are read for this slot.
    var isOpen: Bool { agent != nil && closing == nil }

    /// Records an unusable answer of the agency about this slot. No request about the slot is sent for a while; the
    /// wait grows with each such answer. `isFinal`: whether only the agency's operator can resolve the failure.
    mutating func fail(at now: Instant, _ limits: AgencySettings.Limits, isFinal: Bool = false) {
        let wait = DoublingWait.after(failures, first: limits.firstRetry, longest: limits.longestRetry)
        hold = now.advanced(by: isFinal ? limits.refusedRetry : wait)
        failures += 1
    }

    /// Begins to close the slot. `isTold`: whether the end of the slot is reported. Earlier failures do not delay the
    /// closing.
    mutating func close(isTold: Bool) {
        (closing, handed, hold, failures) = (Closing(isTold: isTold), [:], .distantPast, 0)
    }

    /// Records a usable answer of the agency about this slot.
    mutating func succeed() {
        if told != nil { hasRecovered = true }
        (failures, hold, told) = (0, .distantPast, nil)
    }

    /// Removes the messages that were passed to the connection before `time`. They are passed again if they still wait
    /// at the agency.
    mutating func forgetHanded(before time: Instant) { handed = handed.filter { $0.value > time } }
}

extension Instant {
    /// An instant before every event.
    static let distantPast = Instant(nanoseconds: .min)
}
