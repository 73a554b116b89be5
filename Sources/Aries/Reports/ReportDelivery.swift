package import Encoding

/// Brings the ledger to one destination: which entries go next and in what form, what confirms them, and what is done when
/// nothing does.
///
/// A state machine without clock, network and storage beside the ``AgentConnection`` that carries its messages. The destination's
/// cursor is all that outlives it: a new connection, a new ledger and a restart begin with a new value. HTTP 2xx confirms nothing;
/// what is not confirmed is read and sent again, with the same ids.
package struct ReportDelivery: Sendable {
    let settings: ReportSettings
    var limits: ReportSettings.Limits { settings.limits }
    /// Where the ledger ends.
    package internal(set) var end: ReportPoint
    /// The cursor: everything up to here is confirmed or passed over.
    package internal(set) var confirmed: Int
    /// How reports go; nil before that is known.
    package internal(set) var way: ReportWay?
    /// Why nothing goes on; nil when it does.
    package internal(set) var hold: ReportHold?

    var isConnected = false
    var features = Features.unknown
    /// When an agent without the protocol is asked for it again, and whether that time has come.
    var featuresAt: Instant?
    var isFeatureCheckDue = false
    /// The way that the driver knows of.
    var told: ReportWay?
    /// The message that the connection has.
    var inFlight: Text?
    /// What was handed over and is not confirmed, in the ledger's order.
    var outstanding: [Outstanding] = []
    /// Entries that were read and not handed over.
    var ahead: [ReportEntry] = []
    /// What is being read; stale when the place was given up meanwhile.
    var reading: Reading?
    /// Not before this: there was nothing to read.
    var readAt: Instant?
    /// The last entry that was read.
    var readUpTo: Int
    /// The last entry that is told to be gone.
    var goneUpTo = 0
    var timer: FlushTimer
    /// Entries of the next message: halved when one was refused, doubled when one was confirmed.
    var size: Int
    /// The single entry that was refused: it goes once more behind a ping that the peer answered.
    var suspect: Int?
    /// Entries passed over since a message was confirmed.
    var refusals = 0
    var liveness: Liveness
    /// Our pings, and what had been taken when they were: what their answer proves.
    var pings: [(id: Text, upTo: Int)] = []
    /// When what was taken has to be confirmed, or pinged after.
    var confirmBy: Instant?
    /// Whether that time is over, and the next pong shows that the peer is there and does not confirm.
    var isOverdue = false
    /// The ends of the last messages with entries: what a receipt may name.
    var sentEnds: [ReportPoint] = []
    var holdUntil: Instant?
    var holds = 0
    /// How often the peer said that another connection writes the ledger, since the last confirmation.
    var foreignHolds = 0
    var witness: FarWitness
    /// Whether this is an earlier ledger. It is known already that it was replaced, so nothing that the peer has counts
    /// against it again.
    let isPast: Bool
    /// Whether an unproven claim of the peer was reported, and not taken back since.
    var isClaimed = false
    /// Whether its last answer agrees with the ledger, as far as that has been looked up.
    var isAgreeing = false
    /// The last entry that a peer has which had more.
    var refillAfter: Int?
    /// The last receipt, to be compared with the ledger.
    var kept: ReportPoint?

    /// What is known of the protocols that the peer speaks.
    enum Features: Sendable {
        case unknown
        case asked(Text)
        /// The question is there: the answer has time until then.
        case sent(until: Instant)
        /// No answer so far: if the peer answers a ping, it has none.
        case doubted
        case known(Bool)
    }

    /// A message, or entries about which there is nothing to say.
    struct Outstanding: Sendable {
        let id: Text
        let before: Int
        let end: ReportPoint
        /// The last entry that it holds.
        let held: Int
        let size: Int
        /// Reports that the controller did not acknowledge yet.
        var waiting: [Text]
        var state: State

        enum State: Sendable {
            case handedOver
            /// The peer's server has it.
            case taken
            /// Confirmed.
            case done
            /// Refused alone, or nothing to say.
            case passedOver(isRefused: Bool)
        }
    }

    /// A read that is under way.
    struct Reading: Sendable {
        var isStale = false
    }

    /// Delivers the entries after position `confirmed` of the ledger that ends with `end`. `receipt` is the last one
    /// that was kept; `isPast`: whether another ledger has taken its place.
    package init(
        _ settings: ReportSettings, end: ReportPoint, confirmed: Int, receipt: ReportPoint? = nil, isPast: Bool = false
    ) {
        (self.settings, self.isPast) = (settings, isPast)
        self.end = end
        // A cursor beyond the end is of a ledger that was put back: what comes now is new all the same.
        self.confirmed = min(max(confirmed, 0), end.position)
        readUpTo = self.confirmed
        size = settings.limits.entries
        timer = FlushTimer(delay: settings.batchDelay, full: settings.limits.entries, end: end.position)
        liveness = Liveness(settings.limits)
        witness = FarWitness(settings.limits)
        kept = isPast ? nil : receipt
    }

    /// Whether the peer answers no ping.
    package var isSilent: Bool { liveness.isSilent }

    /// When ``Event/deadlineReached`` is due; nil while only other events can bring anything.
    package var deadline: Instant? {
        guard isConnected else { return nil }
        var times = [liveness.deadline, holdUntil, readAt, witness.deadline, timer.deadline]
        if !isOverdue { times.append(confirmBy) }
        times.append(featuresAt)
        if case .sent(let until) = features { times.append(until) }
        return times.compactMap(\.self).min()
    }

    /// Takes one event; the actions are to be done in order.
    package mutating func handle(_ event: Event, at now: Instant) -> [Action] {
        let actions = take(event, at: now)
        return actions + pass(now) + advance(at: now)
    }
}
