package import Credentials
package import Encoding
package import Kiosk

/// The environment of a simulated kiosk apart from the radio: disk, verifier and observer.
package protocol SimulatedWorld: AnyObject {
    /// Writes the intent. Returns the virtual time that the write takes, and the reason of a failure; nil if the
    /// intent is durable.
    func recordIntent(_ intent: IntentID, at now: Instant) -> (takes: Duration, failure: LedgerFailure?)
    /// Saves the session of a printed key. Returns the virtual time that this takes, and the reason of a failure; nil
    /// if the session is durable.
    func keepSession(
        _ session: [UInt8], of visit: VisitID, at now: Instant
    ) -> (takes: Duration, failure: LedgerFailure?)
    /// Verifies a payload. Returns the virtual time that the verification takes, and the verdict.
    func verify(_ payload: [UInt8], at now: Instant) -> (takes: Duration, verdict: Verdict)
    /// Receives the decision on a visit, in the turn that orders the gate to open.
    func recordDecision(_ record: VisitRecord, at now: Instant)
    /// Receives an outcome.
    func recordOutcome(_ record: VisitRecord, at now: Instant)
    /// The current printed key, read whenever the kiosk requests new keys; nil for random keys.
    var printedKey: PrintedKey? { get }
    /// Receives an observation.
    func observe(_ observation: GateSimulation.Observation, at now: Instant)
    /// Receives every turn of the kiosk before its actions are performed: the event, the actions, and the kiosk after
    /// the turn.
    func handled(_ event: KioskEvent, _ actions: [KioskAction], by kiosk: Kiosk, at now: Instant)
}

extension SimulatedWorld {
    /// Nil: most worlds have no printed key.
    package var printedKey: PrintedKey? { nil }

    /// Ignores the decision. Only environments that simulate a crash need the decision.
    package func recordDecision(_ record: VisitRecord, at now: Instant) {}

    /// Saves the session in 3 ms of virtual time.
    package func keepSession(
        _ session: [UInt8], of visit: VisitID, at now: Instant
    ) -> (takes: Duration, failure: LedgerFailure?) { (.milliseconds(3), nil) }

    /// Ignores the turn.
    package func handled(_ event: KioskEvent, _ actions: [KioskAction], by kiosk: Kiosk, at now: Instant) {}
}

