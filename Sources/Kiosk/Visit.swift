import BluetoothHost
import Credentials
import Encoding
import Ledger
import Reasons
import Tuvali

/// The visit of one phone, from its connection to its end. Each connected phone has a separate value of this type.
///
/// Three activities run in parallel and meet in ``settle(at:)``: the transfer (a ``VerifierSession``), the writing of
/// the intent to disk, and the verification. The decision on the visit is made only after it is known whether the
/// intent is durable. So no status byte and no gate pulse can be sent for a visit of which a power cut would leave no
/// trace. The decision also waits for the visit's verdict turn, so that lights, tone and pulse belong to one person.
struct Visit: Sendable {
    /// A request of a visit to the kiosk.
    enum Request {
        case notify(Characteristic, [UInt8])
        case dropLink
        /// The wallet's key was received. The value is the identifier of the session's secret. The request is
        /// answered with ``intend(with:)`` or ``refuse(at:)``.
        case identified([UInt8])
        case recordIntent(IntentID)
        /// An authentic credential was received with a printed key: store the session's name on the disk. The request
        /// is answered with ``sessionKept(failure:at:)``.
        case keepSession
        case verify([UInt8])
        /// All data for the decision are known. The request is answered with ``decide(at:)`` when the visit's verdict
        /// turn begins. `isCredential`: see ``Verdict/isAuthentic``.
        case awaitTurn(isCredential: Bool)
        /// The decision on the visit has been made. Carry it out.
        case act(Decision)
        case recordOutcome(Outcome, signedDigests: [[UInt8]])
        /// The phone left without a credential. The visit is counted, not recorded.
        case abandoned
        case note(KioskNote)
    }

    struct Decision {
        let accepted: Bool
        /// Whether the visit's credential is authentic; see ``Verdict/isAuthentic``.
        var isCredential = true
        /// The time from T0 to the decision, and the part of that time in which the visit waited for its verdict turn;
        /// nil if the visit failed without a verdict.
        let times: (sinceT0: Duration, waited: Duration)?
    }

    /// What ended the link.
    enum LinkEnd {
        case phone
        case radio
        case stop
    }

    /// The state of the session's name, which the gate stores if the phone used a printed key.
    enum SessionName {
        case none
        case requested
        case kept
        case failed
    }

    enum Stage {
        case transferring
        case verifying(since: Instant)
        /// The verdict is known. The visit waits until the intent and, with a printed key, the name of the session are
        /// durable. `since`: T0.
        case verified(Verdict, since: Instant)
        /// The visit waits for its verdict turn since the instant `at`. `since`: T0.
        case ready(Verdict, since: Instant, at: Instant)
        case over(since: Instant)
    }

    let id: VisitID
    /// The number of the offer that the phone used.
    let offer: Int
    /// Whether the phone used a printed key. If so, the gate opens only with a durable intent and with the session's
    /// name on the disk.
    let isPrinted: Bool
    /// The generation of the service that the phone uses. Before the phone's first write, this is the generation of
    /// the advertisement to which the phone connected.
    private(set) var generation: Generation
    private var hasWritten = false
    let connection: ConnectionHandle
    let settings: KioskSettings
    let began: Instant
    private(set) var session: VerifierSession {
        didSet { isLeaving = session.isLeaving }
    }
    /// Whether the visit's link is being ended. The visit then occupies no place.
    private(set) var isLeaving = false
    /// The time from one connection event to the next.
    var interval: Duration
    /// The intent; nil before the phone has identified itself, and after the intent was given to another visit.
    private(set) var intent: VisitIntent?
    /// The id of the visit's intent if the visit uses no spare intent.
    private let ownIntent: IntentID
    private(set) var sessionName = SessionName.none
    /// The identifier of the session's secret; empty before the phone has identified itself.
    private(set) var fingerprint: [UInt8] = []
    /// Why the gate cannot be opened; nil if it can.
    var barrier: ReasonCode?
    /// Whether the radio supports only one phone at a time.
    var isAlone = false
    private(set) var stage = Stage.transferring
    private(set) var identifiedAt: Instant?
    /// When the phone first announced the size of a transfer; nil before that.
    private(set) var announcedAt: Instant?
    var isAnnounced: Bool { announcedAt != nil }
    /// When the phone last made progress in the steps before the verdict; see ``givesWay(choice:link:)``.
    private(set) var wentOn: Instant
    private var countedChunks = 0
    /// Whether the visit waits for its verdict turn.
    var awaitsTurn: Bool { if case .ready = stage { true } else { false } }
    /// Whether a whole payload arrived. A visit that fails without one has the lowest priority for records.
    private(set) var hasPayload = false
    /// The verifier's verdict; nil before it is known.
    var verdict: Verdict?
    /// Since when the payload has been checked, if the phone left or the radio failed meanwhile: the priority of the
    /// visit's record is known only after the check. nil otherwise.
    private(set) var uncheckedSince: Instant?
    /// Whether the wallet has requested its transfer report: only after that does the protocol allow the verdict to be
    /// sent.
    private var isDelivered = false
    /// The reason codes of the visit's end, the most important first. The list is empty before the end.
    private(set) var reasons: [ReasonCode] = []
    /// Whether the visit was accepted, until this is sent to the wallet; nil: nothing is to be sent.
    private var pendingStatus: Bool?
    private(set) var statistics: TransferStatistics?

