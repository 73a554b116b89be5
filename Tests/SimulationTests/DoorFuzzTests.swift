import Credentials
import Encoding
import Kiosk
import Ledger
import Reasons
import Simulation
import Testing
import Tuvali

/// The kiosk keeps its rules under any inputs and orders.
@Suite struct DoorFuzzTests {
    /// An environment whose disk and verifier answer, and whose observer only counts openings.
    private final class World: SimulatedWorld {
        var open = 0
        /// How often the credential of each verified visit was released or used up, which happens with the outcome.
        var settled: [VisitID: Int] = [:]
        /// Visits for which the relay was ordered to open.
        var ordered: Set<VisitID> = []
        /// Actions about a credential at a wrong time: before an order or after the outcome.
        var strays = 0

        func recordIntent(_ intent: IntentID, at now: Instant) -> (takes: Duration, failure: LedgerFailure?) {
            (.milliseconds(3), nil)
        }

        func verify(_ payload: [UInt8], at now: Instant) -> (takes: Duration, verdict: Verdict) {
            // A red light delays people on their way out, so every third verdict is a rejection.
            let isAccepted = !settled.count.isMultiple(of: 3)
            let verdict = Verdict(
                decision: isAccepted ? .accept : .reject, reasons: [Reason(isAccepted ? .ok : .proofInvalid)],
                credential: CredentialSummary(), trust: "test", policy: "test")
            return (.milliseconds(5), verdict)
        }

        func recordOutcome(_ record: VisitRecord, at now: Instant) {}

        func observe(_ observation: GateSimulation.Observation, at now: Instant) {
            if case .gate(open: true) = observation { open += 1 }
        }

        func handled(_ event: KioskEvent, _ actions: [KioskAction], by kiosk: Kiosk, at now: Instant) {
            for action in actions {
                switch action {
                case .verify(let visit, _): settled[visit, default: 0] += 0
                case .decided(let record):
                    if !ordered.insert(record.visit).inserted || settled[record.visit] != 0 { strays += 1 }
                case .unused(let visit): if !ordered.contains(visit) || settled[visit] != 0 { strays += 1 }
                case .dismissed(let visit): if ordered.contains(visit) { strays += 1 }
                case .recordOutcome(let record):
                    settled[record.visit]? += 1
                    if record.outcome.gate?.opened == true, !ordered.contains(record.visit) { strays += 1 }
                default: break
                }
            }
        }
    }

    @Test(arguments: 0..<60) func nothingAtTheDoorBreaksAPromise(_ seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed) &+ 0xD00)
        var settings = KioskSettings(name: try Identifier("Fuzz"), softwareVersion: "test")
        let inputs = DoorInput.allCases.filter { _ in !random.next().isMultiple(of: 4) }
        settings.door.inputs = Dictionary(
            uniqueKeysWithValues: inputs.map { ($0, Duration.milliseconds(Int64(random.next() % 250 + 1))) })
        settings.door.opening = random.next().isMultiple(of: 2) ? .level : .pulse
        settings.door.wait = .milliseconds(Int64(random.next() % 30_000 + 1))
        settings.door.oneByOne = random.next().isMultiple(of: 2)
        settings.door.whenUnused = random.next().isMultiple(of: 2) ? .keep : .release
        settings.door.exitsWhileLocked = random.next().isMultiple(of: 2)
        settings.door.fireOpens = random.next().isMultiple(of: 2)
        settings.door.hasFreeOutput = !random.next().isMultiple(of: 4)
        settings.gatePulse = .milliseconds(Int64(random.next() % 6000))
        let visits = (0..<6).map { _ in
            Simulation.Visit(
                "fuzz", arrival: .afterPrevious(.milliseconds(Int64(random.next() % 4000))), phone: .android14,
                submission: .seal(
                    record: Array(#"{"a":1}"#.utf8),
                    privateKey: [UInt8](repeating: UInt8(random.next() % 200) + 1, count: 32),
                    nonce: [UInt8](repeating: 9, count: 12)))
        }
        let world = World()
        var gate = GateSimulation(
            settings: settings, radio: VirtualRadio(controller: ControllerTraits(), visits: visits, seed: UInt64(seed)),
            seed: UInt64(seed))
        var end = Instant.zero
        for _ in 0..<600 {
            end = end.advanced(
                by: .milliseconds(Int64(random.next() % (random.next().isMultiple(of: 20) ? 9000 : 120))))
            _ = gate.run(until: end, in: world)
            gate.inject(.door(event(&random, at: gate.now)), in: world)
        }
        // When all inputs are at rest, no alarm remains.
        gate.inject(.door(.order(.none)), in: world)
        gate.inject(.door(.lines(Dictionary(uniqueKeysWithValues: inputs.map { ($0, false) }))), in: world)
        _ = gate.run(until: end.advanced(by: .seconds(120)), in: world)
        let faults = gate.kiosk.status(at: gate.now).health.faults.map(\.code.text)
        #expect(faults.filter { $0.hasPrefix("door.") } == [])
        #expect(gate.kiosk.status(at: gate.now).isGateOpen == false)
        gate.inject(.door(event(&random, at: gate.now)), in: world)
        gate.stop(in: world)
        #expect(gate.hasStopped && gate.violations == [], "seed \(seed): \(gate.violations)")
        #expect(!world.settled.isEmpty && world.settled.values.allSatisfy { $0 == 1 }, "each credential is settled")
        #expect(world.strays == 0)
    }

    private func event(_ random: inout SplitMix64, at now: Instant) -> DoorEvent {
        let input = DoorInput.allCases[Int(random.next() % 5)]
        switch random.next() % 40 {
        case 0: return .linesLost(detail: "gone")
        case 1, 2:
            let bits = random.next()
            return .lines(
                Dictionary(
                    uniqueKeysWithValues: DoorInput.allCases.enumerated().map { ($1, bits & (1 << UInt64($0)) != 0) }))
        case 3: return .order(.lock)
        case 4, 5: return .order(.none)
        case 6: return .order(.free(until: now.advanced(by: .milliseconds(Int64(random.next() % 20_000)))))
        case 7:
            let mode = DoorMode.allCases[Int(random.next() % 3)]
            return .schedule(mode, until: now.advanced(by: .milliseconds(Int64(random.next() % 90_000))))
        case 8:
            return .edge(input, isActive: true, at: Instant(nanoseconds: Int64(bitPattern: random.next())))
        default:
            let late = Int64(random.next() % 400)
            return .edge(
                input, isActive: random.next().isMultiple(of: 2), at: now.advanced(by: .milliseconds(-late)))
        }
    }
}
