import Encoding
import Kiosk
import Ledger
import Reasons
import Simulation
import Tuvali

@testable import Credentials

/// The real kiosk with phones on a virtual radio, connected to the real verifier and the real ledger. It shows how a
/// payload becomes a record and a report.
final class RecordingGate: SimulatedWorld {
    /// The record of a visit, as it is read back, and its report.
    struct End {
        let outcome: Outcome
        let report: JSON
    }

    static let siteKey = [UInt8](repeating: 0x5A, count: SiteKey.byteCount)

    /// The ends of the visits, in order.
    private(set) var ends: [End] = []
    /// Descriptions of other errors.
    private(set) var faults: [String] = []
    private let verifier: Credentials.Verifier
    private let clock: WallTime
    private let key: SiteKey
    private var simulation: GateSimulation
    private var memory: ReplayMemory
    private var head: LedgerHead
    private var visits = 0

    /// Plays visitors who present these payloads, one after another.
    init(_ verifier: Credentials.Verifier, _ payloads: [[UInt8]], at clock: WallTime) throws {
        (self.verifier, self.clock) = (verifier, clock)
        key = try SiteKey(Self.siteKey).orThrow()
        memory = ReplayMemory(window: .seconds(3600))
        head = LedgerHead(ledger: Self.ledger, point: .genesis(ledger: Self.ledger))
        let script = payloads.enumerated().map { number, payload in
            Simulation.Visit(
                "visitor \(number)", arrival: .afterPrevious(.seconds(1)), phone: .android14,
                submission: .sealing(payload, seed: UInt64(number + 1)))
        }
        let settings = KioskSettings(name: try Identifier("TestGate"), softwareVersion: "test")
        let radio = VirtualRadio(controller: ControllerTraits(), visits: script, seed: 1)
        simulation = GateSimulation(settings: settings, radio: radio, seed: 1)
        let limit = simulation.now.advanced(by: .seconds(600))
        let isOver = simulation.run(until: limit, in: self) { [count = payloads.count] _ in self.ends.count == count }
        if !isOver { faults.append("\(ends.count) of \(payloads.count) visits ended") }
        faults += simulation.violations.map(\.description)
    }

    private static let ledger: Text = "1ed6e000-0000-4000-8000-000000000000"

    func recordIntent(_ intent: IntentID, at now: Instant) -> (takes: Duration, failure: LedgerFailure?) {
        (.milliseconds(1), nil)
    }

    /// As in the service, used credentials are identified by names that only the site's key can make.
    func verify(_ payload: [UInt8], at now: Instant) -> (takes: Duration, verdict: Verdict) {
        visits += 1
        let visit = VisitID("visit \(visits)")
        let first = verifier.verify(payload, at: clock)
        let met = first.replayKeys.filter { memory.knows(key.replayName(of: $0), besides: visit, at: now) }
        let verdict = met.isEmpty ? first : verifier.verify(payload, recent: Set(met), at: clock)
        if verdict.isAccepted {
            memory.reserve(verdict.replayKeys.map(key.replayName(of:)), for: visit)
            _ = memory.settle(visit, .used, at: now)
        }
        return (.milliseconds(1), verdict)
    }

    func recordOutcome(_ record: VisitRecord, at now: Instant) {
        let stamp = RecordStamp(kiosk: "gate-1", boot: Self.ledger, time: clock, monotonic: now)
        let named = UnwrittenOutcome(
            visit: Text(record.visit.text), outcome: record.outcome, stamp: stamp, signedDigests: record.signedDigests
        ).named(under: key)
        do {
            let entry = try head.appendOutcome(named.visit, named.outcome, stamp: stamp).entry
            guard case .outcome(let record) = try LedgerRecord(bytes: entry.body),
                let report = Report.json(of: entry, in: Self.ledger)
            else { return faults.append("no outcome") }
            ends.append(End(outcome: record.outcome, report: report))
        } catch { faults.append("\(error)") }
    }

    func observe(_ observation: GateSimulation.Observation, at now: Instant) {}
}

extension Optional {
    fileprivate func orThrow() throws -> Wrapped {
        guard let self else { throw Rejection(.internal) }
        return self
    }
}
