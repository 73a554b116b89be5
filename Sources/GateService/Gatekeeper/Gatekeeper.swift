import Administration
import Clocks
package import Encoding
import Glibc
package import Kiosk
import Ledger
package import LinuxIO
import Reasons

/// The driver of the ``Kiosk`` in the running service. It passes events to the kiosk and carries out the kiosk's
/// actions, on the thread that waits for the radio. In the simulation, `GateSimulation` is the driver.
///
/// That thread reads, handles and answers each packet, and no call on it blocks while the gate works: the panel only
/// notes commands, and listeners have their own threads. The disk, verification and the opening of the transport run
/// on other threads, and their results return as events. When the program ends, the thread waits up to
/// ``closingLimit`` for the adapter and up to ``lastPulse`` for the relay.
package actor Gatekeeper {
    /// An observer of turns. It gets the event, the kiosk's actions, the kiosk's next deadline and the
    /// instant of the turn. It is called on the radio's thread before the actions are carried out.
    package typealias TurnObserver = @Sendable (KioskEvent, [KioskAction], Instant?, Instant) -> Void

    private nonisolated let thread: PollThread
    /// The executor of this actor: the poll thread. Every method of the actor runs on it.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    private let dependencies: Dependencies
    private var clock: Clock { dependencies.clock }
    private var kiosk: Kiosk
    private var schedule: ScheduleDecision
    /// How long the end of the program waits for the closing of the adapter. After that time the kernel closes it
    /// together with the process.
    private static let closingLimit: Duration = .milliseconds(500)
    /// The delays of an order to open after which the end of the pulse is moved by the delay. A shorter delay does
    /// not matter. After a longer delay the visitor may have left, because the thread was stopped for that time: then
    /// the pulse ends as the kiosk ordered.
    private static let delays: ClosedRange<Duration> = .milliseconds(2)...(.seconds(1))
    /// How long the end of the program waits for the relay's thread to carry out its last order.
    private static let lastPulse: Duration = .milliseconds(100)
    /// The threads that verify credentials.
    package nonisolated let verifications = WorkThreads<VisitID>(name: "gatehouse-judge")
    /// Opens and closes transports, one after the other.
    private let opener: BackgroundThread
    /// The number of the newest request to open a transport. A transport that was opened for an earlier request is
    /// closed.
    private var transportNumber = 0
    private var transport: (any HCITransport)?
    private var timer: PollThread.Timer?
    /// The outcomes that wait until the result of their opening is known.
    private var openings = Openings()
    private var openingsTimer: PollThread.Timer?
    private var pending: [KioskEvent] = []
    private var isHandling = false
    private var whenStopped: CheckedContinuation<Void, Never>?
    private var hasStopped = false
    private var breaths = 0

    /// A transport that is passed from the thread that opened it to the radio's thread. Only one thread at a time
    /// uses it.
    private struct Opened: @unchecked Sendable {
        let result: Result<any HCITransport, TransportError>

        func close() { if case .success(let transport) = result { transport.close() } }
    }

    /// Creates a driver with its own thread. The driver does nothing before ``run()`` is called. Throws if a thread
    /// cannot be created.
    package init(settings: KioskSettings, dependencies: Dependencies) throws(SystemError) {
        thread = try PollThread()
        opener = try BackgroundThread(name: "gatehouse-open", limit: 4)
        self.dependencies = dependencies
        schedule = ScheduleDecision(dependencies.schedule)
        kiosk = Kiosk(
            settings: settings, used: dependencies.printedKey?.used ?? UsedSessions(), at: dependencies.clock.now())
    }

    /// Runs the kiosk until ``stop()`` is called. When this returns, the kiosk has switched all outputs off and the
    /// radio is closed.
    package func run() async {
        guard !hasStopped else { return thread.stop() }
        timer = thread.makeTimer { [weak self] in self?.assumeIsolated { $0.handle(.timer) } }
        openingsTimer = thread.makeTimer { [weak self] in
            self?.assumeIsolated { $0.recordKnown(at: $0.clock.now()) }
        }
        // Apply the schedule before the first visit.
        if schedule.isThere { hear(dependencies.wallTime(), at: clock.now()) }
        handle(.start)
        await withCheckedContinuation { continuation in
            if hasStopped { continuation.resume() } else { whenStopped = continuation }
        }
        thread.stop()
    }

    /// Ends ``run()`` in order: the kiosk closes the links, shuts the gate, switches the light off and closes the
    /// radio.
    package func stop() { handle(.stop) }

    /// Returns the number of calls so far. A return proves that the radio's thread is not stuck. (The result exists
    /// only because the compiler could otherwise remove the call.)
    @discardableResult package func breathe() -> Int {
        breaths += 1
        return breaths
    }

    /// Passes health reports of other parts of the program to the kiosk.
    package func take(_ reports: [HealthReport]) {
        for report in reports { handle(.health(report)) }
    }

    /// Passes events of the door to the kiosk.
    package func take(_ events: [DoorEvent]) {
        for event in events { handle(.door(event)) }
    }

    /// Puts an operator's order in force and passes it on for storage. Does nothing if its caller has given the order
    /// up.
    package func take(_ pendingOrder: PendingDoorOrder) { pendingOrder.carryOut { handle(.door(.order($0))) } }

    /// Applies the door's schedule at the date `date`, which was read at `instant`.
    package func hear(_ date: WallTime, at instant: Instant) {
        for event in word(by: date, at: instant) { handle(event) }
    }

    private func word(by date: WallTime, at instant: Instant) -> [KioskEvent] {
        schedule.events(by: date, minimum: dependencies.minimumClock(), at: instant)
    }

    /// Returns the state of the kiosk. The call runs on the radio's thread, so it does not return while that thread
    /// is stuck.
    package func status() -> KioskStatus { kiosk.status(at: clock.now()) }

    /// Informs the kiosk whether the key of the printed code is valid from now on.
    package func takePrintedKey(isInForce: Bool) { handle(.printedKey(isInForce: isInForce)) }

    // MARK: - Events

    /// Handles an event. If an action causes further events at once, handles them too before it returns.
    private func handle(_ event: KioskEvent) {
        pending.append(event)
        guard !isHandling else { return }
        isHandling = true
        var last = clock.now()
        while !pending.isEmpty {
            let next = pending.removeFirst()
            let now = clock.now()
            let actions = kiosk.handle(next, at: now)
            if let observe = dependencies.observe { observe(next, actions, kiosk.deadline(after: now), now) }
            for action in actions { perform(action, at: now) }
            last = now
        }
        isHandling = false
        // Compute the next deadline from the time of the last turn. A deadline that has passed since that turn then
        // still fires.
        timer?.set(hasStopped ? nil : kiosk.deadline(after: last))
        openingsTimer?.set(openings.deadline(after: last))
        updateInterest()
    }

    private func perform(_ action: KioskAction, at now: Instant) {
        switch action {
        case .gate(let command): order(command, at: now)
        case .admit(let until): dependencies.panel.admit(until: until, at: now)
        case .hold(let role, let command): dependencies.panel.hold(role, command, at: now)
        case .signal(let signal, let pattern, let visit):
            dependencies.panel.show(signal)
            dependencies.listeners.tell { $0.show(signal, of: pattern, for: visit, at: now) }
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
            // No opening was ordered, so the disk has no names of this credential.
            _ = dependencies.settle(visit, .released)
        case .decided(let decision): record(decision)
        case .unused(let visit): openings.unused(visit)
        case .drawSessionMaterial: drawSessionMaterial()
        case .showInvitation(let uri): dependencies.listeners.tell { $0.showInvitation(uri, at: now) }
        case .note(let note, let visit):
            if case .gate(let isOpen) = note {
                if isOpen { openings.belongs(to: visit) }
                // Without a relay or a gate controller no opening happens, so do not report one.
                guard dependencies.panel.opens else { return }
            }
            dependencies.listeners.tell { $0.note(note, of: visit, at: now) }
        case .openTransport: openTransport()
        case .closeTransport: closeTransport()
        case .resetAdapter: dependencies.resetAdapter()
        case .stopped:
            hasStopped = true
            _ = opener.flush(within: Self.closingLimit)
            recordLast()
            whenStopped?.resume()
            whenStopped = nil
        }
    }

    /// Passes an order to the relay. A turn may be slow before its first action: the turn of the first visitor loads
    /// pages of the program from the disk. In this case the pulse keeps its full length and ends later.
    private func order(_ command: Gate.Command, at now: Instant) {
        var (command, given) = (command, clock.now())
        let delay = now.duration(to: given)
        if case .open(let until) = command, Self.delays.contains(delay) {
            command = .open(until: until.advanced(by: delay))
            pending.insert(.pulseDelayed(by: delay), at: 0)
        } else {
            given = now
        }
        dependencies.panel.gate(command, at: given)
        openings.told(command, at: given)
    }

    /// Passes a visit's decision to admit to the ledger, directly after the order to open the gate. The order to open
    /// does not wait for the disk.
    private func record(_ decision: VisitRecord) {
        var decision = decision
        if !dependencies.panel.opens { decision.outcome.gate = nil }
        let names = dependencies.settle(decision.visit, .ordered)
        dependencies.ledger.recordDecision(decision, names: names)
    }

    /// Records an outcome with the result of the opening. The kiosk knows only the order to open; the panel knows the
    /// result.
    private func record(_ outcome: VisitRecord, at now: Instant) {
        guard let entry = openings.take(outcome, panel: dependencies.panel) else { return recordKnown(at: now) }
        record(entry)
    }

    /// Records a visit's outcome and the new state of its credential. Both depend on the result of the opening.
    private func record(_ entry: Openings.Entry) {
        let names = dependencies.settle(entry.record.visit, entry.use)
        dependencies.ledger.recordOutcome(entry.record, forgetting: entry.use == .released ? names : [])
    }

    private func recordKnown(at now: Instant, isLast: Bool = false) {
        for entry in openings.takeKnown(dependencies.panel, at: now, isLast: isLast) { record(entry) }
        openingsTimer?.set(openings.deadline(after: now))
    }

    /// Waits up to ``lastPulse`` for the relay's thread to finish its last order, and records the remaining outcomes.
    private func recordLast() {
        var now = clock.now()
        let end = now.advanced(by: Self.lastPulse)
        while openings.deadline(after: now) != nil, now < end {
            recordKnown(at: now)
            usleep(1000)
            now = clock.now()
        }
        recordKnown(at: now, isLast: true)
    }

    private func verify(_ visit: VisitID, _ payload: [UInt8]) {
        let date = dependencies.wallTime()
        // Apply the schedule at the date of the verdict, so that no visitor is admitted at a date of lock-down.
        pending += word(by: date, at: clock.now())
        verifications.run(visit) { [weak self, verify = dependencies.verify, spawner = dependencies.spawner] in
            let verdict = verify(visit, payload, date)
            spawner.start("a verdict on its way to the gatekeeper", priority: .high) { [weak self] in
                await self?.handle(.verified(visit, verdict))
            }
        }
    }

    private func recordIntent(_ intent: IntentID) {
        dependencies.ledger.recordIntent(intent) { [spawner = dependencies.spawner] failure in
            spawner.start("an intent on its way to the gatekeeper") {
                await self.handle(failure.map { .intentFailed(intent, $0) } ?? .intentDurable(intent))
            }
        }
    }

    private func keepSession(_ session: [UInt8], of visit: VisitID) {
        let answer: @Sendable (LedgerFailure?) -> Void = { [spawner = dependencies.spawner] failure in
            spawner.start("a session on its way to the gatekeeper") {
                await self.handle(.sessionKept(visit, failure: failure))
            }
        }
        guard let source = dependencies.printedKey else { return answer(.noPrintedKey) }
        source.keep(session) { answer($0.map(LedgerFailure.sessions)) }
    }

    private func drawSessionMaterial() {
        guard let random = try? SystemRandom.bytes(SessionMaterial.byteCount),
            let material = SessionMaterial(random, printed: dependencies.printedKey?.key())
        else {
            // Without random bytes the kiosk cannot make session keys. Stop the radio rather than use keys that can
            // be guessed.
            pending.append(.transportClosed(.noRandomBytes))
            return
        }
        pending.append(.sessionMaterial(material))
    }

    // MARK: - The transport

    private func openTransport() {
        closeTransport()
        transportNumber += 1
        opener.run { [weak self, dependencies, number = transportNumber] in
            let opened = Opened(result: Result { () throws(TransportError) in try dependencies.openTransport() })
            // Keep a strong reference from here, because the gatekeeper must exist until it has closed the transport.
            guard let self else { return opened.close() }
            dependencies.spawner.start("a transport on its way to the gatekeeper") {
                await self.transportOpened(opened, number)
            }
        }
    }

    private func transportOpened(_ opened: Opened, _ number: Int) {
        // The kiosk may have closed this transport again while it was being opened.
        guard number == transportNumber, !hasStopped else { return opener.run { opened.close() } }
        switch opened.result {
        case .success(let transport):
            self.transport = transport
            thread.watch(transport.descriptor, for: transport.interest) { [weak self] interest in
                self?.assumeIsolated { $0.transportIsReady(interest) }
            }
            handle(.transportOpened)
        case .failure(let error): handle(.transportClosed(RadioFailure(error)))
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
        let event = KioskEvent.transportClosed(RadioFailure(error))
        if andHandle { handle(event) } else { pending.append(event) }
    }

    private func closeTransport() {
        transportNumber += 1  // the result of an opening in progress is no longer wanted
        guard let transport else { return }
        thread.unwatch(transport.descriptor)
        self.transport = nil
        // Close the transport on the thread that opens transports, before that thread opens the next transport.
        // Closing may wait for the adapter's driver.
        let closed = Opened(result: .success(transport))
        opener.run { closed.close() }
    }

    private func updateInterest() {
        guard let transport else { return }
        thread.update(transport.descriptor, for: transport.interest)
    }
}

extension RadioFailure {
    /// Converts a transport error. The text contains the remedy.
    fileprivate init(_ error: TransportError) { self = .transport(error.cause, "\(error); \(error.remedy)") }
}
