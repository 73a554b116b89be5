import Encoding
import Kiosk
import Reasons
import Simulation
import Testing

/// The radio is supervised: after any fault that the controller survives, the gate is on the air again within
/// a second.
@Suite struct SupervisionTests {
    private func after(_ time: Duration) -> Instant { Instant.zero.advanced(by: time) }

    /// Returns the spans of silence from `start` on, sampled every 5 ms for `time`.
    private func silences(_ gate: TestGate, from start: Duration, for time: Duration) -> [Duration] {
        gate.run(for: start - Instant.zero.duration(to: gate.now))
        var (spans, since): ([Duration], Instant?) = ([], nil)
        let end = gate.now.advanced(by: time)
        while gate.now < end {
            gate.run(for: .milliseconds(5))
            if gate.onAir.isEmpty {
                since = since ?? gate.now
            } else if let began = since.take() {
                spans.append(began.duration(to: gate.now))
            }
        }
        if let since { spans.append(since.duration(to: gate.now)) }
        return spans
    }

    @Test(arguments: ["stops", "hardware error", "transport"], [0, 4])
    func onTheAirAgainWithinASecond(_ fault: String, sets: Int) throws {
        for offset in stride(from: 0, to: 1000, by: 130) {
            let moment = Duration.milliseconds(20_000 + offset)
            var controller = RotationTests.controller(sets: sets)
            controller.responseTime = .milliseconds(5)
            if fault == "stops" { controller.advertisingStops = [after(moment)] }
            if fault == "hardware error" { controller.hardwareError = (after(moment), 0x42) }
            let gate = try TestGate(visits: [.test(arrival: .at(.seconds(25)))], controller: controller)
            gate.run(for: moment)
            if fault == "transport" { gate.inject(.transportClosed(.transport(.radioGone, "gone"))) }
            let silences = silences(gate, from: moment, for: .seconds(3))
            if fault != "transport" { #expect(!silences.isEmpty) }
            #expect(silences.allSatisfy { $0 <= .seconds(1) }, "\(silences)")
            #expect(gate.counters.radioFailures == (fault == "stops" ? 0 : 1))
            #expect(gate.counters.advertisingLapses == (fault == "stops" ? 1 : 0))
            #expect(gate.run())
            #expect(gate.phoneOutcomes == [0: .accepted])
            #expect(gate.breaches == [] && gate.violations == [])
        }
    }

    /// A missing answer is noticed after the limit for commands; after that, recovery takes less than a
    /// second.
    @Test(arguments: [0, 4]) func aLostCommand(sets: Int) throws {
        for moment in stride(from: 0, to: 20_000, by: 1700) {
            var controller = RotationTests.controller(sets: sets)
            controller.lostCommands = [after(.milliseconds(20_000 + moment))]
            let gate = try TestGate(visits: [.test(arrival: .at(.seconds(50)))], controller: controller)
            gate.run(for: .milliseconds(20_000 + moment))
            #expect(gate.run(untilNote: "radio.failed", limit: .seconds(15)))
            let failed = gate.now
            #expect(gate.run(untilNote: "advertising"))
            gate.run(for: .milliseconds(10))
            #expect(failed.duration(to: gate.now) <= .seconds(1) && !gate.onAir.isEmpty)
            #expect(gate.run())
            #expect(gate.phoneOutcomes == [0: .accepted] && gate.counters.radioFailures == 1)
            #expect(gate.breaches == [])
        }
    }

    /// A controller that stops advertising again and again is reset, and a fault is reported.
    @Test func oneThatKeepsStopping() throws {
        var controller = ControllerTraits()
        controller.advertisingStops = (0..<5).map { after(.seconds(20 + 3 * $0)) }
        let gate = try TestGate(visits: [], controller: controller)
        #expect(gate.run(untilNote: "radio.failed", limit: .seconds(60)))
        #expect(gate.notes.count { $0 == "radio.lapsed" } == 3)
        #expect(gate.counters.advertisingLapses == 4 && gate.counters.radioFailures == 1)
        #expect(gate.status.health.faults.map(\.code) == [.radioFailed] || gate.status.radio == .up)
        gate.run(for: .seconds(5))
        #expect(!gate.onAir.isEmpty && gate.status.health.faults.isEmpty)
    }

    /// If the controller's answer proves nothing, advertising is switched off and on from time to time.
    @Test func oneWhoseAnswerProvesNothing() throws {
        var controller = ControllerTraits()
        controller.guardsAddress = false
        controller.advertisingStops = [after(.seconds(21))]
        let gate = try TestGate(visits: [.test(arrival: .at(.seconds(21)))], controller: controller)
        let silences = silences(gate, from: .seconds(20), for: .seconds(30))
        #expect(silences.allSatisfy { $0 <= .seconds(10) })
        #expect(gate.run())
        #expect(gate.phoneOutcomes == [0: .accepted] && gate.counters.advertisingLapses == 0)
        #expect(gate.counters.radioFailures == 0 && gate.breaches == [])
    }

    /// The controller is reset before the transport is closed; if nothing helps, an adapter reset is
    /// requested, but not often.
    @Test func theLadder() throws {
        var controller = ControllerTraits()
        controller.hardwareError = (after(.seconds(20)), 1)
        let first = try TestGate(visits: [], controller: controller)
        first.run(for: .seconds(25))
        func times(of action: KioskAction, _ gate: TestGate) -> [Instant] {
            gate.trace.flatMap { turn in turn.actions.filter { $0 == action }.map { _ in turn.at } }
        }
        #expect(times(of: .closeTransport, first).isEmpty)
        #expect(first.status.radio == .up)
        var dead = ControllerTraits()
        dead.silentCommands = [.reset]
        let gate = try TestGate(visits: [], controller: dead)
        gate.run(for: .seconds(600))
        let asked = times(of: .resetAdapter, gate)
        #expect((3...5).contains(asked.count), "\(asked)")
        #expect(asked.first.map { $0 >= after(.seconds(10)) && $0 < after(.seconds(20)) } == true)
        for (one, next) in zip(asked, asked.dropFirst()) { #expect(one.duration(to: next) >= .seconds(60)) }
        #expect(gate.breaches == [])
    }

    /// A controller that cannot advertise during a connection is on the air again at once when the phone has
    /// left.
    @Test func onTheAirAfterAVisit() throws {
        var controller = ControllerTraits()
        controller.advertisesWhileConnected = false
        let visits = (0..<4).map { _ in Simulation.Visit.test(arrival: .afterPrevious(.seconds(1))) }
        let gate = try TestGate(visits: visits, controller: controller)
        for _ in visits {
            let left: (GateSimulation.Observation) -> Bool = { what in
                if case .phone(_, .disconnected) = what { true } else { false }
            }
            #expect(gate.run(until: left))
            gate.run(for: .milliseconds(100))
            #expect(gate.onAir.count == 1)
        }
        #expect(gate.breaches == [])
    }
}
