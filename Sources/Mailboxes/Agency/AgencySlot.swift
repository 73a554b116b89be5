import Aries
import DIDComm
import Encoding

/// One key of a connection at an agency, with the agent that receives its messages there.
struct AgencySlot: Sendable {
    /// The id of the connection.
    let connection: Text
    /// The connection's key. The agency gives the messages only to the owner of this key.
    let key: KeyPair
    /// The gate as a party in this connection.
    let ours: AgencyParty
    /// The connection's agent; nil until CREATE_KEY is answered.
    var agent: AgencyParty?
    /// The state of closing the slot; nil while the slot is used.
    var closing: Closing?
    /// The time until which messages are still fetched for this key, after another key replaced it; nil if
    /// this key was not replaced.
    var earlierUntil: Instant?

    // A restart forgets the following state.

    /// The time before which no request about this slot is sent.
    var hold = Instant.distantPast
    /// The time of the next separate request for the messages of this slot.
    var askAt = Instant.distantPast
    /// Whether messages of this slot are asked for in a separate request although one request could return
    /// those of all connections.
    var isAskedAlone = false
    /// The number of consecutive immediate repetitions of the request for this slot, and whether the present
    /// request is one of them.
    var (rereads, isReread) = (0, false)
    /// The number of consecutive unusable answers about this slot.
    var failures = 0
    /// Messages that were handed over and are not durable yet, each with the time of the handover.
    var handed: [Text: Instant] = [:]
    /// Messages that are durable and not released yet.
    var applied: [Text] = []
    /// Whether the last answer contained new messages, so that more may wait.
    var mayHaveMore = false
    /// The failure that was reported last (`told`), and whether the failure is over and its end was not reported yet
    /// (`hasRecovered`).
    var (told, hasRecovered): (MailboxFailure?, Bool) = (nil, false)

    /// The end of a slot.
    struct Closing: Sendable {
        /// Whether to report the end of the slot. The end is not reported if another key replaced the slot's key long
        /// ago.
        let isTold: Bool
        /// Whether all keys of the connection that were removed so far could be deleted at the agency.
        var isComplete = true
        /// The waiting messages that are to be released unread. Used only for an agency that cannot delete
        /// connections.
        var leftovers: [Text] = []
        /// How often the waiting messages were asked for.
        var rounds = 0
    }

    /// Creates a slot for the key `key` of `connection`.
    init(connection: Text, key: KeyPair, agent: AgencyParty? = nil) {
        (self.connection, self.key, self.agent) = (connection, key, agent)
        ours = AgencyParty(key.verkey)
    }

    /// Whether messages are fetched for this slot.
    var isOpen: Bool { agent != nil && closing == nil }

    /// Records an unusable answer of the agency about this slot. The agency is not asked about the slot for a
    /// while, and longer with each such answer.
    mutating func fail(at now: Instant, _ limits: AgencySettings.Limits, isFinal: Bool = false) {
        let wait = DoublingWait.after(failures, first: limits.firstRetry, longest: limits.longestRetry)
        hold = now.advanced(by: isFinal ? limits.refusedRetry : wait)
        failures += 1
    }

    /// Begins to close the slot. Earlier failures of reading do not delay the closing.
    mutating func close(isTold: Bool) {
        (closing, handed, hold, failures) = (Closing(isTold: isTold), [:], .distantPast, 0)
    }

    /// Records a usable answer of the agency about this slot.
    mutating func succeed() {
        if told != nil { hasRecovered = true }
        (failures, hold, told) = (0, .distantPast, nil)
    }

    /// Forgets the messages that were handed over before `time`: they will not become durable any more.
    mutating func forgetHanded(before time: Instant) { handed = handed.filter { $0.value > time } }
}

extension Instant {
    /// An instant before every event.
    static let distantPast = Instant(nanoseconds: .min)
}
