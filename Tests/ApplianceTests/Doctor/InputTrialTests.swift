import Administration
import Encoding
import Kiosk
import Reasons
import Synchronization
import TestKit
import Testing

@testable import Commissioning
@testable import LinuxIO

/// The trial of one input after another: at rest, active, at rest again, each within its time.
@Suite struct InputTrialTests {
    private static let inputs = """
        [[door.input]]
        use = "request-to-exit"
        line = "GPIO26"
        [[door.input]]
        use = "contact"
        line = "GPIO20"
        bias = "none"
        debounce = "50ms"
        """
    private let steps: [InputTrial.Step]
    private let start = Instant(nanoseconds: 1_000_000_000)

    init() throws { steps = InputTrial.steps(try HealthyGate(more: Self.inputs).configuration) }

    private func after(_ seconds: Int) -> Instant { start.advanced(by: .seconds(seconds)) }

    private func edge(_ index: Int, _ isActive: Bool, at seconds: Int) -> InputEdge {
        InputEdge(index: index, isActive: isActive, at: after(seconds))
    }

    @Test func stepsFollowTheConfiguration() throws {
        #expect(steps.map(\.use) == [.request, .contact] && steps.map(\.line.name) == ["GPIO26", "GPIO20"])
        #expect(steps.map(\.line.activeLow) == [true, false] && steps.map(\.line.bias) == [.pullUp, .off])
        #expect(steps[1].line.debounce == .milliseconds(50))
        // The level at the pin in words: a button's contact closes to ground, a door's contact opens.
        #expect(steps.map { $0.level(false) } == ["high", "low"] && steps.map { $0.level(true) } == ["low", "high"])
        #expect(steps[0].name == "request-to-exit, GPIO26" && steps[0].task.contains("press the button"))
        #expect(Set(DoorInput.allCases.map { InputTrial.Step(use: $0, line: InputLine("x")).task }).count == 5)
        #expect(InputTrial.steps(try HealthyGate().configuration).isEmpty)
    }

    @Test func pressedAndLetGo() {
        var trial = InputTrial(steps, at: 0, active: [], at: start)
        #expect(trial.finding == nil && trial.deadline == after(30))
        trial.handle([edge(0, true, at: 20)], at: after(20))
        // An active input gets its full time again.
        #expect(trial.finding == nil && trial.deadline == after(50))
        trial.handle([edge(0, false, at: 40)], at: after(40))
        // Whether the input was active only once is known a moment later.
        #expect(trial.finding == nil && trial.deadline == after(41))
        trial.advance(to: after(41))
        #expect(trial.finding?.state == .good)
        #expect(trial.finding?.detail == "request-to-exit, GPIO26: high at rest, low when active")
        // A quick press, whose two edges arrive together. Later edges change nothing.
        var quick = InputTrial(steps, at: 1, active: [], at: start)
        quick.handle([edge(1, true, at: 1), edge(1, false, at: 1)], at: after(1))
        quick.advance(to: after(2))
        quick.handle([edge(1, true, at: 3)], at: after(3))
        quick.advance(to: after(99))
        #expect(quick.finding?.state == .good)
        // If the person skips the input with Enter right after the press, the result is kept.
        var hasty = InputTrial(steps, at: 1, active: [], at: start)
        hasty.handle([edge(1, true, at: 1), edge(1, false, at: 1)], at: after(1))
        hasty.skip()
        #expect(hasty.finding?.state == .good)
    }

    /// A light barrier that reports one person twice, a button that bounces, a wire that picks up hum.
    @Test func moreThanOnce() {
        var twice = InputTrial(steps, at: 0, active: [], at: start)
        twice.handle([edge(0, true, at: 1), edge(0, false, at: 1)], at: after(1))
        twice.handle([edge(0, true, at: 1), edge(0, false, at: 1)], at: after(1))
        twice.advance(to: after(2))
        #expect(twice.finding?.code == "door.input" && twice.finding?.state == .warning)
        #expect(twice.finding?.detail == "request-to-exit, GPIO26: it became active 2 times instead of once")
        var hum = InputTrial(steps, at: 0, active: [], at: start)
        for second in 1...39 { hum.handle([edge(0, second % 2 == 1, at: second / 2)], at: after(second / 2)) }
        hum.advance(to: after(30))
        #expect(hum.finding?.code == "door.input")
    }

    @Test func activeAtRestIsTheWrongWayRound() {
        let trial = InputTrial(steps, at: 1, active: [1], at: start)
        #expect(trial.finding?.code == "box.input-active" && trial.finding?.state == .bad)
        #expect(trial.finding?.detail == "contact, GPIO20: its line is high, which is its active level")
        #expect(trial.finding?.remedy?.contains("active") == true)
        // An active level of another input does not matter.
        #expect(InputTrial(steps, at: 0, active: [1], at: start).finding == nil)
    }

    @Test func nothingComes() {
        var trial = InputTrial(steps, at: 0, active: [], at: start)
        trial.advance(to: after(30).advanced(by: .nanoseconds(-1)))
        #expect(trial.finding == nil)
        trial.advance(to: after(30))
        #expect(trial.finding?.code == "box.input-unseen" && trial.finding?.state == .bad)
        #expect(trial.finding?.detail == "request-to-exit, GPIO26: it stayed at rest (high)")
        #expect([trial.finding].compactMap(\.self).exitCode == 2)
        var stuck = InputTrial(steps, at: 0, active: [], at: start)
        stuck.handle([edge(0, true, at: 5)], at: after(5))
        stuck.advance(to: after(35))
        #expect(stuck.finding?.code == "box.input-unseen")
        #expect(stuck.finding?.detail.contains("it stayed active (low)") == true)
    }