    /// Creates a visit that has just begun. `intent`: the id for a new intent, used if no spare intent
    /// exists.
    init(
        id: VisitID, intent: IntentID, offer: Offer, generation: Generation, connection: Connection,
        session: VerifierSession, settings: KioskSettings, at now: Instant
    ) {
        (self.id, ownIntent, self.session, self.settings) = (id, intent, session, settings)
        (self.offer, isPrinted, self.generation) = (offer.number, offer.isPrinted, generation)
        (self.connection, interval) = (connection.handle, connection.parameters.time)
        (began, wentOn) = (now, now)
    }

    /// Returns the figures of the visit so far.
    func figures(at now: Instant) -> VisitFigures {
        VisitFigures(
            milliseconds: Int(began.duration(to: now).milliseconds), bytes: statistics?.encryptedSize,
            chunks: statistics?.chunks, crcErrors: statistics?.crcErrors ?? 0, repairs: statistics?.retries ?? 0)
    }

    /// When the visit must next handle the passing of time; nil: never.
    var deadline: Instant? {
        [session.deadline, stageDeadline].compactMap { $0 }.min()
    }

    private var stageDeadline: Instant? {
        switch stage {
        case .verifying(let since): since.advanced(by: settings.verificationLimit)
        case .verified(_, let since): since.advanced(by: settings.intentLimit)
        case .transferring, .ready, .over: nil
        }
    }

    /// Handles an event on the link, or the passing of time.
    mutating func handle(_ event: SessionEvent, at now: Instant) -> [Request] {
        var requests = session.handle(event, at: now).flatMap { translate($0, at: now) }
        if case .transferring = stage {
            statistics = session.statistics ?? statistics
            countChunks(at: now)
        }
        // A session that has ended its link ends the visit; later events of the link do not matter.
        if case .transferring = stage, isLeaving, event != .linkLost {
            requests += fail([.transferDisconnected, cause(of: .phone)], at: now)
        }
        return requests + checkLimits(at: now)
    }

    /// Handles a write by the phone. The visit uses the service to which the phone wrote first; writes to another
    /// service are ignored.
    mutating func written(
        _ value: [UInt8], to characteristic: Characteristic, of generation: Generation, at now: Instant
    ) -> [Request] {
        if !hasWritten { (self.generation, hasWritten) = (generation, true) }
        guard generation == self.generation else { return [] }
        return handle(.write(characteristic, value), at: now)
    }

    /// Begins to make the visit's intent durable. The write begins while the visitor still chooses a credential,
    /// because a small credential is complete a moment after its size was announced. `spare`: an intent that was not
    /// used for an earlier phone; nil if there is none.
    mutating func intend(with spare: VisitIntent?) -> [Request] {
        var own = spare ?? VisitIntent(id: ownIntent, state: .requested)
        own.state = .requested
        intent = own
        // Request the intent even if it is already durable. This writes nothing, but checks that the ledger with the
        // intent still exists. Do not request an intent that is being written: its answer is still to come.
        return (spare?.state == .requested ? [] : [.recordIntent(own.id)]) + [.note(.identified(intent: own.id))]
    }

