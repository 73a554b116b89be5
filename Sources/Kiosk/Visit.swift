import BluetoothHost
import Credentials
import Encoding
import Ledger
import Tuvali

/// One phone at the gate, from its connection to its leaving: the part of the kiosk that is new for everybody.
///
/// Three things run side by side and meet in ``settle(at:)``: the transfer (a ``VerifierSession``), the intent on its way to
/// disk, and the verification. Nothing is decided before the intent's fate is known, so no status byte and no gate pulse can
/// go out for a visit of which a power cut would leave no trace.
struct Visit: Sendable {
    /// What a visit asks of the kiosk around it.
    enum Request {
        case notify(Characteristic, [UInt8])
        case dropLink
        case recordIntent
        case verify([UInt8])
        /// The decision has been made: act on it.
        case act(Decision)
        case recordOutcome(Outcome, signedDigest: [UInt8]?)
        /// The phone left without a credential: counted, not recorded.
        case abandoned(reasons: [ReasonCode])
        case show(IndicatorPattern)
        case note(KioskNote)
    }

    /// The end of the deliberation.
    struct Decision {
        let accepted: Bool
        let reasons: [Outcome.Reason]
        /// From T0 to the decision; nil when the visit failed without a verdict.
        let sinceT0: Duration?
    }

    /// What became of the visit's intent. One that served nobody goes on to the next visit, with its id.
    enum Intent {
        case none
        case requested
        case durable
        case failed

        /// Whether a record of it is on disk or on its way there.
        var isWritten: Bool { self == .requested || self == .durable }
    }

    /// Who ended the link.
    enum LinkEnd {
        case phone
        case radio
        case stop
    }

    private enum Stage {
        case transferring
        case verifying(since: Instant)
        case verified(Verdict, since: Instant)
        case over
    }

    let id: VisitID
    let connection: ConnectionHandle
    private let settings: KioskSettings
    private let began: Instant
    private var session: VerifierSession
    /// What became of the intent.
    private(set) var intent: Intent
    /// Whether the gate can be opened.
    var hasGate = true
    private var stage = Stage.transferring
    private var isIdentified = false
    private var isAnnounced = false
    /// Whether a credential arrived: a visit that fails without one is junk.
    private(set) var hasPayload = false
    /// Whether the wallet has asked for its report: only then does the protocol let us tell it the verdict.
    private var isDelivered = false
    /// The verdict that the wallet has not been told yet.
    private var untoldStatus: Bool?
    private var statistics: TransferStatistics?

    /// A visit that has just begun; `intent` is what it inherits from a phone that brought nothing.
    init(
        id: VisitID, intent: Intent, connection: ConnectionHandle, session: VerifierSession, settings: KioskSettings,
        at now: Instant
    ) {
        (self.id, self.connection, self.session, self.settings) = (id, connection, session, settings)
        self.intent = intent
        began = now
    }

    /// The figures so far.
    func figures(at now: Instant) -> VisitFigures {
        VisitFigures(
            milliseconds: Int(began.duration(to: now).milliseconds), bytes: statistics?.encryptedSize,
            chunks: statistics?.chunks, crcErrors: statistics?.crcErrors ?? 0, repairs: statistics?.retries ?? 0)
    }

    /// The earliest time at which something must happen although nobody says anything.
    var deadline: Instant? {
        [session.deadline, stageDeadline].compactMap { $0 }.min()
    }

    private var stageDeadline: Instant? {
        switch stage {
        case .verifying(let since): since.advanced(by: settings.verificationLimit)
        case .verified(_, let since): since.advanced(by: settings.intentLimit)
        case .transferring, .over: nil
        }
    }

    /// Something happened on the link, or the session's clock moved.
    mutating func handle(_ event: SessionEvent, at now: Instant) -> [Request] {
        statistics = session.statistics ?? statistics
        let requests = session.handle(event, at: now).flatMap { translate($0, at: now) }
        return requests + checkLimits(at: now)
    }

    /// The intent is on disk, or never will be.
    mutating func intentSettled(failure: String?, at now: Instant) -> [Request] {
        guard case .requested = intent else { return [] }
        intent = failure == nil ? .durable : .failed
        return (failure.map { [.note(.ledgerFailed(reason: $0))] } ?? []) + settle(at: now)
    }

    /// The verifier has answered.
    mutating func verified(_ verdict: Verdict, at now: Instant) -> [Request] {
        guard case .verifying(let since) = stage else { return [] }
        stage = .verified(verdict, since: since)
        return settle(at: now)
    }

    /// The link is down.
    mutating func linkLost(_ end: LinkEnd, at now: Instant) -> [Request] {
        handle(.linkLost, at: now) + fail([.transferDisconnected, cause(of: end)], at: now)
    }

    private func cause(of end: LinkEnd) -> ReasonCode {
        switch (end, stage) {
        case (.radio, _): .transferRadioLost
        case (.stop, _): .transferStopped
        case (.phone, .transferring) where isAnnounced: .transferLeftSending
        case (.phone, .transferring): isIdentified ? .transferNothingSent : .transferNotIdentified
        case (.phone, _): .transferLeftChecking
        }
    }

    // MARK: - From the session

