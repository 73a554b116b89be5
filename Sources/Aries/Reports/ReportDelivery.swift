package import Encoding

/// Delivers the ledger to one destination. The delivery determines which entries are sent next and in which
/// form, what confirms them, and what happens without a confirmation.
///
/// It is a state machine without clock, network and storage, separate from the ``AgentConnection`` that
/// carries its messages. Only the destination's cursor outlives it: a new connection, a new ledger and a
/// restart begin with a new value. HTTP 2xx confirms nothing. Entries that are not confirmed are read and
/// sent again, with the same ids.
package struct ReportDelivery: Sendable {
    let settings: ReportSettings
    var limits: ReportSettings.Limits { settings.limits }
    /// The end of the ledger.
    package internal(set) var end: ReportPoint
    /// The cursor: all entries up to this position are confirmed or skipped.
    package internal(set) var confirmed: Int
    /// The form and the proof of reports; nil before they are known.
    package internal(set) var way: ReportWay?
    /// Why the delivery is held; nil if it is not held.
    package internal(set) var hold: ReportHold?

    var isConnected = false
    var features = Features.unknown
    /// When an agent that does not support the protocol is asked about it again, and whether that time has
    /// passed.
    var featuresAt: Instant?
    var isFeatureCheckDue = false
    /// The way that was reported last.
    var told: ReportWay?
    /// The id of the message that the connection is sending.
    var inFlight: Text?
    /// Messages that were handed over and are not confirmed, in the ledger's order.
    var outstanding: [Outstanding] = []
    /// Entries that were read and are not handed over yet.
    var ahead: [ReportEntry] = []
    /// The read that is under way. Its result is not used if its position was given up meanwhile.
    var reading: Reading?
    /// The time before which no entries are read, because the last read returned none.
    var readAt: Instant?
    /// The position of the last entry that was read.
    var readUpTo: Int
    /// The position of the last entry that was reported as no longer kept.
    var removedUpTo = 0
    var timer: FlushTimer
    /// The maximum number of entries in the next message. It is halved after a refusal and doubled after a
    /// confirmation.
    var size: Int
    /// The position of a single entry that was refused. It is sent once more after the peer has answered a
    /// ping.
    var suspect: Int?
    /// The number of entries skipped since the last confirmation.
    var refusals = 0
    var liveness: Liveness
    /// The gate's pings, each with the position up to which entries had been accepted before it: an answer
    /// proves these entries.
    var pings: [(id: Text, upTo: Int)] = []
    /// The time until which accepted entries must be confirmed. After that time the peer is pinged.
    var confirmBy: Instant?
    /// Whether the time for a confirmation (``confirmBy``) has passed. The next pong then shows that the peer
    /// is alive but does not confirm.
    var isOverdue = false
    /// The ends of the last messages with entries. A receipt must name one of them.
    var sentEnds: [ReportPoint] = []
    var holdUntil: Instant?
    var holds = 0
    /// How often the peer reported that another connection writes the ledger, since the last confirmation.
    var foreignHolds = 0
    var witness: RemoteWitness
    /// Whether this is an earlier ledger. It is already known that this ledger was replaced, so entries that
    /// the peer has are no new evidence against it.
    let isPast: Bool
    /// Whether an unproven claim of the peer about the ledger was reported and still holds.
    var isClaimed = false
    /// Whether the peer's last answer agrees with the ledger, as far as the ledger was looked up.
    var isAgreeing = false
    /// The last position that the peer has, if it had more entries before; nil otherwise.
    var refillAfter: Int?
    /// The last receipt, to be compared with the ledger.
    var kept: ReportPoint?

    /// What is known about the protocols that the peer speaks.
    enum Features: Sendable {
        case unknown
        case asked(Text)
        /// The question was sent. The delivery waits for the answer until the given instant.
        case sent(until: Instant)
        /// The question was not answered so far. If the peer then answers a ping, it counts as a peer without
        /// the protocol.
        case doubted
        case known(Bool)
    }

    /// A message, or entries about which there is nothing to report.
    struct Outstanding: Sendable {
        let id: Text
        let before: Int
        let end: ReportPoint
        /// The position of the last entry that it contains.
        let held: Int
        let size: Int
        /// The ids of reports that the controller has not acknowledged yet.
        var waiting: [Text]
        var state: State

        enum State: Sendable {
            case handedOver
            /// The peer's server has accepted the message.
            case taken
            /// The message is confirmed.
            case done
            /// The entry is skipped: the peer refused it in a message of its own (`isRefused`), or it has
            /// nothing to report.
            case passedOver(isRefused: Bool)
        }
    }

    /// A read under way.
    struct Reading: Sendable {
        var isStale = false
    }

    /// Creates a delivery of the entries after position `confirmed` of the ledger that ends with `end`.
    /// `receipt`: the last receipt that was kept. `isPast`: whether another ledger has replaced this one.
    package init(
        _ settings: ReportSettings, end: ReportPoint, confirmed: Int, receipt: ReportPoint? = nil, isPast: Bool = false
    ) {
        (self.settings, self.isPast) = (settings, isPast)
        self.end = end
        // A cursor beyond the end dates from before the ledger was restored from an older state. Entries that
        // are recorded now are new all the same.
        self.confirmed = min(max(confirmed, 0), end.position)
        readUpTo = self.confirmed
        size = settings.limits.entries
        timer = FlushTimer(delay: settings.batchDelay, full: settings.limits.entries, end: end.position)
        liveness = Liveness(settings.limits)
        witness = RemoteWitness(settings.limits)
        kept = isPast ? nil : receipt
    }

    /// When ``Event/deadlineReached`` is due; nil if only other events have an effect.
    package var deadline: Instant? {
        guard isConnected else { return nil }
        var times = [liveness.deadline, holdUntil, readAt, witness.deadline, timer.deadline]
        if !isOverdue { times.append(confirmBy) }
        times.append(featuresAt)
        if case .sent(let until) = features { times.append(until) }
        return times.compactMap(\.self).min()
    }

    /// Handles one event. The actions are to be carried out in order.
    package mutating func handle(_ event: Event, at now: Instant) -> [Action] {
        let actions = take(event, at: now)
        return actions + pass(now) + advance(at: now)
    }
}
