import BluetoothHost
import Credentials
package import Encoding
import Ledger
import Tuvali

/// The appliance as one state machine: radio, visit, light and gate.
///
/// The life of one visit is the order of this file: the radio comes up, an invitation goes on the air with a fresh key and
/// address, a phone connects and becomes a ``Visit``, the visit asks for what it needs, the decision is acted on, and when the
/// phone has gone everything starts over with new keys. All of it is pure: the driver executes the returned actions in order.
package struct Kiosk: Sendable {
    private enum Radio {
        case down(retryAt: Instant?)
        case starting(since: Instant)
        case up
        case stopped
    }

    /// What the radio is there for at the moment.
    private enum Activity {
        /// Waiting for session material, or for the host.
        case idle
        /// On the air for the next phone. Until the controller has made the change, phones still find the offer before.
        case inviting(Offer, replacing: Offer?, since: Instant)
        /// A phone is connected.
        case visiting(Visit)
    }

    /// A key pair, its address and its URI, good for one session.
    private struct Offer {
        let visit: VisitID
        let key: VerifierKey
        let advertisement: Advertisement
        let uri: String
    }

    /// Counts since the start, for health and metrics.
    package struct Counters: Sendable {
        /// Visits by the name of their result.
        package var visits: [String: Int] = [:]
        /// Times the radio had to be opened anew.
        package var radioFailures = 0
        /// Intents that the ledger refused or left unanswered.
        package var ledgerFailures = 0
        /// Packets of the controller that made no sense or belonged to nothing.
        package var ignoredPackets = 0
        /// L2CAP PDUs of phones whose pieces did not fit together.
        package var droppedPDUs = 0
        /// Chunks that arrived spoiled.
        package var spoiledChunks = 0
        /// Rounds in which chunks were asked for again.
        package var repairs = 0
    }

    /// What has happened since the start.
    package private(set) var counters = Counters()
    private let settings: KioskSettings
    private var radio = Radio.down(retryAt: nil)
    private var backoff: Duration
    /// Since when the radio is up; nil: it is not.
    private var upSince: Instant?
    private var activity = Activity.idle
    private var host: Host
    private var indicator: Indicator
    private var shown: (signal: Signal, pattern: IndicatorPattern)?
    private var gate = Gate()
    private var gateShown = Gate.Command.shut
    /// Outcomes of accepted visits whose pulse is not over: a record tells the pulse that was given.
    private var unrecorded: [(visit: VisitID, outcome: Outcome, signedDigest: [UInt8]?)] = []
    private var spare: SpareIntent?
    private var junk = JunkTally()
    /// What was last said of a radio that is out of order, and when.
    private var radioTold: (reason: String, at: Instant)?
    private var health = Health()
    private var controller: String?

    /// A kiosk that does nothing until ``KioskEvent/start``.
    package init(settings: KioskSettings, at now: Instant) {
        self.settings = settings
        backoff = settings.radioBackoff.lowerBound
        host = Host(configuration: settings.host, services: [.tuvali])
        indicator = Indicator(.off, at: now)
    }

    /// When ``KioskEvent/timer`` is due; nil: never by itself.
    package func deadline(after now: Instant) -> Instant? {
        [
            radioDeadline, activityDeadline, spare?.deadline, gate.deadline, indicator.nextChange(after: now),
            isStopped ? nil : health.deadline,
        ].compactMap { $0 }.min()
    }

    /// How it is at this moment.
    package func status(at now: Instant) -> KioskStatus {
        let radio: KioskStatus.Radio =
            switch radio {
            case .down: .down
            case .starting: .starting
            case .up: .up
            case .stopped: .stopped
            }
        var counters = counters
        counters.ignoredPackets += host.ignoredPackets
        counters.droppedPDUs += host.droppedPDUs
        let isServing = if case .visiting = activity { true } else { false }
        return KioskStatus(
            at: now, radio: radio, controller: controller, light: indicator.pattern, isGateOpen: gate.isOpen,
            isServing: isServing, counters: counters, health: health)
    }

    /// Takes one event and says what is to be done about it, in order: gate and light first, whatever else there is to do.
    package mutating func handle(_ event: KioskEvent, at now: Instant) -> [KioskAction] {
        let wasStopped = isStopped
        let reaction = react(to: event, at: now)
        gate.advance(to: now)
        var actions: [KioskAction] = []
        let hasMoved = gate.command != gateShown
        if hasMoved {
            gateShown = gate.command
            actions.append(.gate(gateShown))
        }
        if !isStopped { indicator.rest(in: health.light, at: now) }
        let signal = indicator.signal(at: now)
        if signal != shown?.signal || indicator.pattern != shown?.pattern {
            shown = (signal, indicator.pattern)
            actions.append(.signal(signal, indicator.pattern))
        }
        if hasMoved, gate.isOpen, let visit = gate.visit { actions.append(.opened(visit)) }
        actions += reaction
        if !isStopped {
            actions += health.tell(at: now).map {
                .note(.fault($0.code, isPresent: $0.isPresent, count: $0.count, detail: $0.detail), nil)
            }
        }
        if hasMoved { actions.append(.note(.gate(open: gate.isOpen), gate.visit)) }
        actions += recordPulses()
        if case .stop = event, !wasStopped { actions += [.note(.stopped, nil), .stopped] }
        return actions
    }

    private var isStopped: Bool { if case .stopped = radio { true } else { false } }

    private mutating func react(to event: KioskEvent, at now: Instant) -> [KioskAction] {
        if isStopped { return [] }
        switch event {
        case .start:
            guard case .down = radio else { return [] }
            return openRadio(at: now)
        case .transportOpened:
            guard case .starting = radio else { return [] }
            return drive(.start, at: now)
        case .transportClosed(let reason):
            return radioFailed(reason, at: now)
        case .received(let packet):
            return drive(.received(packet), at: now)
        case .timer:
            return tick(at: now)
        case .sessionMaterial(let material):
            return invite(material, at: now)
        case .intentDurable(let id):
            return intentSettled(id, failure: nil, at: now)
        case .intentFailed(let id, let reason):
            return intentSettled(id, failure: reason, at: now)
        case .verified(let id, let verdict):
            return withVisit(id) { $0.verified(verdict, at: now) }.map { perform($0, at: now) } ?? []
        case .health(let report):
            health.take(report, at: now)
            gateChanged(at: now)
            return []
        case .stop:
            return stop(at: now)
        }
    }

    // MARK: - 0. The radio

    private var radioDeadline: Instant? {
        switch radio {
        case .down(let retryAt): retryAt
        case .starting(let since):
            [since.advanced(by: settings.radioStartLimit), host.deadline].compactMap { $0 }.min()
        case .up: host.deadline
        case .stopped: nil
        }
    }

    private mutating func openRadio(at now: Instant) -> [KioskAction] {
        radio = .starting(since: now)
        counters.ignoredPackets += host.ignoredPackets
        counters.droppedPDUs += host.droppedPDUs
        host = Host(configuration: settings.host, services: [.tuvali])
        return [.openTransport]
    }

    private mutating func radioFailed(_ reason: String, at now: Instant) -> [KioskAction] {
        if case .down = radio { return [] }
        let actions = abandonActivity(.radio, at: now)
        counters.radioFailures += 1
        health.take(.present(.radioFailed, count: counters.radioFailures, detail: reason), at: now)
        if let since = upSince, since.duration(to: now) >= settings.radioSettling {
            (backoff, radioTold) = (settings.radioBackoff.lowerBound, nil)
        }
        upSince = nil
        let wait = backoff
        backoff = min(backoff * 2, settings.radioBackoff.upperBound)
        radio = .down(retryAt: now.advanced(by: wait))
        indicator.show(.fault, at: now)
        // It is tried often and told seldom: a log is read by people.
        if let told = radioTold, wait == settings.radioBackoff.upperBound,
            told.reason.utf8.elementsEqual(reason.utf8), now < told.at.advanced(by: settings.radioReminder)
        {
            return actions + [.closeTransport]
        }
        radioTold = (reason, now)
        return actions + [.closeTransport, .note(.radioFailed(reason: reason, retryIn: wait), nil)]
    }

    private mutating func drive(_ event: HostEvent, at now: Instant) -> [KioskAction] {
        switch radio {
        case .down, .stopped: return []
        case .starting, .up: return host.handle(event, at: now).flatMap { translate($0, at: now) }
        }
    }

    private mutating func translate(_ action: HostAction, at now: Instant) -> [KioskAction] {
        switch action {
        case .send(let packet):
            return [.send(packet)]
        case .ready(let information):
            radio = .up
            upSince = now
            health.take(.over(.radioFailed), at: now)
            let description = Self.describe(information)
            controller = description
            return [.note(.radioReady(description), nil), .drawSessionMaterial]
        case .connected(let connection):
            return begin(connection, at: now)
        case .disconnected(let handle, _):
            return phoneLeft(handle, at: now)
        case .mtuChanged(let handle, let mtu):
            return note(.mtu(bytes: mtu)) + session(.mtuChanged(mtu), on: handle, at: now)
        case .written(let handle, let identifier, let value, _):
            guard let characteristic = Characteristic(identifier) else { return [] }
            return session(.write(characteristic, value), on: handle, at: now)
        case .advertisingRefused(let opcode, let status):
            return radioFailed("the adapter refused to advertise: \(opcode), \(status)", at: now)
        case .failed(let failure):
            return radioFailed(failure.description, at: now)
        case .advertisingStarted:
            if case .inviting(let offer, _, let since) = activity {
                activity = .inviting(offer, replacing: nil, since: since)
            }
            return []
        case .advertisingStopped, .parametersChanged, .subscribed, .delivered, .unconfirmed, .notDelivered:
            return []
        }
    }

    /// The controller in a line: nothing that identifies this one box.
    private static func describe(_ controller: ControllerInformation) -> String {
        let features = [
            controller.supportsDataLengthExtension ? "long packets" : nil, controller.supports2MPHY ? "2M" : nil,
        ].compactMap { $0 }
        return "HCI version \(controller.version.map(String.init) ?? "unknown"), "
            + "\(controller.aclPackets) × \(controller.aclLength) bytes"
            + (features.isEmpty ? "" : ", " + features.joined(separator: ", "))
    }

    // MARK: - 1. Advertise

    private mutating func invite(_ material: SessionMaterial, at now: Instant) -> [KioskAction] {
        guard case .up = radio else { return [] }
        if case .visiting = activity { return [] }
        guard let offer = makeOffer(material) else { return [.drawSessionMaterial] }
        var previous: Offer?
        if case .inviting(let offer, let older, _) = activity { previous = older ?? offer }
        activity = .inviting(offer, replacing: previous, since: now)
        indicator.show(.ready, at: now)
        return drive(.advertise(offer.advertisement), at: now)
            + [.showInvitation(offer.uri), .note(.advertising(uri: offer.uri), nil)]
    }

    private func makeOffer(_ material: SessionMaterial) -> Offer? {
        guard let key = try? VerifierKey(privateBytes: material.privateKey),
            let address = try? ResolvablePrivateAddress.make(
                identityKey: material.identityResolvingKey, random: material.addressRandom)
        else { return nil }
        let invitation = Invitation(identifier: settings.name, key: key)
        guard
            let advertisement = try? Advertisement(
                address: address, data: invitation.advertisingData, scanResponse: invitation.scanResponseData)
        else { return nil }
        return Offer(visit: material.visit, key: key, advertisement: advertisement, uri: invitation.uri)
    }

    // MARK: - 2. Connect

    private mutating func begin(_ connection: Connection, at now: Instant) -> [KioskAction] {
        guard case .inviting(let newest, let replaced, _) = activity else {
            return drive(.disconnect(connection.handle, .userTerminated), at: now)
        }
        let offer = replaced ?? newest
        let session = VerifierSession(key: offer.key, settings: settings.tuvali, at: now)
        let inherited = spare.take()
        var visit = Visit(
            id: inherited?.visit ?? offer.visit, intent: inherited?.state ?? .none, connection: connection.handle,
            session: session, settings: settings, at: now)
        visit.hasGate = hasGate
        activity = .visiting(visit)
        indicator.show(.connected, at: now)
        return [.showInvitation(nil)] + note(.phoneConnected)
            + self.session(.connected(attMTU: 23), on: connection.handle, at: now)
    }

    // MARK: - 3 to 7. Identify, intend, receive, open, verify: the visit's own matter

    private mutating func session(
        _ event: SessionEvent, on handle: ConnectionHandle, at now: Instant
    ) -> [KioskAction] {
        guard case .visiting(var visit) = activity, visit.connection == handle else { return [] }
        let requests = visit.handle(event, at: now)
        activity = .visiting(visit)
        return perform(requests, at: now)
    }

    private mutating func withVisit(_ id: VisitID, _ body: (inout Visit) -> [Visit.Request]) -> [Visit.Request]? {
        guard case .visiting(var visit) = activity, visit.id == id else { return nil }
        let requests = body(&visit)
        activity = .visiting(visit)
        return requests
    }

    private mutating func intentSettled(_ id: VisitID, failure: String?, at now: Instant) -> [KioskAction] {
        if failure == nil { health.take(.over(.ledgerUnavailable), at: now) }
        if spare?.visit == id {
            if failure == nil { spare?.state = .durable } else { spare = nil }
            return []
        }
        return withVisit(id) { $0.intentSettled(failure: failure, at: now) }.map { perform($0, at: now) } ?? []
    }

    private mutating func perform(_ requests: [Visit.Request], at now: Instant) -> [KioskAction] {
        guard case .visiting(let visit) = activity else { return [] }
        var actions: [KioskAction] = []
        for request in requests {
            switch request {
            case .notify(let characteristic, let value):
                actions += drive(.notify(visit.connection, characteristic.id, value), at: now)
            case .dropLink:
                actions += drive(.disconnect(visit.connection, .userTerminated), at: now)
            case .recordIntent: actions.append(.recordIntent(visit.id))
            case .verify(let payload): actions.append(.verify(visit.id, payload: payload))
            case .act(let decision): actions += act(on: decision, of: visit.id, at: now)
            case .recordOutcome(let outcome, let signedDigest):
                actions += record(outcome, of: visit, signedDigest, at: now)
            case .abandoned(let reasons):
                keepIntent(of: visit, at: now)
                actions += ended(ReasonCode.abandoned.text, reasons.map(\.text), visit, at: now)
            case .show(let pattern): indicator.show(pattern, at: now)
            case .note(let note):
                count(note, at: now)
                actions.append(.note(note, visit.id))
            }
        }
        return actions
    }

    private func note(_ note: KioskNote) -> [KioskAction] {
        if case .visiting(let visit) = activity { [.note(note, visit.id)] } else { [.note(note, nil)] }
    }

    // MARK: - 8. Act

    private mutating func act(on decision: Visit.Decision, of visit: VisitID, at now: Instant) -> [KioskAction] {
        indicator.show(decision.accepted ? .accepted : .rejected, at: now)
        // One verdict, one person: whoever was let in before has had his time.
        if decision.accepted { gate.pulse(settings.gatePulse, for: visit, at: now) } else { gate.shut(at: now) }
        guard let sinceT0 = decision.sinceT0 else { return [] }
        let decided = KioskNote.decided(
            accepted: decision.accepted, reasons: decision.reasons.map(\.code.string), sinceT0: sinceT0)
        return [.note(decided, visit)]
    }

    private var hasGate: Bool { !health.isInForce(.gateUnavailable) }

    /// The gate can be opened from now on, or cannot: also for whoever stands before it.
    private mutating func gateChanged(at now: Instant) {
        if case .visiting(var visit) = activity {
            visit.hasGate = hasGate
            activity = .visiting(visit)
        }
        guard !hasGate, gate.deadline != nil, let visit = gate.visit else { return }
        // The relay did not follow: no green light before it, and the record says so.
        if let index = unrecorded.firstIndex(where: { $0.visit == visit }) {
            unrecorded[index].outcome.reasons.append(Outcome.Reason(Text(ReasonCode.gateUnavailable.text)))
        }
        gate.shut(at: now)
        indicator.show(.fault, at: now)
    }

    // MARK: - 9. Record

    private mutating func record(
        _ outcome: Outcome, of visit: Visit, _ signedDigest: [UInt8]?, at now: Instant
    ) -> [KioskAction] {
        let note = ended(outcome.result.rawValue, outcome.reasons.map(\.code.string), visit, at: now)
        if outcome.result == .accepted {
            unrecorded.append((visit.id, outcome, signedDigest))
            return note
        }
        var outcome = outcome
        if outcome.result == .failed, !visit.hasPayload, let code = outcome.reasons.last?.code {
            guard let earlier = junk.record(code, at: now) else {
                keepIntent(of: visit, at: now)
                return note
            }
            outcome.repeated = earlier
        }
        return [.recordOutcome(visit.id, outcome, signedDigest: signedDigest)] + note
    }

    /// Records the accepted visits whose pulse is over.
    private mutating func recordPulses() -> [KioskAction] {
        gate.takeEnded().compactMap { pulse in
            guard let index = unrecorded.firstIndex(where: { $0.visit == pulse.visit }) else { return nil }
            var (visit, outcome, signedDigest) = unrecorded.remove(at: index)
            if let length = pulse.length { outcome.gate = .pulsed(milliseconds: Int(length.milliseconds)) }
            return .recordOutcome(visit, outcome, signedDigest: signedDigest)
        }
    }

    /// A visit that leaves no record leaves its intent to the next one.
    private mutating func keepIntent(of visit: Visit, at now: Instant) {
        guard visit.intent.isWritten else { return }
        spare = SpareIntent(visit: visit.id, state: visit.intent, since: now)
    }

    /// Closes the intent that nobody needed, with what there is to say of unrecorded visits.
    private mutating func closeSpare(at now: Instant) -> [KioskAction] {
        guard let spare = spare.take() else { return [] }
        let counted = junk.takeLargest(at: now)
        let code = counted?.code ?? Text(ReasonCode.abandoned.text)
        var outcome = Outcome(
            .failed, reasons: [Outcome.Reason(code)], gate: .shut,
            software: Outcome.Software(name: "gatehouse", version: Text(settings.softwareVersion)))
        outcome.repeated = counted?.count ?? 0
        return [.recordOutcome(spare.visit, outcome, signedDigest: nil)]
    }

    /// What a visit notes about the box and not about its visitor.
    private mutating func count(_ note: KioskNote, at now: Instant) {
        switch note {
        case .ledgerFailed(let reason):
            counters.ledgerFailures += 1
            health.take(.present(.ledgerUnavailable, count: counters.ledgerFailures, detail: reason), at: now)
        case .received(_, let crcErrors, let repairs):
            counters.spoiledChunks += crcErrors
            counters.repairs += repairs
        default: break
        }
    }

    private mutating func ended(
        _ result: String, _ reasons: [String], _ visit: Visit, at now: Instant
    ) -> [KioskAction] {
        counters.visits[result, default: 0] += 1
        return [.note(.visitEnded(result: result, reasons: reasons, visit.figures(at: now)), visit.id)]
    }

    // MARK: - 11. Forget

    private mutating func phoneLeft(_ handle: ConnectionHandle, at now: Instant) -> [KioskAction] {
        guard case .visiting(var visit) = activity, visit.connection == handle else { return [] }
        let requests = visit.linkLost(.phone, at: now)
        activity = .visiting(visit)
        let actions = perform(requests, at: now)
        activity = .idle  // keys and payload go with the visit
        indicator.show(.ready, at: now)
        return actions + [.drawSessionMaterial]
    }

    private mutating func abandonActivity(_ end: Visit.LinkEnd, at now: Instant) -> [KioskAction] {
        defer { activity = .idle }
        switch activity {
        case .idle: return []
        case .inviting: return [.showInvitation(nil)]
        case .visiting(var visit):
            let requests = visit.linkLost(end, at: now)
            activity = .visiting(visit)
            return perform(requests, at: now)
        }
    }

    // MARK: - Time

    private var activityDeadline: Instant? {
        switch activity {
        case .idle: nil
        case .inviting(_, _, let since): since.advanced(by: settings.keyRotation)
        case .visiting(let visit): visit.deadline
        }
    }

    private mutating func tick(at now: Instant) -> [KioskAction] {
        var actions: [KioskAction] = []
        switch radio {
        case .down(let retryAt?) where now >= retryAt: actions += openRadio(at: now)
        case .starting(let since) where now >= since.advanced(by: settings.radioStartLimit):
            actions += radioFailed("the controller did not come up in time", at: now)
        default: break
        }
        if let deadline = host.deadline, now >= deadline { actions += drive(.timer, at: now) }
        switch activity {
        case .inviting(_, _, let since) where now >= since.advanced(by: settings.keyRotation):
            actions.append(.drawSessionMaterial)  // the new advertisement replaces this one in one step
        case .visiting(let visit):
            if let deadline = visit.deadline, now >= deadline {
                actions += session(.timer, on: visit.connection, at: now)
            }
        default: break
        }
        if let spare, now >= spare.deadline { actions += closeSpare(at: now) }
        return actions
    }

    private mutating func stop(at now: Instant) -> [KioskAction] {
        var actions: [KioskAction]
        if case .visiting(let visit) = activity {
            actions = drive(.disconnect(visit.connection, .userTerminated), at: now)
        } else {
            actions = drive(.stopAdvertising, at: now)
        }
        actions += abandonActivity(.stop, at: now)
        actions += closeSpare(at: now)
        radio = .stopped
        gate.shut(at: now)
        indicator.show(.off, at: now)
        return actions + [.showInvitation(nil), .closeTransport]
    }
}