    /// Exchanged wires: a person presses the button, and the door contact's line changes.
    @Test func anotherMovesInItsPlace() {
        var trial = InputTrial(steps, at: 0, active: [], at: start)
        let noise = [edge(1, true, at: 1), edge(1, false, at: 1), edge(1, true, at: 2), edge(7, true, at: 2)]
        trial.handle(noise, at: after(2))
        #expect(trial.finding == nil)
        trial.advance(to: after(30))
        #expect(trial.finding?.code == "box.input-unseen")
        #expect(trial.finding?.detail.contains("this one changed instead: contact, GPIO20") == true)
        // A person who opens the door passes the light barrier, too.
        var both = InputTrial(steps, at: 0, active: [], at: start)
        both.handle([edge(1, true, at: 1), edge(0, true, at: 2), edge(0, false, at: 3)], at: after(3))
        both.advance(to: both.deadline)
        #expect(both.finding?.state == .good)
    }

    @Test func skippedOrNeverTried() {
        var trial = InputTrial(steps, at: 0, active: [], at: start)
        trial.skip()
        #expect(trial.finding?.state == .unknown && trial.finding?.code == nil && trial.finding?.remedy != nil)
        // Skipped while it is active, which needs attention.
        var held = InputTrial(steps, at: 0, active: [], at: start)
        held.handle([edge(0, true, at: 1)], at: after(1))
        held.skip()
        #expect(held.finding?.code == "box.input-active" && held.finding?.state == .warning)
        let rest = InputTrial.untried(steps[0], isActive: false)
        #expect(rest.state == .unknown && rest.detail == "request-to-exit, GPIO26: high at rest, not tried")
        #expect(InputTrial.untried(steps[0], isActive: nil).detail == "request-to-exit, GPIO26: not tried")
        // There is no evidence that the door is shut.
        let open = InputTrial.untried(steps[1], isActive: true)
        #expect(open.state == .warning && open.code == "box.input-active" && [open].exitCode == 1)
    }

    @Test func linesThatGo() {
        var trial = InputTrial(steps, at: 0, active: [], at: start)
        trial.fail(.noChip("no-such-chip", present: []))
        #expect(trial.finding?.code == "gpio.no-chip" && trial.finding?.detail.hasPrefix("request-to-exit") == true)
        // Later edges do not remove the finding.
        trial.handle([edge(0, true, at: 1), edge(0, false, at: 1)], at: after(1))
        #expect(trial.finding?.code == "gpio.no-chip")
    }

    // MARK: - The input lines

    /// The lines of a test: the descriptor of a pipe, the levels, and the edges to report.
    private final class Bank: InputBank, Sendable {
        struct State {
            var active: UInt64 = 0
            var edges: [NumberedEdge] = []
            var number: UInt32 = 0
            var isGone = false
        }
        let state = Mutex(State())
        let counter: EventCounter

        init(active: UInt64) throws {
            counter = try EventCounter()
            state.withLock { $0.active = active }
        }

        func set(_ index: Int, _ isActive: Bool) {
            state.withLock { state in
                state.number += 1
                state.active = isActive ? state.active | 1 << UInt64(index) : state.active & ~(1 << UInt64(index))
                let edge = InputEdge(index: index, isActive: isActive, at: SystemClock.now())
                state.edges.append(NumberedEdge(edge: edge, number: state.number))
            }
            counter.ring()
        }

        var descriptors: [Int32] { [counter.descriptor] }
        func edges() throws(GPIOError) -> [NumberedEdge] {
            counter.clear()
            return state.withLock { state in
                defer { state.edges = [] }
                return state.edges
            }
        }
        func active() throws(GPIOError) -> UInt64 {
            let (active, isGone) = state.withLock { ($0.active, $0.isGone) }
            if isGone { throw .failed(SystemError("reading lines", code: 19)) }
            return active
        }
        func close() {}
    }

    private func watch(_ bank: Bank) throws -> InputWatch {
        try InputWatch { (onEdges, onNews) throws(SystemError) in
            try GPIOInputs(
                onEdges: onEdges, onNews: onNews, retryAfter: .milliseconds(20), readBack: .milliseconds(20)
            ) { () throws(GPIOError) in
                _ = try bank.active()
                return bank
            }
        }
    }

    /// Waits until `isSo`, for ten seconds at most; returns whether it became true.
    @Test(.tags(.realTime)) func changesOfLinesWaitForTheReader() async throws {
        let bank = try Bank(active: 0b10)
        let watch = try watch(bank)
        defer { watch.end(within: .seconds(5)) }
        #expect(try await becomesTrue { try watch.isThere() && watch.active == [1] })
        _ = try watch.edges()
        bank.set(0, true)
        bank.set(0, false)
        var trial = InputTrial(steps, at: 0, active: watch.active, at: SystemClock.now())
        #expect(
            try await becomesTrue {
                trial.handle(try watch.edges(), at: SystemClock.now())
                return trial.finding != nil
            })
        #expect(trial.finding?.state == .good)
        bank.state.withLock { $0.isGone = true }
        #expect(
            await becomesTrue {
                do throws(GPIOError) {
                    _ = try watch.edges()
                    return false
                } catch { return error.cause == .gpioCall }
            })
    }

    @Test(.tags(.realTime)) func linesThatAreNotThere() async throws {
        let bank = try Bank(active: 0)
        bank.state.withLock { $0.isGone = true }
        let watch = try watch(bank)
        defer { watch.end(within: .seconds(5)) }
        #expect(
            await becomesTrue {
                do throws(GPIOError) { return try watch.isThere() } catch { return error.cause == .gpioCall }
            })
        // The lines are available again.
        bank.state.withLock { $0.isGone = false }
        #expect(await becomesTrue { (try? watch.isThere()) == true })
    }
}
