import LinuxIO
import Testing

@testable import Appliance

/// One output at a time, and none when it is over.
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
        let gate = try SoundGate(more: "", display: "kind = \"none\"")
        let steps = OutputTrial.steps(gate.configuration)
        #expect(steps.map(\.output.name) == ["GPIO22", "GPIO17"] && steps.map(\.isGate) == [false, true])
        #expect(steps.map(\.name) == ["the blue lamp", "the gate's relay"])
        #expect(steps[1].time == .milliseconds(200) && steps[1].times == 1)
    }

    @Test func oneAtATimeAndThenNone() throws {
        let steps = OutputTrial.steps(try SoundGate().configuration)
        let bank = Bank()
        var waits: [Duration] = []
        let trial = OutputTrial(bank) { waits.append($0) }
        for step in steps { try trial.play(step) }
        let lamp: [Set<String>] = [["GPIO22"], []]
        #expect(bank.history == lamp + lamp + lamp + [["GPIO17"], []])
        #expect(waits.last == .milliseconds(200) && waits.count == 6)
    }

    @Test func whateverFailsTheLinesAreInactive() throws {
        let relay = try #require(OutputTrial.steps(try SoundGate().configuration).last)
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
