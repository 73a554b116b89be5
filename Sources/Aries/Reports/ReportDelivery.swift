package import Encoding

/// Delivers the ledger to one destination. It decides which entries are sent next and in which form, what
/// confirms them, and what happens without a confirmation.
///
/// A state machine without clock, network and storage, separate from the ``AgentConnection`` that carries its
/// messages. Only the destination's cursor outlives it: a new connection, a new ledger and a restart begin
/// with a new value. HTTP 2xx confirms nothing. Entries that are not confirmed are read and sent again, with
/// the same ids.
package struct ReportDelivery: Sendable {
    let settings: ReportSettings
    var limits: ReportSettings.Limits { settings.limits }
    /// The end of the ledger.
    package internal(set) var end: ReportPoint
    /// The cursor: everything up to here is confirmed or passed over.
    package internal(set) var confirmed: Int
    /// The form and the proof of reports; nil before they are known.
    package internal(set) var way: ReportWay?
    /// Why the delivery is held; nil: it is not held.
    package internal(set) var hold: ReportHold?

    var isConnected = false
    var features = Features.unknown
    /// When an agent without the protocol is asked about it again, and whether that time has passed.
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
    /// The read under way; stale if its position was given up meanwhile.
    var reading: Reading?
    /// The time before which nothing is read, because the last read returned nothing.
    var readAt: Instant?
    /// The position of the last entry that was read.
    var readUpTo: Int
    /// The position of the last entry that was reported as no longer kept.
    var goneUpTo = 0
    var timer: FlushTimer
    /// The limit of entries in the next message: halved after a refusal, doubled after a confirmation.
    var size: Int
    /// The position of a single entry that was refused. It is sent once more after the peer has answered a
    /// ping.
    var suspect: Int?
    /// The number of entries passed over since a message was confirmed.
    var refusals = 0
    var liveness: Liveness
    /// The gate's pings, each with the position up to which entries had been accepted before it: an answer
    /// proves these.
    var pings: [(id: Text, upTo: Int)] = []
    /// When accepted entries must be confirmed. After that time the peer is pinged.
    var confirmBy: Instant?
    /// Whether that time has passed. Then the next pong shows that the peer is alive and does not confirm.
    var isOverdue = false
    /// The ends of the last messages with entries. A receipt must name one of them.
    var sentEnds: [ReportPoint] = []
    var holdUntil: Instant?
    var holds = 0
    /// How often the peer reported that another connection writes the ledger, since the last confirmation.
    var foreignHolds = 0
    var witness: FarWitness
    /// Whether this is an earlier ledger. It is already known that it was replaced, so nothing that the peer
    /// has counts against it again.
    let isPast: Bool
    /// Whether an unproven claim of the peer was reported, and has not ended since.
    var isClaimed = false
    /// Whether its last answer agrees with the ledger, as far as that has been looked up.
    var isAgreeing = false
    /// The last position that the peer has, if it had more before.
    var refillAfter: Int?
    /// The last receipt, to be compared with the ledger.
    var kept: ReportPoint?

    /// What is known about the protocols that the peer speaks.
    enum Features: Sendable {
        case unknown
        case asked(Text)
        /// The question was sent; its answer is awaited until that time.
        case sent(until: Instant)
        /// No answer so far. If the peer then answers a ping, it counts as a peer without the protocol.
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
            /// The peer's server has accepted it.
            case taken
            /// Confirmed.
            case done
            /// Refused on its own, or nothing to report.
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
        // A cursor beyond the end is from before the ledger was restored from an older state. Entries
        // recorded now are new all the same.
        self.confirmed = min(max(confirmed, 0), end.position)
        readUpTo = self.confirmed
        size = settings.limits.entries
        timer = FlushTimer(delay: settings.batchDelay, full: settings.limits.entries, end: end.position)
        liveness = Liveness(settings.limits)
        witness = FarWitness(settings.limits)
        kept = isPast ? nil : receipt
    }

    /// Whether the peer leaves pings unanswered.
    package var isSilent: Bool { liveness.isSilent }

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
