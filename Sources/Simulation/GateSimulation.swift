package import Credentials
package import Encoding
package import Kiosk

/// What a simulated kiosk has around it besides the radio: disk, verifier and somebody who looks on.
package protocol SimulatedWorld: AnyObject {
    /// Writes the intent. Returns how long that takes and why it failed; nil: it is durable.
    func recordIntent(_ intent: IntentID, at now: Instant) -> (takes: Duration, failure: String?)
    /// Writes down the session of a printed key. Returns how long that takes and why it failed; nil: it is durable.
    func keepSession(_ session: [UInt8], of visit: VisitID, at now: Instant) -> (takes: Duration, failure: String?)
    /// Judges a payload. Returns how long that takes and the verdict.
    func verify(_ payload: [UInt8], at now: Instant) -> (takes: Duration, verdict: Verdict)
    /// Takes over what was decided of a visit whose gate was just told to open.
    func recordDecision(_ record: VisitRecord, at now: Instant)
    /// Takes over an outcome.
    func recordOutcome(_ record: VisitRecord, at now: Instant)
    /// The printed key in force, asked for whenever the kiosk wants keys; nil: they are fresh.
    var printedKey: PrintedKey? { get }
    /// Sees what can be seen.
    func observe(_ observation: GateSimulation.Observation, at now: Instant)
    /// Sees every turn of the kiosk: what it was given and what it answered, before any of the answer is carried out; and
    /// the kiosk after it.
    func handled(_ event: KioskEvent, _ actions: [KioskAction], by kiosk: Kiosk, at now: Instant)
}

extension SimulatedWorld {
    /// None.
    package var printedKey: PrintedKey? { nil }

    /// Drops it: most worlds end in order.
    package func recordDecision(_ record: VisitRecord, at now: Instant) {}

    /// The disk takes it at once.
    package func keepSession(
        _ session: [UInt8], of visit: VisitID, at now: Instant
    ) -> (takes: Duration, failure: String?) { (.milliseconds(3), nil) }

    /// Not interested in the trace.
    package func handled(_ event: KioskEvent, _ actions: [KioskAction], by kiosk: Kiosk, at now: Instant) {}
}

/// The real ``Kiosk`` at a virtual gate: its packets go to a ``VirtualRadio``, its actions to a ``SimulatedWorld``, and time
/// jumps from one deadline to the next. The same seed and script give the same run, to the nanosecond. Every turn of the
/// kiosk is held against ``KioskRules``.
package struct GateSimulation {
    /// Something that can be seen.
    package enum Observation: Sendable {
        /// What the kiosk notes.
        case kiosk(KioskNote)
        /// What a phone does; `visit` counts from 0.
        case phone(visit: Int, PhoneEvent)
        /// The status light.
        case signal(Signal, IndicatorPattern)
        /// The relay.
        case gate(open: Bool)
        /// The output for free passage.
        case free(Bool)
        /// The invitation on the display; nil: none.
        case invitation(String?)
        /// The kiosk broke a rule of HCI.
        case violation(VirtualController.Violation)
    }

    /// Now.
    package private(set) var now: Instant
    /// The kiosk.
    package private(set) var kiosk: Kiosk
    /// The air and the phones.
    package private(set) var radio: VirtualRadio
    /// What did not hold, in order; the first 20.
    package private(set) var violations: [Violation] = []
    private var rules: KioskRules
    private var random: SplitMix64
    private var waiting = Agenda<KioskEvent>()
    /// When the radio does something by itself, as its last turn left it.
    private var radioDue: Instant?
    /// When the kiosk's timer fires, as its last turn left it.
    private var timer: Instant?
    private var hasStarted = false
    /// Whether the kiosk has shut down.
    package private(set) var hasStopped = false

    /// A gate at time zero. `used`: the sessions that the printed key has had before.
    package init(settings: KioskSettings, used: UsedSessions = UsedSessions(), radio: VirtualRadio, seed: UInt64) {
        now = .zero
        kiosk = Kiosk(settings: settings, used: used, at: now)
        self.radio = radio
        rules = KioskRules(settings)
        random = SplitMix64(seed: seed)
    }

    /// When something next happens by itself; nil: never.
    package var deadline: Instant? {
        var soonest = timer
        if let due = radioDue, soonest.map({ due < $0 }) ?? true { soonest = due }
        if let due = waiting.deadline, soonest.map({ due < $0 }) ?? true { soonest = due }
        return soonest
    }

    /// Runs until `end` or until `isDone` says so, looking after every step. Returns whether it was done in time.
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

    /// Plays another script once the radio is idle (``VirtualRadio/play(_:at:)``).
    package mutating func play(_ visits: [Visit]) {
        radio.play(visits, at: now)
        radioDue = radio.deadline
    }

    /// Does what is due at `instant`; nothing may be due before it.
    package mutating func advance(to instant: Instant, in world: any SimulatedWorld) {
        start(in: world)
        step(to: max(instant, now), in: world)
    }

    /// One more visitor comes now (``VirtualRadio/Event/visitor(_:)``).
    package mutating func come(_ visit: Visit, in world: any SimulatedWorld) {
        tell(.visitor(visit), in: world)
    }

    /// Other verifiers in range, from now on (``VirtualRadio/neighbours``).
    package mutating func hear(_ others: [Advertiser]) { radio.neighbours = others }

    /// Shuts the kiosk down in order.
    package mutating func stop(in world: any SimulatedWorld) { handle(.stop, in: world) }

    /// Gives the kiosk an event from outside, such as a transport that closes.
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
            let event = failure.map { KioskEvent.intentFailed(intent, reason: $0) } ?? .intentDurable(intent)
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
        // Nobody listens to a controller, and nobody comes twice in a simulation's world.
        case .admit, .unused, .dismissed: break
        case .free(let command): world.observe(.free(command != .shut), at: now)
        case .note(let note, _): world.observe(.kiosk(note), at: now)
        case .stopped: hasStopped = true
        }
    }
}
