import Credentials
package import Encoding
import Glibc
package import Kiosk
import Ledger
package import LinuxIO

/// The one driver: turns the actions of the pure ``Kiosk`` into deeds, on the thread that waits for the radio.
///
/// A packet is read, handled and answered without leaving the thread, and nothing there waits: the panel only notes what is
/// wanted, listeners have threads of their own, and disk, verification and the way to the controller run elsewhere and come back
/// as events.
package actor Gatekeeper {
    /// Looks on: an event, what the kiosk answered, when it wants its timer, and the instant of the turn. Called on the radio's
    /// thread before the answer is carried out.
    package typealias TurnObserver = @Sendable (KioskEvent, [KioskAction], Instant?, Instant) -> Void

    private nonisolated let thread: PollThread
    /// The poll thread: every method of this actor runs there.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    private let surroundings: Surroundings
    private var kiosk: Kiosk
    private var schedule: ScheduleWord
    /// How long the end waits until the adapter is given back; behind that the kernel takes it.
    private static let closingLimit: Duration = .milliseconds(500)
    /// How long the relay's thread may take for its last order.
    private static let lastPulse: Duration = .milliseconds(100)
    /// Where credentials are verified.
    package nonisolated let verifications = WorkThreads<VisitID>(name: "gatehouse-judge")
    /// Opens and closes transports, one after the other.
    private let opener: SideThread
    private var openings = 0
    private var transport: (any HCITransport)?
    private var timer: PollThread.Timer?
    /// Outcomes of which it is not known yet what the gate did.
    private var outcomes = Openings()
    private var outcomeTimer: PollThread.Timer?
    private var pending: [KioskEvent] = []
    private var isHandling = false
    private var whenStopped: CheckedContinuation<Void, Never>?
    private var hasStopped = false
    private var breaths = 0

    /// A transport on its way from the thread that opened it to the radio's: nobody else holds it.
    private struct Opened: @unchecked Sendable {
        let result: Result<any HCITransport, TransportError>

        func close() { if case .success(let transport) = result { transport.close() } }
    }

    /// A driver on its own thread; nothing happens before ``run()``.
    package init(settings: KioskSettings, surroundings: Surroundings) throws(SystemError) {
        thread = try PollThread()
        opener = try SideThread(name: "gatehouse-open", limit: 4)
        self.surroundings = surroundings
        schedule = ScheduleWord(surroundings.schedule)
        kiosk = Kiosk(
            settings: settings, used: surroundings.sticker?.used ?? UsedSessions(), at: SystemClock.now())
    }

    /// Runs until ``stop()``; every line is released and the radio closed when this returns.
    package func run() async {
        guard !hasStopped else { return thread.stop() }
        timer = thread.makeTimer { [weak self] in self?.assumeIsolated { $0.handle(.timer) } }
        outcomeTimer = thread.makeTimer { [weak self] in
            self?.assumeIsolated { $0.recordKnown(at: SystemClock.now()) }
        }
        // Before anybody is served.
        if schedule.isThere { hear(surroundings.wallTime(), at: SystemClock.now()) }
        handle(.start)
        await withCheckedContinuation { continuation in
            if hasStopped { continuation.resume() } else { whenStopped = continuation }
        }
        thread.stop()
    }

    /// Ends ``run()`` in order: the link is dropped, the gate shut, the light dark, the radio closed.
    package func stop() { handle(.stop) }

    /// Returns once the radio's thread has taken a turn: a sign that it is not stuck. How often it was asked: a call without an
    /// effect could be optimised away, and with it the turn.
    @discardableResult package func breathe() -> Int {
        breaths += 1
        return breaths
    }

    /// Takes what parts of the box say about its health.
    package func take(_ reports: [HealthReport]) {
        for report in reports { handle(.health(report)) }
    }

    /// Takes what happens at the door.
    package func take(_ events: [DoorEvent]) {
        for event in events { handle(.door(event)) }
    }

    /// Puts an operator's order in force and has it kept, unless he was told by now that it is not in force.
    package func take(_ errand: DoorErrand) { errand.carryOut { handle(.door(.order($0))) } }

    /// Hears what the schedule says by a date that was asked for at `instant`.
    package func hear(_ date: WallTime, at instant: Instant) {
        for event in word(by: date, at: instant) { handle(event) }
    }

    private func word(by date: WallTime, at instant: Instant) -> [KioskEvent] {
        schedule.events(by: date, minimum: surroundings.minimumClock(), at: instant)
    }

    /// How the kiosk is, told by the radio's own thread: nobody is answered while that is stuck.
    package func status() -> KioskStatus { kiosk.status(at: SystemClock.now()) }

    /// The printed key is in force from now on, or not any more.
    package func takePrintedKey(isInForce: Bool) { handle(.printedKey(isInForce: isInForce)) }

    // MARK: - Events

    /// Takes an event. Those that an action answers with at once are handled in the same turn.
    private func handle(_ event: KioskEvent) {
        pending.append(event)
        guard !isHandling else { return }
        isHandling = true
        var last = SystemClock.now()
        while !pending.isEmpty {
            let next = pending.removeFirst()
            let now = SystemClock.now()
            let actions = kiosk.handle(next, at: now)
            if let observe = surroundings.observe { observe(next, actions, kiosk.deadline(after: now), now) }
            for action in actions { perform(action, at: now) }
            last = now
        }
        isHandling = false
        // What has become due since that turn is due now, and not to be passed over.
        timer?.set(hasStopped ? nil : kiosk.deadline(after: last))
        outcomeTimer?.set(outcomes.deadline(after: last))
        updateInterest()
    }

    private func perform(_ action: KioskAction, at now: Instant) {
        switch action {
        case .gate(let command):
            surroundings.panel.gate(command, at: now)
            outcomes.told(command, at: now)
        case .admit(let until): surroundings.panel.admit(until: until, at: now)
        case .free(let command): surroundings.panel.free(command, at: now)
        case .signal(let signal, let pattern, let visit):
            surroundings.panel.show(signal)
            surroundings.listeners.tell { $0.show(signal, of: pattern, for: visit, at: now) }
        case .send(let packet):
            if let error = transport?.send(packet) { transportFailed(error) }
        case .verify(let visit, let payload): verify(visit, payload)
        case .recordIntent(let intent): recordIntent(intent)
        case .keepSession(let visit, let session): keepSession(session, of: visit)
        case .recordOutcome(let outcome):
            verifications.giveUp(outcome.visit)
            record(outcome, at: now)
        case .dismissed(let visit):
            verifications.giveUp(visit)
            // Nothing was ordered for it, so no disk has its names.
            _ = surroundings.settle(visit, .released)
        case .decided(let decision): record(decision)
        case .unused(let visit): outcomes.unused(visit)
        case .drawSessionMaterial: drawSessionMaterial()
        case .showInvitation(let uri): surroundings.listeners.tell { $0.showInvitation(uri, at: now) }
        case .note(let note, let visit):
            if case .gate(let isOpen) = note {
                if isOpen { outcomes.belongs(to: visit) }
                // A box that opens nothing does not say that it did.
                guard surroundings.panel.opens else { return }
            }
            surroundings.listeners.tell { $0.note(note, of: visit, at: now) }
        case .openTransport: openTransport()
        case .closeTransport: closeTransport()
        case .resetAdapter: surroundings.resetAdapter()
        case .stopped:
            hasStopped = true
            _ = opener.flush(within: Self.closingLimit)
            recordLast()
            whenStopped?.resume()
            whenStopped = nil
        }
    }

    /// Hands over what was decided right after the order to the gate, which waits for no disk.
    private func record(_ decision: VisitRecord) {
        var decision = decision
        if !surroundings.panel.opens { decision.outcome.gate = nil }
        let names = surroundings.settle(decision.visit, .ordered)
        surroundings.ledger.recordDecision(decision, names: names)
    }

    /// Records an outcome with what the gate did, which only the panel knows. The kiosk knows what was ordered.
    private func record(_ outcome: VisitRecord, at now: Instant) {
        guard let entry = outcomes.take(outcome, panel: surroundings.panel) else { return recordKnown(at: now) }
        record(entry)
    }

    /// Settles record and credential, which follow from one result.
    private func record(_ entry: Openings.Entry) {
        let names = surroundings.settle(entry.record.visit, entry.use)
        surroundings.ledger.recordOutcome(entry.record, forgetting: entry.use == .released ? names : [])
    }

    private func recordKnown(at now: Instant, isLast: Bool = false) {
        for entry in outcomes.takeKnown(surroundings.panel, at: now, isLast: isLast) { record(entry) }
        outcomeTimer?.set(outcomes.deadline(after: now))
    }

    /// Waits a moment for the relay's thread to finish its last order, and records the outcomes that are left.
    private func recordLast() {
        var now = SystemClock.now()
        let end = now.advanced(by: Self.lastPulse)
        while outcomes.deadline(after: now) != nil, now < end {
            recordKnown(at: now)
            usleep(1000)
            now = SystemClock.now()
        }
        recordKnown(at: now, isLast: true)
    }

    private func verify(_ visit: VisitID, _ payload: [UInt8]) {
        let date = surroundings.wallTime()
        // By the date that the verdict goes by: nobody is let in by one in whose hours the gate is locked down.
        pending += word(by: date, at: SystemClock.now())
        verifications.run(visit) { [weak self, verify = surroundings.verify] in
            let verdict = verify(visit, payload, date)
            Task(priority: .high) { await self?.handle(.verified(visit, verdict)) }
        }
    }

    private func recordIntent(_ intent: IntentID) {
        surroundings.ledger.recordIntent(intent) { failure in
            Task { await self.handle(failure.map { .intentFailed(intent, reason: $0) } ?? .intentDurable(intent)) }
        }
    }

    private func keepSession(_ session: [UInt8], of visit: VisitID) {
        let answer: @Sendable (String?) -> Void = { failure in
            Task { await self.handle(.sessionKept(visit, failure: failure)) }
        }
        guard let sticker = surroundings.sticker else { return answer("there is no printed key") }
        sticker.keep(session, answer: answer)
    }

    private func drawSessionMaterial() {
        guard let random = try? SystemRandom.bytes(SessionMaterial.byteCount),
            let material = SessionMaterial(random, printed: surroundings.sticker?.key())
        else {
            // Without randomness there are no keys: better no gate than a guessable one.
            pending.append(.transportClosed(.radioSystem, reason: "the system gives no random bytes"))
            return
        }
        pending.append(.sessionMaterial(material))
    }

    // MARK: - The transport

    private func openTransport() {
        closeTransport()
        openings += 1
        opener.run { [weak self, open = surroundings.openTransport, number = openings] in
            let opened = Opened(result: Result { () throws(TransportError) in try open() })
            // Strongly here: whoever opened it must be there to close it.
            guard let self else { return opened.close() }
            Task { await self.transportOpened(opened, number) }
        }
    }

    private func transportOpened(_ opened: Opened, _ number: Int) {
        // The kiosk may have given up on this one.
        guard number == openings, !hasStopped else { return opener.run { opened.close() } }
        switch opened.result {
        case .success(let transport):
            self.transport = transport
            thread.watch(transport.descriptor, for: transport.interest) { [weak self] interest in
                self?.assumeIsolated { $0.transportIsReady(interest) }
            }
            handle(.transportOpened)
        case .failure(let error): handle(.transportClosed(error.cause, reason: "\(error); \(error.remedy)"))
        }
    }

    private func transportIsReady(_ interest: PollThread.Interest) {
        guard let transport else { return }
        if interest.contains(.writable), let error = transport.flush() {
            return transportFailed(error, andHandle: true)
        }
        for event in transport.receive() {
            switch event {
            case .packet(let packet): handle(.received(packet))
            case .closed(let error): return transportFailed(error, andHandle: true)
            }
        }
        updateInterest()
    }

    private func transportFailed(_ error: TransportError, andHandle: Bool = false) {
        closeTransport()
        let event = KioskEvent.transportClosed(error.cause, reason: "\(error); \(error.remedy)")
        if andHandle { handle(event) } else { pending.append(event) }
    }

    private func closeTransport() {
        openings += 1  // one that is being opened is not wanted any more
        guard let transport else { return }
        thread.unwatch(transport.descriptor)
        self.transport = nil
        // Giving an adapter back may wait for its driver: on the thread that opens the next one, behind this.
        let closed = Opened(result: .success(transport))
        opener.run { closed.close() }
    }

    private func updateInterest() {
        guard let transport else { return }
        thread.update(transport.descriptor, for: transport.interest)
    }
}
