import Encoding
import Kiosk
import Ledger
import Reasons
import Simulation
import Testing
import Tuvali

/// Applies one fault at each message that a phone sends during a transfer of twelve chunks. The kiosk returns
/// to its previous state, the light and the records agree with the events, and another phone at the gate is
/// not affected.
@Suite struct BoundaryTests {
    /// The fate of a message.
    enum Fault: CaseIterable {
        case none, lost, spoiled, late, doubled, disconnected
    }

    @Test(.timeLimit(.minutes(10)), arguments: Fault.allCases, [1, 2])
    func anyFaultAtAnyMessage(_ fault: Fault, phones: Int) async throws {
        var whole = try FaultyGate(.none, at: 0, phones: phones)
        whole.run()
        #expect(whole.chunks == 12)
        var served = 0
        let numbers = fault == .none ? 0..<1 : 0..<whole.messages
        for number in numbers {
            await Task.yield()
            var gate = try FaultyGate(fault, at: number, phones: phones)
            gate.run()
            let place = "\(fault) at message \(number) of \(whole.messages), \(phones) phones"
            #expect(gate.isAtRest, "\(place)")
            #expect(gate.breaches == [], "\(place)")
            // Every visit that began is counted once; a visit with an announced credential is recorded.
            #expect(gate.counted == gate.connections, "\(place)")
            let accepted = gate.records.count { $0.result == .accepted }
            #expect(gate.pulses == accepted && gate.openIntents == 0, "\(place)")
            #expect(gate.records.filter { $0.result == .accepted }.allSatisfy { $0.gate?.opened == true }, "\(place)")
            let told = gate.outcomes.values.count { $0 == .accepted }
            #expect(told <= accepted && gate.greens == accepted, "\(place)")
            // For chunks, the link layer and the protocol's repair rounds correct every fault except a broken
            // link.
            if gate.wasChunk, fault != .disconnected { #expect(gate.outcomes[0] == .accepted, "\(place)") }
            if phones == 2 { #expect(gate.outcomes[1] == .accepted, "\(place)") }
            if gate.outcomes[0] == .accepted { served += 1 }
        }
        print("\(fault) at each of \(numbers.count) messages, \(phones) phones: \(served) accepted all the same")
        #expect(fault == .none || numbers.count > 24 && (served >= 12 || fault == .disconnected))
    }
}

/// The kiosk, a virtual radio, and one fault on the way from the first phone to the kiosk.
private struct FaultyGate {
    /// The number of messages of the first phone so far.
    private(set) var messages = 0
    /// The number of chunks among the messages of the first phone.
    private(set) var chunks = 0
    /// Whether the fault hit a chunk.
    private(set) var wasChunk = false
    private(set) var breaches: [Violation] = []
    private(set) var records: [Outcome] = []
    private(set) var pulses = 0
    private(set) var greens = 0
    private(set) var connections = 0
    private var intents: Set<IntentID> = []
    private let fault: BoundaryTests.Fault
    private let place: Int
    private var kiosk: Kiosk
    private var radio: VirtualRadio
    private var rules: KioskRules
    private var random = SplitMix64(seed: 3)
    private var now = Instant.zero
    private var inbox: [KioskEvent] = []
    /// A message that is delivered after the next one.
    private var late: [UInt8]?
    private var isCut = false

    init(_ fault: BoundaryTests.Fault, at place: Int, phones: Int) throws {
        (self.fault, self.place) = (fault, place)
        var settings = KioskSettings(name: try Identifier("TestGate"), softwareVersion: "test")
        settings.tuvali.silenceLimit = .seconds(10)
        var controller = ControllerTraits()
        controller.deliversWholePDUs = true  // one packet for each message
        var traits = PhoneTraits.android14
        (traits.hearing, traits.patience) = (1, .seconds(60))
        var second = PhoneTraits.iPhone
        (second.hearing, second.wallet.choosing) = (1, .milliseconds(3200))
        let record = Array(("{\"text\":\"" + Hex.encode(random.bytes(5200)) + "\"}").utf8)
        let visits: [Simulation.Visit] = [
            .test(traits, record: record, arrival: .at(.seconds(1))),
            .test(second, record: record, arrival: .at(.milliseconds(1300))),
        ]
        kiosk = Kiosk(settings: settings, at: .zero)
        rules = KioskRules(settings)
        let script = visits.prefix(phones).enumerated().map { $1.withKeys(seed: UInt64($0)) }
        radio = VirtualRadio(controller: controller, visits: Array(script), seed: 1)
    }

    var outcomes: [Int: VisitOutcome] { radio.outcomes }
    /// The number of intents without a record. Unused intents are kept for a minute and then closed.
    var openIntents: Int { intents.count }
    var counted: Int { kiosk.status(at: now).counters.visits.values.reduce(0, +) }

    /// Whether the state is the same as before the first visitor.
    var isAtRest: Bool {
        let status = kiosk.status(at: now)
        return status.radio == .up && status.phones == 0 && !status.isGateOpen && status.light == .ready
    }

    mutating func run() {
        give(.start)
        let end = now.advanced(by: .seconds(400))
        while !radio.isIdle, step(until: end) {}
        // By then the light and the pulse have ended, and the unused intent is closed.
        let rest = now.advanced(by: .seconds(130))
        while !intents.isEmpty || !isAtRest, step(until: rest) {}
    }

    private mutating func step(until end: Instant) -> Bool {
        let timer = kiosk.deadline(after: now)
        guard let next = [timer, radio.deadline].compactMap({ $0 }).min(), next <= end else { return false }
        now = max(now, next)
        if let due = radio.deadline, due <= now { perform(radio.handle(.timer, at: now)) }
        if let timer, timer <= now { give(.timer) }
        work()
        return true
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
        case .recordIntent(let id):
            intents.insert(id)
            inbox.append(.intentDurable(id))
        case .verify(let id, _): inbox.append(.verified(id, .test(.ok)))
        case .recordOutcome(let record):
            if let intent = record.intent { intents.remove(intent) }
            let outcome = record.outcome
            if outcome.result != .failed || outcome.reasons.first?.code != Text(ReasonCode.abandoned.text) {
                records.append(outcome)
            }
        case .gate(let command): if command != .shut { pulses += 1 }
        case .note(.decided(true, _, _, _), _): greens += 1
        case .note(.phoneConnected, _): connections += 1
        case .closeTransport, .resetAdapter, .dismissed, .keepSession, .admit, .decided, .unused, .signal, .hold, .note,
            .stopped:
            break
        }
    }

    private mutating func perform(_ actions: [VirtualRadio.Action]) {
        for case .toHost(let packet) in actions { deliver(packet) }
    }

    /// Delivers a packet to the kiosk and applies the fault; the first link has the first handle.
    private mutating func deliver(_ packet: [UInt8]) {
        guard packet.count > 9, packet[0] == 2, packet[1] == 0x40, packet[2] & 0x0F == 0 else {
            return inbox.append(.received(packet))
        }
        if isCut { return }
        let isChunk = packet[9] == 0x52 && packet.count > 80
        if isChunk { chunks += 1 }
        defer { messages += 1 }
        guard messages == place else {
            inbox.append(.received(packet))
            if let late = late.take() { inbox.append(.received(late)) }
            return
        }
        wasChunk = isChunk
        switch fault {
        case .none: inbox.append(.received(packet))
        case .lost: break
        case .spoiled:
            var packet = packet
            packet[packet.count - 1] ^= 0x10
            inbox.append(.received(packet))
        case .late: late = packet
        case .doubled: inbox += [.received(packet), .received(packet)]
        case .disconnected:
            isCut = true
            inbox.append(.received([4, 0x05, 4, 0, 0x40, 0, 0x08]))
        }
    }
}
