import DIDComm
import Encoding

/// One key of a connection at an agency, with the agent that takes its messages there.
struct AgencySlot: Sendable {
    /// The connection.
    let connection: Text
    /// The connection's key; the agency gives the messages to who holds it and to nobody else.
    let key: KeyPair
    /// Who we are there.
    let ours: AgencyParty
    /// The connection's agent; nil until CREATE_KEY was answered.
    var agent: AgencyParty?
    /// How it ends; nil while it is used.
    var closing: Closing?
    /// Set when another key took its place: until then messages are fetched all the same.
    var earlierUntil: Instant?

    // What follows is forgotten by a restart.

    /// Nothing is asked for it before this time.
    var hold = Instant.distantPast
    /// When it is asked for messages by itself.
    var askAt = Instant.distantPast
    /// Whether it is asked by itself although one request could answer for all.
    var isAskedAlone = false
    /// How often in a row it was asked again at once, and whether it is now.
    var (rereads, isReread) = (0, false)
    /// How often in a row the agency's answer about it was of no use.
    var failures = 0
    /// Messages that were handed over and are not durable yet, with the time.
    var handed: [Text: Instant] = [:]
    /// Messages that are durable and not released yet, in order.
    var applied: [Text] = []
    /// Whether the last answer had messages that are new to us, so that there may be more.
    var mayHaveMore = false
    /// The failure that was told last, and whether it is over and nobody was told so.
    var (told, hasRecovered): (MailboxFailure?, Bool) = (nil, false)

    /// The end of a slot.
    struct Closing: Sendable {
        /// Whether somebody waits to hear of it: not when another key took the slot's place long ago.
        let isTold: Bool
        /// Whether those of the connection's other keys that are gone could all be forgotten there.
        var isComplete = true
        /// Where connections cannot be deleted: what waits and is to be released unread.
        var leftovers: [Text] = []
        /// How often what waits was asked for.
        var rounds = 0
    }

    /// A slot for that key.
    init(connection: Text, key: KeyPair, agent: AgencyParty? = nil) {
        (self.connection, self.key, self.agent) = (connection, key, agent)
        ours = AgencyParty(key.verkey)
    }

    /// Whether messages are fetched for it.
    var isOpen: Bool { agent != nil && closing == nil }

    /// The agency's answer about it was of no use: it is left alone for a while, the longer the more often that happened.
    mutating func fail(at now: Instant, _ limits: AgencySettings.Limits, isFinal: Bool = false) {
        let wait = isFinal ? limits.refusedRetry : limits.firstRetry * (1 << min(failures, 20))
        hold = now.advanced(by: min(wait, max(limits.longestRetry, limits.refusedRetry)))
        failures += 1
    }

    /// It is not used any more; what was wrong with reading it says nothing about leaving.
    mutating func close(isTold: Bool) {
        (closing, handed, hold, failures) = (Closing(isTold: isTold), [:], .distantPast, 0)
    }

    /// The agency's answer about it was of use.
    mutating func succeed() {
        if told != nil { hasRecovered = true }
        (failures, hold, told) = (0, .distantPast, nil)
    }

    /// Forgets what was handed over so long ago that it will not become durable any more.
    mutating func forgetHanded(before time: Instant) { handed = handed.filter { $0.value > time } }
}

extension Instant {
    /// Before anything that happens.
    static let distantPast = Instant(nanoseconds: .min)
}