    /// Returns the intent for another visit and gives it up; nil if the ledger has not stored the intent and will not
    /// store it.
    mutating func giveIntent() -> VisitIntent? {
        guard let leftOver = intent?.leftOver else { return nil }
        intent = nil
        return leftOver
    }

    /// Handles the ledger's answer to the request for the intent. `isLate`: the answer did not arrive in time, and the
    /// visit no longer waits for it.
    mutating func intentSettled(failure: LedgerFailure?, isLate: Bool = false, at now: Instant) -> [Request] {
        guard let state = intent?.state, state == .requested || state == .late else { return [] }
        // Ignore an answer after the visit's end: when the outcome arrives, the ledger drops an intent that is still
        // to be written. That is no failure of the ledger.
        if case .over = stage { return [] }
        if isLate { intent?.state = .late } else { intent?.settle(isDurable: failure == nil) }
        guard state == .requested else { return [] }
        return (failure.map { [.note(.ledgerFailed($0))] } ?? []) + settle(at: now)
    }

    /// Handles the verifier's verdict. `keepsSession`: whether the session must be on the disk before the gate opens.
    mutating func verified(_ verdict: Verdict, keepsSession: Bool, at now: Instant) -> [Request] {
        guard case .verifying(let since) = stage else { return [] }
        stage = .verified(verdict, since: since)
        self.verdict = verdict
        if keepsSession { sessionName = .requested }
        return (keepsSession ? [.keepSession] : []) + settle(at: now)
    }

    /// Handles the answer to ``Request/keepSession``. `failure`: why the session's name may not be on the disk; nil:
    /// it is.
    mutating func sessionKept(failure: LedgerFailure?, at now: Instant) -> [Request] {
        guard case .requested = sessionName else { return [] }
        if case .over = stage { return [] }
        sessionName = failure == nil ? .kept : .failed
        return (failure.map { [.note(.ledgerFailed($0))] } ?? []) + settle(at: now)
    }

    /// Handles the end of the link. `end`: what ended it.
    mutating func linkLost(_ end: LinkEnd, at now: Instant) -> [Request] {
        handle(.linkLost, at: now) + fail([.transferDisconnected, cause(of: end)], at: now)
    }

    private func cause(of end: LinkEnd) -> ReasonCode {
        switch (end, stage) {
        case (.radio, _): .transferRadioLost
        case (.stop, _): .transferStopped
        case (.phone, .transferring) where isAnnounced: .transferLeftSending
        case (.phone, .transferring): identifiedAt == nil ? .transferNotIdentified : .transferNothingSent
        case (.phone, _): .transferLeftChecking
        }
    }

    // MARK: - Actions of the session

    private mutating func translate(_ action: SessionAction, at now: Instant) -> [Request] {
        switch action {
        // Nothing to do: a legacy advertisement ends by itself with the connection, and a visit ends with its link.
        case .stopAdvertising, .ended: return []
        case .notify(let characteristic, let value): return [.notify(characteristic, value)]
        case .dropLink: return [.dropLink]
        case .identified:
            (identifiedAt, wentOn, fingerprint) = (now, now, session.fingerprint ?? [])
            return [.identified(fingerprint)]
        case .transferStarted(let size, let chunks):
            // Data that a wallet sends after a whole payload does not matter.
            guard case .transferring = stage else { return [] }
            if announcedAt == nil { (announcedAt, wentOn) = (now, now) }
            return [.note(.transferStarted(bytes: size, chunks: chunks))]
        case .progress(let received, let total):
            guard case .transferring = stage else { return [] }
            return [.note(.progress(received: received, total: total, bytesPerSecond: rate(at: now)))]
        case .assembled(let payload):
            // This is T0. The wallet requests its report one connection event later; the gate need not wait
            // for that.
            guard let payload, case .transferring = stage else { return [] }
            stage = .verifying(since: now)
            hasPayload = true
            statistics = payload.statistics
            let note = KioskNote.received(
                bytes: payload.bytes.count, crcErrors: payload.statistics.crcErrors,
                repairs: payload.statistics.retries)
            return [.verify(payload.bytes), .note(note)]
        case .payload:
            isDelivered = true
            return sendStatus(at: now)
        case .failed(let error): return fail(error.reasons, at: now)
        }
    }

