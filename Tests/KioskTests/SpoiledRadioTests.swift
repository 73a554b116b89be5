import Encoding
import Kiosk
import Ledger
import Reasons
import Simulation
import Testing
import Tuvali

/// A transport that loses, duplicates and changes packets between a real controller and the kiosk. Unlike in
/// recorded visits, the controller and the phones react, and their state drifts away from the kiosk's.
@Suite struct SpoiledRadioTests {
    @Test(.timeLimit(.minutes(5)), arguments: [1, 2] as [UInt64])
    func theNextVisitorIsLetIn(part: UInt64) async throws {
        var (mutations, accepted) = (0, 0)
        for session in 0..<250 as Range<UInt64> {
            let seed = part << 32 | session
            await Task.yield()  // tests that run in real time share these threads
            var gate = try SpoiledGate(seed: seed)
            gate.visit(gate.phone(), isSpoiled: true)
            mutations += gate.mutations
            if gate.outcomes[0] == .accepted { accepted += 1 }
            // An answer that was lost at the very end is noticed after 2 s, and the radio is then restarted.
            gate.pass(.seconds(3))
            var patient = gate.phone()
            patient.patience = .seconds(900)
            gate.visit(patient, isSpoiled: false)
            #expect(gate.outcomes[1] == .accepted, "seed \(seed)")
            #expect(gate.breaches == [], "seed \(seed)")
        }
        print("spoiled radio, part \(part): 250 visits with \(mutations) mutations, \(accepted) accepted all the same")
        #expect(mutations > 500 && accepted > 25)
    }
}

/// The kiosk, a virtual radio, and an unreliable connection between them.
private struct SpoiledGate {
    private(set) var breaches: [Violation] = []
    private var rules: KioskRules
    private(set) var mutations = 0
    var outcomes: [Int: VisitOutcome] { radio.outcomes }
    private var kiosk: Kiosk
    private var radio: VirtualRadio
    private var random: SplitMix64
    private var now = Instant.zero
    private var inbox: [KioskEvent] = []
    private var share = 0.0

    init(seed: UInt64) throws {
        let settings = KioskSettings(name: try Identifier("TestGate"), softwareVersion: "test")
        kiosk = Kiosk(settings: settings, at: .zero)
        rules = KioskRules(settings)
        radio = VirtualRadio(visits: [], seed: seed)
        random = SplitMix64(seed: seed)
        give(.start)
    }

    mutating func phone() -> PhoneTraits {
        let kinds: [PhoneTraits] = [.android13, .android14, .iPhone, .iPhone185]
        return kinds[Int.random(in: 0..<kinds.count, using: &random)]
    }

    /// Plays the visit of one more phone to the end.
    mutating func visit(_ phone: PhoneTraits, isSpoiled: Bool) {
        share = isSpoiled ? [0.01, 0.05, 0.2].randomElement(using: &random) ?? 0 : 0
        perform(radio.handle(.visitor(.test(phone)), at: now))
        run(until: now.advanced(by: .seconds(1000))) { $0.isFinished }
    }

    /// Advances the clock without a visitor.
    mutating func pass(_ duration: Duration) {
        share = 0
        let end = now.advanced(by: duration)
        run(until: end) { _ in false }
        now = end
    }

    private mutating func run(until end: Instant, isDone: (VirtualRadio) -> Bool) {
        while !isDone(radio) {
            let timer = kiosk.deadline(after: now)
            guard let next = [timer, radio.deadline].compactMap({ $0 }).min(), next <= end else { return }
            now = max(now, next)
            if let due = radio.deadline, due <= now { perform(radio.handle(.timer, at: now)) }
            if let timer, timer <= now { give(.timer) }
            work()
        }
    }

    private mutating func give(_ event: KioskEvent) {
        inbox.append(event)
        work()
    }

    private mutating func work() {
        while !inbox.isEmpty {
            let event = inbox.removeFirst()
            let actions = kiosk.handle(event, at: now)
            breaches += rules.watch(event, actions, deadline: kiosk.deadline(after: now), at: now)
            for action in actions { perform(action) }
        }
    }

    private mutating func perform(_ action: KioskAction) {
        switch action {
        case .openTransport: inbox.append(.transportOpened)
        case .send(let packet): perform(radio.handle(.fromHost(packet), at: now))
        case .drawSessionMaterial:
            if let material = SessionMaterial(random.bytes(SessionMaterial.byteCount)) {
                inbox.append(.sessionMaterial(material))
            }
        case .showInvitation(let uri): perform(radio.handle(.invitation(uri), at: now))
        case .recordIntent(let id): inbox.append(.intentDurable(id))
        case .verify(let id, _): inbox.append(.verified(id, .test(.ok)))
        case .closeTransport, .resetAdapter, .recordOutcome, .dismissed, .keepSession, .admit, .decided, .unused,
            .signal, .gate, .hold, .note, .stopped:
            break
        }
    }

    private mutating func perform(_ actions: [VirtualRadio.Action]) {
        for case .toHost(let packet) in actions {
            guard random.happens(share) else {
                inbox.append(.received(packet))
                continue
            }
            mutations += 1
            for packet in PacketMutation.apply(to: packet, &random) { inbox.append(.received(packet)) }
        }
    }
}
