import Credentials
import Encoding
import Foundation
import GateService
import Kiosk
import Ledger
import LinuxIO
import Reasons
import Simulation
import Testing
import Tuvali

/// The log of whole visits, by their ids: the journal's lines for an id (`GATEHOUSE_VISIT=`) are the visit,
/// without a gap.
@Suite struct LogOutputTests {
    /// A virtual gate whose events are written to the real log.
    private final class LoggedWorld: SimulatedWorld {
        private let output: LogOutput
        private let path: String
        private let sink: LogSink

        init(_ path: String) throws {
            self.path = path
            sink = try LogSink(.file(path))
            output = LogOutput(sink)
        }

        func recordIntent(_ intent: IntentID, at now: Instant) -> (takes: Duration, failure: LedgerFailure?) {
            (.milliseconds(3), nil)
        }

        func verify(_ payload: [UInt8], at now: Instant) -> (takes: Duration, verdict: Verdict) {
            (.milliseconds(40), .made(.ok))
        }

        func recordOutcome(_ record: VisitRecord, at now: Instant) {}
        func observe(_ observation: GateSimulation.Observation, at now: Instant) {}

        func handled(_ event: KioskEvent, _ actions: [KioskAction], by kiosk: Kiosk, at now: Instant) {
            for action in actions {
                switch action {
                case .signal(let signal, let pattern, let visit): output.show(signal, of: pattern, for: visit, at: now)
                case .note(let note, let visit): output.note(note, of: visit, at: now)
                default: break
                }
            }
        }

        func lines() throws -> [JSON] {
            #expect(sink.flush(within: .seconds(60)))
            defer { try? FileManager.default.removeItem(atPath: path) }
            return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map {
                try JSON.parse(String($0))
            }
        }
    }

    /// Returns the log of a gate with these visits, until it is ready again.
    private func log(_ visits: [Simulation.Visit]) throws -> [JSON] {
        let world = try LoggedWorld(
            FileManager.default.temporaryDirectory.appendingPathComponent("gatehouse-log-\(UUID().uuidString)").path)
        var simulation = GateSimulation(
            settings: KioskSettings(name: try Identifier("Logged"), softwareVersion: "test"), used: UsedSessions(),
            radio: VirtualRadio(visits: visits, seed: 3), seed: 3)
        let end = simulation.now.advanced(by: .seconds(300))
        #expect(simulation.run(until: end, in: world) { $0.radio.isFinished })
        _ = simulation.run(until: simulation.now.advanced(by: .seconds(10)), in: world)
        return try world.lines()
    }

    private func event(_ line: JSON) -> Text { line["event"]?.string ?? "" }
    private func pattern(_ line: JSON) -> Text { line["pattern"]?.string ?? "" }

    @Test func everyLineOfAVisitHasItsId() throws {
        let lines = try log([.quick(1)])
        let visit = try #require(lines.first { event($0) == "phone.connected" }?["visit"]?.string)
        let isIts = lines.map { $0["visit"]?.string == visit }
        let (first, last) = (try #require(isIts.firstIndex(of: true)), try #require(isIts.lastIndex(of: true)))
        let its = lines[first...last]
        // The next invitation belongs to the next visit.
        let others = its.filter { $0["visit"]?.string != visit }
        #expect(others.map(event).allSatisfy { $0 == "advertising" }, "\(others.map(\.compactText))")
        for name in [
            "phone.connected", "phone.identified", "transfer.started", "transfer.received", "verdict", "gate",
            "visit.ended",
        ] as [Text] { #expect(its.contains { event($0) == name }, "\(name)") }
        let shown = its.filter { event($0) == "signal" }.map(pattern)
        #expect(shown == ["connected", "receiving", "checking", "accepted"])
        // A light without a visitor belongs to no visit.
        let calm = lines.filter { ["ready", "off"].contains(pattern($0)) }
        #expect(calm.count >= 3 && calm.allSatisfy { $0["visit"] == nil })
    }

    /// Among several phones, the light belongs to the one that has come farthest; a verdict's light belongs
    /// to its own visit.
    @Test func inACrowdEachSignHasItsVisit() throws {
        let crowd = (1...4 as ClosedRange<UInt64>).map { number -> Simulation.Visit in
            var phone = Simulation.Visit.quick(number).phone
            phone.wallet.choosing = .seconds(2)
            return Simulation.Visit(
                "visitor \(number)", arrival: .at(.milliseconds(1000 + 200 * Int(number))), phone: phone,
                submission: .sealing(Array("{\"number\":\(number)}".utf8), seed: number))
        }
        let lines = try log(crowd)
        let ids = Set(lines.filter { event($0) == "phone.connected" }.compactMap { $0["visit"]?.string })
        #expect(ids.count == 4)
        let signals = lines.enumerated().filter { event($0.element) == "signal" }
        var verdicts = 0
        for (place, line) in signals {
            let visit = line["visit"]?.string
            switch pattern(line) {
            case "connected", "receiving", "checking":
                // The visit is in progress: connected before, and not over yet.
                let id = try #require(visit, "\(line.compactText)")
                #expect(lines[..<place].contains { event($0) == "phone.connected" && $0["visit"]?.string == id })
                #expect(!lines[..<place].contains { event($0) == "visit.ended" && $0["visit"]?.string == id })
            case "accepted" where line["tone"] == true:
                verdicts += 1
                #expect(lines[place...].first { event($0) == "verdict" }?["visit"]?.string == visit)
            case "accepted": #expect(visit != nil)
            default: #expect(visit == nil, "\(line.compactText)")
            }
        }
        #expect(verdicts == 4)
    }
}