    /// Moves ``wentOn`` forward by ``chunkWorth`` for each chunk that is received for the first time, but never beyond
    /// the present: chunks that arrive together give no time for the future.
    private mutating func countChunks(at now: Instant) {
        guard let announcedAt, let received = session.receivedChunks, received > countedChunks else { return }
        let earned = wentOn.advanced(by: chunkWorth * (received - countedChunks))
        countedChunks = received
        wentOn = min(earned, now, announcedAt.advanced(by: Self.longestTransfer))
    }

    /// Returns the encrypted bytes received per second since the transfer was announced; 0 within the first
    /// millisecond, when the rate is unknown.
    private func rate(at now: Instant) -> Int {
        guard let announcedAt, let bytes = session.receivedBytes else { return 0 }
        let milliseconds = Int(announcedAt.duration(to: now).nanoseconds / 1_000_000)
        return milliseconds > 0 ? bytes * 1000 / milliseconds : 0
    }

    // MARK: - The decision

    /// Requests a verdict turn as soon as the verdict and the results for the intent and for the session's name are
    /// known.
    private mutating func settle(at now: Instant) -> [Request] {
        // ``stageDeadline`` limits this wait for the disk.
        guard case .verified(let verdict, let since) = stage, intent?.state != .requested, sessionName != .requested
        else { return [] }
        stage = .ready(verdict, since: since, at: now)
        return [.awaitTurn(isCredential: verdict.isAuthentic)]
    }

    /// Makes the decision on the visit. From now on, lights and gate belong to the visit.
    mutating func decide(at now: Instant) -> [Request] {
        guard case .ready(let verdict, let since, let ready) = stage else { return [] }
        var (accepted, findings) = (verdict.isAccepted, verdict.reasons)
        let isDurable = intent?.state == .durable && (!isPrinted || sessionName == .kept)
        if accepted, !isDurable, settings.whenLedgerFails == .refuse || isPrinted {
            (accepted, findings) = (false, [Reason(.ledgerUnavailable)])
        }
        // Show no green light before a gate that stays shut.
        if accepted, let barrier { (accepted, findings) = (false, [Reason(barrier)]) }
        (stage, reasons) = (.over(since: now), findings.map(\.code))
        let decision = Decision(
            accepted: accepted, isCredential: verdict.isAuthentic,
            times: (since.duration(to: now), ready.duration(to: now)))
        let outcome = makeOutcome(accepted ? .accepted : .rejected, findings, verdict, at: now)
        pendingStatus = accepted
        return [.act(decision), .recordOutcome(outcome, signedDigests: verdict.signedDigests)] + sendStatus(at: now)
    }

    private mutating func sendStatus(at now: Instant) -> [Request] {
        guard isDelivered, let accepted = pendingStatus else { return [] }
        pendingStatus = nil
        return session.handle(.verdict(accepted: accepted), at: now).flatMap { translate($0, at: now) }
    }

    private mutating func checkLimits(at now: Instant) -> [Request] {
        guard let limit = stageDeadline, now >= limit else { return [] }
        switch stage {
        case .verified:
            // The disk does not answer. An intent that is not durable does not count: the visit ends as if
            // the ledger had refused.
            return sessionKept(failure: .noAnswerOfSessions, at: now)
                + intentSettled(failure: .noAnswer, isLate: true, at: now)
        case .verifying:
            return fail([.internal], at: now) + leave(at: now)
        case .transferring, .ready, .over: return []
        }
    }

    /// Ends a visit that has no verdict yet: as failed, or as abandoned if the phone left before it announced
    /// a transfer.
    mutating func fail(_ codes: [ReasonCode], at now: Instant) -> [Request] {
        if case .over = stage { return [] }
        if case .verifying(let since) = stage, codes.first == .transferDisconnected, codes.last != .transferStopped {
            uncheckedSince = since
        }
        (stage, reasons) = (.over(since: now), codes)
        if !isAnnounced, codes.first == .transferDisconnected { return [.abandoned] }
        let outcome = makeOutcome(.failed, codes.map { Reason($0) }, verdict, at: now)
        return [
            .act(Decision(accepted: false, times: nil)),
            .recordOutcome(outcome, signedDigests: verdict?.signedDigests ?? []),
        ]
    }

    /// Ends the link.
    mutating func leave(at now: Instant) -> [Request] {
        session.handle(.cancel, at: now).flatMap { translate($0, at: now) }
    }
}