/// The real ``Kiosk`` at a virtual gate. Packets go to a ``VirtualRadio``, actions to a ``SimulatedWorld``, and the
/// virtual time advances from one deadline to the next. The same seed and script give the same run, to the nanosecond.
/// ``KioskRules`` checks every turn of the kiosk.
package struct GateSimulation {
    /// An observation from outside the kiosk.
    package enum Observation: Sendable {
        /// The kiosk published a note.
        case kiosk(KioskNote)
        /// A phone reported an event; `visit` counts from 0.
        case phone(visit: Int, PhoneEvent)
        /// The status light changed to the given signal of the given pattern.
        case signal(Signal, IndicatorPattern)
        /// The relay changed; `open`: whether it is energised.
        case gate(open: Bool)
        /// A held output (``OutputRole/Kind/held(_:)``) changed; the value says whether it is on.
        case hold(OutputRole, Bool)
        /// The display shows the given invitation; nil: it shows none.
        case invitation(String?)
        /// The kiosk violated a rule of HCI.
        case violation(VirtualController.Violation)
    }

    /// The current virtual time.
    package private(set) var now: Instant
    /// The kiosk under simulation.
    package private(set) var kiosk: Kiosk
    /// The virtual radio with its virtual phones.
    package private(set) var radio: VirtualRadio
    /// The first 20 violations of the kiosk's rules, in order.
    package private(set) var violations: [Violation] = []
    private var rules: KioskRules
    private var random: SplitMix64
    private var waiting = EventQueue<KioskEvent>()
    /// The radio's deadline after the last event that it handled; nil if there is none.
    private var radioDue: Instant?
    /// The kiosk's deadline after the last event that it handled; nil if there is none.
    private var timer: Instant?
    private var hasStarted = false
    /// Whether the kiosk has shut down.
    package private(set) var hasStopped = false

    /// Creates a gate at time zero. `used`: the earlier sessions of the printed key.
    package init(settings: KioskSettings, used: UsedSessions = UsedSessions(), radio: VirtualRadio, seed: UInt64) {
        now = .zero
        kiosk = Kiosk(settings: settings, used: used, at: now)
        self.radio = radio
        rules = KioskRules(settings)
        random = SplitMix64(seed: seed)
    }

    /// The next time at which the state changes without an outside event; nil for never.
    package var deadline: Instant? {
        var soonest = timer
        if let due = radioDue, soonest.map({ due < $0 }) ?? true { soonest = due }
        if let due = waiting.deadline, soonest.map({ due < $0 }) ?? true { soonest = due }
        return soonest
    }

    /// Runs until `end`, or until `isDone`, which is evaluated after every step, returns true. Returns whether `isDone`
    /// returned true in time.
    package mutating func run(
        until end: Instant, in world: any SimulatedWorld, isDone: (GateSimulation) -> Bool = { _ in false }
    ) -> Bool {
        start(in: world)
        while !isDone(self) {
            guard let deadline, deadline <= end else {
                now = end
                return isDone(self)
            }
            step(to: max(deadline, now), in: world)
        }
        return true
    }

    /// Plays another script when the radio is idle (``VirtualRadio/play(_:at:)``).
    package mutating func play(_ visits: [Visit]) {
        radio.play(visits, at: now)
        radioDue = radio.deadline
    }

    /// Performs all steps that are due at `instant`. No step may be due earlier.
    package mutating func advance(to instant: Instant, in world: any SimulatedWorld) {
        start(in: world)
        step(to: max(instant, now), in: world)
    }

    /// Adds a visitor who arrives now (``VirtualRadio/Event/visitor(_:)``).
    package mutating func come(_ visit: Visit, in world: any SimulatedWorld) {
        tell(.visitor(visit), in: world)
    }

    /// Sets the other verifiers that phones hear from now on (``VirtualRadio/neighbours``).
    package mutating func hear(_ others: [Advertiser]) { radio.neighbours = others }

    /// Shuts the kiosk down in order.
    package mutating func stop(in world: any SimulatedWorld) { handle(.stop, in: world) }

    /// Passes an outside event to the kiosk, such as the closing of the transport.
    package mutating func inject(_ event: KioskEvent, in world: any SimulatedWorld) { handle(event, in: world) }

    private mutating func start(in world: any SimulatedWorld) {
        guard !hasStarted else { return }
        hasStarted = true
        handle(.start, in: world)
    }

    private mutating func step(to instant: Instant, in world: any SimulatedWorld) {
        now = instant
        while let event = waiting.take(dueBy: instant) { handle(event, in: world) }
        if let due = radioDue, due <= instant { tell(.timer, in: world) }
        if let timer, timer <= instant { handle(.timer, in: world) }
    }

    private mutating func handle(_ event: KioskEvent, in world: any SimulatedWorld) {
        let actions = kiosk.handle(event, at: now)
        timer = kiosk.deadline(after: now)
        let broken = rules.watch(event, actions, deadline: timer, at: now)
        violations += broken.prefix(20 - violations.count)
        world.handled(event, actions, by: kiosk, at: now)
        for action in actions { perform(action, in: world) }
    }

    private mutating func tell(_ event: VirtualRadio.Event, in world: any SimulatedWorld) {
        let actions = radio.handle(event, at: now)
        radioDue = radio.deadline
        for action in actions {
            switch action {
            case .toHost(let packet): waiting.add(.received(packet), at: now)
            case .observed(let visit, let event): world.observe(.phone(visit: visit, event), at: now)
            case .violation(let violation): world.observe(.violation(violation), at: now)
            }
        }
    }

    private mutating func perform(_ action: KioskAction, in world: any SimulatedWorld) {
        switch action {
        case .openTransport: waiting.add(.transportOpened, at: now)
        case .closeTransport, .resetAdapter: break
        case .send(let packet): tell(.fromHost(packet), in: world)
        case .drawSessionMaterial:
            let bytes = (0..<SessionMaterial.byteCount).map { _ in UInt8(random.next() & 0xFF) }
            if let material = SessionMaterial(bytes, printed: world.printedKey) {
                waiting.add(.sessionMaterial(material), at: now)
            }
        case .showInvitation(let uri):
            world.observe(.invitation(uri), at: now)
            tell(.invitation(uri), in: world)
        case .recordIntent(let intent):
            let (takes, failure) = world.recordIntent(intent, at: now)
            let event = failure.map { KioskEvent.intentFailed(intent, $0) } ?? .intentDurable(intent)
            waiting.add(event, at: now.advanced(by: takes))
        case .keepSession(let visit, let session):
            let (takes, failure) = world.keepSession(session, of: visit, at: now)
            waiting.add(.sessionKept(visit, failure: failure), at: now.advanced(by: takes))
        case .verify(let visit, let payload):
            let (takes, verdict) = world.verify(payload, at: now)
            waiting.add(.verified(visit, verdict), at: now.advanced(by: takes))
        case .decided(let record): world.recordDecision(record, at: now)
        case .recordOutcome(let record): world.recordOutcome(record, at: now)
        case .signal(let signal, let pattern, _): world.observe(.signal(signal, pattern), at: now)
        case .gate(let command): world.observe(.gate(open: command != .shut), at: now)
        // The simulation has no access controller and does not track the use of credentials.
        case .admit, .unused, .dismissed: break
        case .hold(let role, let command): world.observe(.hold(role, command != .shut), at: now)
        case .note(let note, _): world.observe(.kiosk(note), at: now)
        case .stopped: hasStopped = true
        }
    }
}