    private mutating func translate(_ action: SessionAction, at now: Instant) -> [Request] {
        switch action {
        // A legacy advertisement ends with the connection by itself, and a visit ends with its link.
        case .stopAdvertising, .ended: return []
        case .notify(let characteristic, let value): return [.notify(characteristic, value)]
        case .dropLink: return [.dropLink]
        case .identified:
            // Now, while a person chooses: a small credential is complete a moment after its size was announced.
            isIdentified = true
            switch intent {
            case .requested, .failed: return [.note(.identified)]
            case .none, .durable:
                // One that is durable since an earlier phone is asked for again, which costs no write: whether the ledger that
                // has it is still there.
                intent = .requested
                return [.recordIntent, .note(.identified)]
            }
        case .transferStarted(let size, let chunks):
            isAnnounced = true
            return [.show(.receiving), .note(.transferStarted(bytes: size, chunks: chunks))]
        case .progress(let received, let total): return [.note(.progress(received: received, total: total))]
        case .assembled(let payload):
            // T0. The wallet's request for its report comes a connection event later; a gate need not wait for that.
            guard let payload, case .transferring = stage else { return [] }
            stage = .verifying(since: now)
            hasPayload = true
            statistics = payload.statistics
            let note = KioskNote.received(
                bytes: payload.bytes.count, crcErrors: payload.statistics.crcErrors,
                repairs: payload.statistics.retries)
            return [.verify(payload.bytes), .show(.checking), .note(note)]
        case .payload:
            isDelivered = true
            return tellStatus(at: now)
        case .failed(let error): return fail(error.reasons, at: now)
        }
    }

    // MARK: - The decision

    /// Decides as soon as both the verdict and the intent's fate are known.
    private mutating func settle(at now: Instant) -> [Request] {
        guard case .verified(let verdict, let since) = stage else { return [] }
        var accepted = verdict.isAccepted
        var reasons = verdict.reasons.map { reason in
            Outcome.Reason(reason.code, pointer: reason.pointer.map { Text($0) })
        }
        switch intent {
        case .durable: break
        case .requested: return []  // the deadline of the stage bounds this wait
        case .none, .failed:
            if accepted, settings.whenLedgerFails == .refuse {
                (accepted, reasons) = (false, [Outcome.Reason(.ledgerUnavailable)])
            }
        }
        // Nobody is shown green before a gate that stays shut.
        if accepted, !hasGate { (accepted, reasons) = (false, [Outcome.Reason(.gateUnavailable)]) }
        stage = .over
        let decision = Decision(
            accepted: accepted, reasons: reasons, sinceT0: since.duration(to: now))
        let outcome = makeOutcome(accepted ? .accepted : .rejected, reasons, verdict, at: now)
        untoldStatus = accepted
        return [.act(decision), .recordOutcome(outcome, signedDigest: verdict.credential.signedDigest)]
            + tellStatus(at: now)
    }

    private mutating func tellStatus(at now: Instant) -> [Request] {
        guard isDelivered, let accepted = untoldStatus else { return [] }
        untoldStatus = nil
        return session.handle(.verdict(accepted: accepted), at: now).flatMap { translate($0, at: now) }
    }

    private mutating func checkLimits(at now: Instant) -> [Request] {
        guard let limit = stageDeadline, now >= limit else { return [] }
        switch stage {
        case .verified:
            // The disk does not answer. What is not durable does not count: the visit ends as if the ledger had refused.
            return intentSettled(failure: "no answer from the ledger", at: now)
        case .verifying:
            return fail([.internal], at: now) + session.handle(.cancel, at: now).flatMap { translate($0, at: now) }
        case .transferring, .over: return []
        }
    }

    /// Ends a visit that has no verdict yet: as failed, or as abandoned when nothing had been promised.
    private mutating func fail(_ codes: [ReasonCode], at now: Instant) -> [Request] {
        if case .over = stage { return [] }
        stage = .over
        if !isAnnounced, codes.first == .transferDisconnected { return [.abandoned(reasons: codes)] }
        let reasons = codes.map { Outcome.Reason($0) }
        return [
            .act(Decision(accepted: false, reasons: reasons, sinceT0: nil)),
            .recordOutcome(makeOutcome(.failed, reasons, nil, at: now), signedDigest: nil),
        ]
    }

    private func makeOutcome(
        _ result: Outcome.Result, _ reasons: [Outcome.Reason], _ verdict: Verdict?, at now: Instant
    ) -> Outcome {
        let credential = verdict.map { verdict in
            Outcome.Credential(
                format: Text(verdict.credential.format?.rawValue ?? "unknown"), issuer: verdict.credential.issuer,
                types: verdict.credential.types, validFrom: verdict.credential.validFrom,
                validUntil: verdict.credential.validUntil)
        }
        let session = statistics.map { statistics in
            Outcome.Session(
                transport: "tuvali", milliseconds: Int(began.duration(to: now).milliseconds),
                chunks: statistics.chunks, crcErrors: statistics.crcErrors, retries: statistics.retries)
        }
        // What the gate did for an accepted visitor is known when the pulse is over: the kiosk fills it in.
        return Outcome(
            result, reasons: reasons, credential: credential, session: session, gate: .shut,
            software: Outcome.Software(
                name: "gatehouse", version: Text(settings.softwareVersion), trust: verdict.map { Text($0.trust) },
                policy: verdict.map { Text($0.policy) }))
    }
}

extension Outcome.Reason {
    /// A record keeps the text of a code of the one table, and nothing else of it.
    fileprivate init(_ code: ReasonCode, pointer: Text? = nil) { self.init(Text(code.text), pointer: pointer) }
}
