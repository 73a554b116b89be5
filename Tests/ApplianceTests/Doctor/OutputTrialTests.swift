import Commissioning
import LinuxIO
import Testing

/// One active output at a time, and none at the end.
@Suite struct OutputTrialTests {
    private final class Bank: LineBank {
        var history: [Set<String>] = []
        var failsAt: Int?
        var stuck: Set<String> = []

        func set(active names: Set<String>) throws(GPIOError) {
            history.append(names)
            if history.count == failsAt { throw .failed(SystemError("setting lines", code: 5)) }
        }
        func active() throws(GPIOError) -> Set<String> { stuck.union(history.last ?? []) }
        func close() {}
    }

    @Test func stepsFollowTheConfiguration() throws {
        let gate = try HealthyGate(more: "", display: "kind = \"none\"")
        let steps = OutputTrial.steps(gate.configuration)
        #expect(steps.map(\.output.name) == ["GPIO22", "GPIO17"] && steps.map(\.isGate) == [false, true])
        #expect(steps.map(\.name) == ["the blue lamp", "the gate's relay"])
        #expect(steps[1].time == .milliseconds(200) && steps[1].times == 1)
    }

    @Test func oneAtATimeAndThenNone() throws {
        let steps = OutputTrial.steps(try HealthyGate().configuration)
        let bank = Bank()
        var waits: [Duration] = []
        let trial = OutputTrial(bank) { waits.append($0) }
        for step in steps { try trial.play(step) }
        let lamp: [Set<String>] = [["GPIO22"], []]
        #expect(bank.history == lamp + lamp + lamp + [["GPIO17"], []])
        #expect(waits.last == .milliseconds(200) && waits.count == 6)
    }

    @Test func aControllerGetsItsCardBitByBit() throws {
        let more = "[wiegand]\ndata0 = \"GPIO20\"\ndata1 = \"GPIO21\"\nfacility = 90\ncard = 324\n"
        let steps = OutputTrial.steps(try HealthyGate(more: more).configuration)
        #expect(steps.map(\.lines) == ["GPIO22", "GPIO20 and GPIO21", "GPIO17"])
        #expect(steps.map(\.task) == ["3 times", "one card", "one pulse of 0.2 seconds"])
        let bank = Bank()
        try OutputTrial(bank) { _ in }.play(steps[1])
        let wires = bank.history.filter { !$0.isEmpty }.map { $0 == ["GPIO21"] ? "1" : $0 == ["GPIO20"] ? "0" : "?" }
        #expect(wires.joined() == "00101101000000001010001000")
        #expect(bank.history.count == 52 && bank.history.last == [])
    }

    /// Free passage moves the gate: the person at the gate is asked before, and it moves once.
    @Test func freePassageIsNoLamp() throws {
        let more = "[door]\nfreeLine = \"GPIO13\"\n"
        let steps = OutputTrial.steps(try HealthyGate(more: more).configuration)
        #expect(steps.map(\.output.name) == ["GPIO22", "GPIO13", "GPIO17"])
        #expect(steps.map(\.name) == ["the blue lamp", "the output for free passage", "the gate's relay"])
        #expect(steps.map(\.isGate) == [false, true, true])
        #expect(steps[1].time == .milliseconds(200) && steps[1].times == 1)
        let wires = "[wiegand]\ndata0 = \"GPIO20\"\ndata1 = \"GPIO21\"\nfacility = 90\ncard = 324\n"
        let all = OutputTrial.steps(try HealthyGate(more: more + wires).configuration)
        #expect(all.map(\.key) == ["indicator.blue", "wiegand", "door.freeLine", "gate.line"])
    }

    @Test func whateverFailsTheLinesAreInactive() throws {
        let relay = try #require(OutputTrial.steps(try HealthyGate().configuration).last)
        let bank = Bank()
        bank.failsAt = 1
        #expect(throws: GPIOError.self) { try OutputTrial(bank) { _ in }.play(relay) }
        #expect(bank.history.last == [])
        let stuck = Bank()
        stuck.stuck = ["GPIO17"]
        let error = #expect(throws: GPIOError.self) { try OutputTrial(stuck) { _ in }.play(relay) }
        #expect(error == .active(["GPIO17"]))
        #expect(OutputTrial.finding(relay, try #require(error)).code == "gpio.active")
        #expect(OutputTrial.finding(relay, .wrong).code == "box.output-unseen")
        #expect(
            OutputTrial.finding(relay, .right).state == .good && OutputTrial.finding(relay, .none).state == .unknown)
    }
}
