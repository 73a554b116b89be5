package import Encoding

/// The delivery of the ledger's entries to one destination. It determines which entries are sent next and in which
/// form, what confirms them, and what happens if they are not confirmed.
///
/// The delivery is a state machine without clock, network and storage. An ``AgentConnection`` sends its messages. Only
/// the destination's cursor is stored: a new connection, a new ledger and a restart begin with a new value. HTTP 2xx
/// confirms nothing. Entries that are not confirmed are read and sent again, in messages with the same ids.
package struct ReportDelivery: Sendable {
    let settings: ReportSettings
    var limits: ReportSettings.Limits { settings.limits }
    /// The position and hash of the ledger's last entry.
    package internal(set) var end: ReportPoint
    /// The cursor's position: all entries up to it are confirmed or skipped.
    package internal(set) var confirmed: Int
    /// The form and the proof of reports; nil until they are determined.
    package internal(set) var way: ReportWay?
    /// Why the delivery pauses; nil if it does not.
    package internal(set) var hold: ReportHold?

    var isConnected = false
    var features = Features.unknown
    /// When a peer that does not support the protocol is asked again (`featuresAt`), and whether that time has passed
    /// (`isFeatureCheckDue`).
    var featuresAt: Instant?
    var isFeatureCheckDue = false
    /// The form and the proof that ``Action/found(_:)`` reported last.
    var told: ReportWay?
    /// The id of the message that was passed to the connection and whose result is not known; nil if there is none.
    var inFlight: Text?
    /// The messages that were passed to the connection and are not confirmed, in the order of the ledger.
    var outstanding: [Outstanding] = []
    /// The entries that were read and are not part of a message yet.
    var ahead: [ReportEntry] = []
    /// The read of the ledger that is under way; nil if there is none. Its result is ignored if the delivery went back
    /// to an earlier position meanwhile.
    var reading: Reading?
    /// The time before which the ledger is not read again, because the last read returned no entry.
    var readAt: Instant?
    /// The position of the last entry that was read from the ledger.
    var readUpTo: Int
    /// The position of the last entry that ``Action/gone(_:)`` reported as removed from the ledger.
    var removedUpTo = 0
    var timer: FlushTimer
    /// The largest number of entries in the next message. A refusal halves it, a confirmation doubles it.
    var size: Int
    /// The position of an entry that was refused in a message of its own; nil if there is none. The entry is sent once
    /// more after the peer has answered a ping.
    var suspect: Int?
    /// The number of refused entries that were skipped since the last confirmation.
    var refusals = 0
    var liveness: Liveness
    /// The gate's last pings. An answer to a ping proves the entries up to the position `upTo`, which the peer's server
    /// had accepted before the ping.
    var pings: [(id: Text, upTo: Int)] = []
    /// The time until which accepted entries must be confirmed; then the peer is pinged. Nil if no accepted entry is
    /// open.
    var confirmBy: Instant?
    /// Whether ``confirmBy`` has passed without a confirmation. The next answer to a ping then shows that the peer is
    /// alive but does not confirm.
    var isOverdue = false
    /// The position and hash of the last entry in each of the last `records` messages. A receipt must confirm one of
    /// these points.
    var sentEnds: [ReportPoint] = []
    var holdUntil: Instant?
    var holds = 0
    /// The number of refusals since the last confirmation because another connection writes the ledger.
    var foreignHolds = 0
    var witness: RemoteWitness
    /// Whether another ledger has replaced this one. If so, entries of the peer that this ledger lacks are no evidence
    /// against it: the replacement explains them.
    let isPast: Bool
    /// Whether a claim of the peer about the ledger, without this gate's signature, was reported and not withdrawn
    /// since.
    var isClaimed = false
    /// Whether the peer's last answer agrees with the ledger in all points that were compared so far.
    var isAgreeing = false
    /// The last position that the peer has, if it has lost later entries that it had confirmed; nil otherwise.
    var refillAfter: Int?
    /// The last stored receipt, to be compared with the ledger once; nil if there is none.
    var kept: ReportPoint?

    /// What is known about the protocols that the peer speaks.
    enum Features: Sendable {
        case unknown
        case asked(Text)
        /// The query was sent. The delivery waits for the answer until the given instant.
        case sent(until: Instant)
        /// The query was not answered in time. If the peer answers the next ping, it counts as a peer without the
        /// protocol.
        case doubted
        case known(Bool)
    }

    /// A batch of entries: a message that was passed to the connection, or skipped entries.
    struct Outstanding: Sendable {
        let id: Text
        let before: Int
        let end: ReportPoint
        /// The position of the last entry that the message contains.
        let held: Int
        let size: Int
        /// The ids of the reports in the message that the controller has not acknowledged yet.
        var waiting: [Text]
        var state: State

        enum State: Sendable {
            case handedOver
            /// The peer's server has accepted the message.
            case taken
            /// The message is confirmed.
            case done
            /// The entries are skipped: the peer refused the one entry twice (`isRefused`), or they have no report.
            case passedOver(isRefused: Bool)
        }
    }

    /// A read of the ledger that is under way.
    struct Reading: Sendable {
        var isStale = false
    }

    /// Creates the delivery of the entries after position `confirmed` to a destination. `end`: the end of the ledger;
    /// `receipt`: the last receipt that was stored; `isPast`: whether another ledger has replaced this one.
    package init(
        _ settings: ReportSettings, end: ReportPoint, confirmed: Int, receipt: ReportPoint? = nil, isPast: Bool = false
    ) {
        (self.settings, self.isPast) = (settings, isPast)
        self.end = end
        // A cursor beyond the end is from before the ledger was restored from an older state. All entries that are
        // recorded from now on must still be sent, so the cursor is moved to the end.
        self.confirmed = min(max(confirmed, 0), end.position)
        readUpTo = self.confirmed
        size = settings.limits.entries
        timer = FlushTimer(delay: settings.batchDelay, full: settings.limits.entries, end: end.position)
        liveness = Liveness(settings.limits)
        witness = RemoteWitness(settings.limits)
        kept = isPast ? nil : receipt
    }

    /// When the driver must send ``Event/deadlineReached``; nil if only other events have an effect.
    package var deadline: Instant? {
        guard isConnected else { return nil }
        var times = [liveness.deadline, holdUntil, readAt, witness.deadline, timer.deadline]
        if !isOverdue { times.append(confirmBy) }
        times.append(featuresAt)
        if case .sent(let until) = features { times.append(until) }
        return times.compactMap(\.self).min()
    }

    /// Handles one event and returns actions, which the driver must carry out in order.
    package mutating func handle(_ event: Event, at now: Instant) -> [Action] {
        let actions = take(event, at: now)
        return actions + pass(now) + advance(at: now)
    }
}
