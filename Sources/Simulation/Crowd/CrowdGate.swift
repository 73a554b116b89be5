import Credentials
import Crypto
import Encoding
import Kiosk
import Ledger

/// One gate of a crowd with its environment. The kiosk is real, and ``KioskRules`` checks it.
final class CrowdGate: SimulatedWorld {
    /// A visitor or attacker who is at the gate.
    private struct Present {
        let kind: CrowdVisitor.Kind
        let slot: Int
        var came: Instant
        var linked: Instant?
        var told: Bool?
    }

    private(set) var simulation: GateSimulation
    private(set) var figures = CrowdFigures()
    /// The slots (numbers in the crowd) of visitors who have left since the last call of ``takeGone()``.
    private var gone: [Int] = []
    private let credentials: CrowdCredentials
    private var present: [Int: Present] = [:]
    private var newcomers = 0
    private var intents: Set<IntentID> = []
    private var hash = SHA256()

    init(_ plan: CrowdPlan, settings: KioskSettings, credentials: CrowdCredentials, random: inout SplitMix64) {
        self.credentials = credentials
        var settings = settings
        settings.phones = max(1, plan.places)
        if settings.phones == 1 { settings.lobby = 0 }
        var radio = VirtualRadio(visits: [], seed: random.next())
        // An advertising event occupies a channel for 0.4 ms. The event collides with an event of another gate that
        // begins within 0.4 ms before or after it. Each gate has one event in 25 ms on average: 20 ms plus a random
        // delay of 0 to 10 ms.
        radio.interference = Double(plan.gates - 1) * 2 * 0.4 / 25
        simulation = GateSimulation(settings: settings, radio: radio, seed: random.next())
    }

    /// Whether no visitor or attacker is at the gate.
    var isEmpty: Bool { present.isEmpty }

    /// Adds a visitor or attacker. The next one gets the same `slot` after this one has left.
    func come(_ visitor: CrowdVisitor, slot: Int) {
        present[newcomers] = Present(kind: visitor.kind, slot: slot, came: simulation.now)
        newcomers += 1
        simulation.come(visitor.visit, in: self)
    }

    /// Returns the slots of visitors who have left since the last call.
    func takeGone() -> [Int] {
        defer { gone = [] }
        return gone
    }

    func hear(_ others: [Advertiser]) { simulation.hear(others) }

    func advance(to instant: Instant) { simulation.advance(to: instant, in: self) }

    /// Stops the kiosk and completes the figures.
    func stop() {
        simulation.stop(in: self)
        figures.openIntents = intents.count
        figures.faults += simulation.violations.map(\.description)
        figures.digest = Hex.encode(Array(hash.finalize()))
    }

    // MARK: - The kiosk's environment

    func recordIntent(_ intent: IntentID, at now: Instant) -> (takes: Duration, failure: LedgerFailure?) {
        intents.insert(intent)
        return (.milliseconds(3), nil)
    }

    func verify(_ payload: [UInt8], at now: Instant) -> (takes: Duration, verdict: Verdict) {
        (.milliseconds(3), credentials.verify(payload, now))
    }

    func recordOutcome(_ record: VisitRecord, at now: Instant) {
        if let intent = record.intent { intents.remove(intent) }
        figures.records[record.outcome.result.rawValue, default: 0] += 1
        if record.outcome.gate?.opened == true { figures.recordedPulses += 1 }
    }

    func observe(_ observation: GateSimulation.Observation, at now: Instant) {
        switch observation {
        case .phone(let number, let event): observe(event, of: number, at: now)
        case .gate(open: true): figures.pulses += 1
        case .violation(let violation): fault("\(violation)")
        case .kiosk, .signal, .gate, .hold, .invitation: break
        }
    }

    private func observe(_ event: PhoneEvent, of number: Int, at now: Instant) {
        switch event {
        case .connected:
            present[number]?.linked = now
            figures.connections += 1
        case .wallet(.verdict(let accepted)): told(accepted, number, at: now)
        case .violation(let words): fault(words)
        case .finished: left(number)
        default: break
        }
    }

    private func fault(_ words: String) { if figures.faults.count < 20 { figures.faults.append(words) } }

    private func told(_ accepted: Bool, _ number: Int, at now: Instant) {
        guard var one = present[number], one.told == nil else { return }
        one.told = accepted
        present[number] = one
        switch one.kind {
        case .attacker:
            if accepted { figures.wrong += 1 }
            return
        case .visitor(let isGenuine): if accepted != isGenuine { figures.wrong += 1 }
        case .odd: break
        }
        if accepted { figures.accepted += 1 } else { figures.rejected += 1 }
        figures.waiting.append(one.came.duration(to: now))
        if let linked = one.linked { figures.linked.append(linked.duration(to: now)) }
    }

    private func left(_ number: Int) {
        guard let one = present.removeValue(forKey: number) else { return }
        gone.append(one.slot)
        switch one.kind {
        case .attacker: figures.attackers += 1
        case .odd: figures.visitors += 1
        case .visitor:
            figures.visitors += 1
            if one.told == nil { figures.unserved += 1 }
        }
    }

    // MARK: - The trace

    func handled(_ event: KioskEvent, _ actions: [KioskAction], by kiosk: Kiosk, at now: Instant) {
        var bytes: [UInt8] = []
        bytes.appendBE(UInt32(truncatingIfNeeded: now.nanoseconds >> 32))
        bytes.appendBE(UInt32(truncatingIfNeeded: now.nanoseconds))
        switch event {
        case .received(let packet): bytes += packet
        case .timer: bytes.append(1)
        case .intentDurable(let intent): bytes += intent.text.utf8
        case .verified(let visit, let verdict): bytes += visit.text.utf8 + [verdict.isAccepted ? 1 : 0]
        default: bytes.append(2)
        }
        for action in actions { Self.add(action, to: &bytes) }
        hash.update(data: bytes)
    }

    private static func add(_ action: KioskAction, to bytes: inout [UInt8]) {
        switch action {
        case .send(let packet): bytes += packet
        case .showInvitation(let uri): bytes += (uri ?? "").utf8
        case .recordIntent(let intent): bytes += intent.text.utf8
        case .decided(let record): bytes += record.visit.text.utf8
        case .keepSession(let visit, _), .unused(let visit), .dismissed(let visit): bytes += visit.text.utf8
        case .verify(let visit, let payload): bytes += visit.text.utf8 + payload
        case .recordOutcome(let record):
            bytes += Array(record.visit.text.utf8) + record.outcome.result.rawValue.utf8
        case .signal(let signal, let pattern, _):
            bytes += pattern.rawValue.utf8 + [UInt8(truncatingIfNeeded: signal.lamps.count), signal.tone ? 1 : 0]
        case .gate(let command): bytes.append(command == .shut ? 3 : 4)
        case .hold(_, let command): bytes.append(command == .shut ? 6 : 7)
        case .admit: bytes.append(8)
        case .note(let note, _): bytes += note.name.utf8
        case .openTransport, .closeTransport, .resetAdapter, .drawSessionMaterial, .stopped: bytes.append(5)
        }
    }
}
