import Encoding
import Glibc
import Synchronization
import TestKit
import Testing

@testable import LinuxIO

/// Input lines: edges in order, lost edges, and chips that are unplugged and plugged in again.
@Suite("GPIO inputs", .timeLimit(.minutes(2)), .tags(.realTime))
struct GPIOInputTests {
    // MARK: - Edges and levels

    private func edge(_ index: Int, _ isActive: Bool, _ at: Int64, number: UInt32) -> NumberedEdge {
        NumberedEdge(edge: change(index, isActive, at), number: number)
    }

    private func change(_ index: Int, _ isActive: Bool, _ at: Int64) -> InputEdge {
        InputEdge(index: index, isActive: isActive, at: Instant(nanoseconds: at))
    }

    @Test("edges are reported once, in their order; a line without a report is inactive", .tags(.exact))
    func order() {
        var levels = InputLevels()
        let first = levels.take([
            edge(1, true, 10, number: 1), edge(0, true, 20, number: 2), edge(0, true, 25, number: 3),
            edge(2, false, 27, number: 4), edge(1, false, 30, number: 5),
        ])
        #expect(first.lost == 0)
        #expect(first.changes == [change(1, true, 10), change(0, true, 20), change(1, false, 30)])
        #expect(levels.take([edge(0, false, 40, number: 6)]).changes == [change(0, false, 40)])
    }

    @Test("missing numbers are counted, from the first one on, and levels fill the hole", .tags(.exact))
    func lost() {
        var levels = InputLevels()
        #expect(levels.take([edge(0, true, 10, number: 4), edge(0, false, 20, number: 7)]).lost == 5)
        #expect(levels.match(0b110, at: Instant(nanoseconds: 30)) == [change(1, true, 30), change(2, true, 30)])
        #expect(levels.match(0b110, at: Instant(nanoseconds: 40)).isEmpty)
        // After a new request the kernel's counter starts again; the levels that were reported stay valid.
        levels.restart()
        #expect(levels.match(0b010, at: Instant(nanoseconds: 50)) == [change(2, false, 50)])
        #expect(levels.take([edge(1, false, 60, number: 1)]).lost == 0)
        // The edge numbers have 32 bits.
        var long = InputLevels()
        _ = long.take([edge(0, true, 1, number: .max)])
        #expect(long.take([edge(0, false, 2, number: 0)]).lost == 0)
    }

    @Test("time does not run backwards, whatever a stamp says", .tags(.exact))
    func time() {
        var levels = InputLevels()
        _ = levels.match(1, at: Instant(nanoseconds: 100))
        #expect(levels.take([edge(0, false, 90, number: 1)]).changes == [change(0, false, 100)])
    }

    @Test("the kernel's stamps are instants of the clock that cores are driven by")
    func stamps() {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let before = SystemClock.now()
        let stamp = UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
        let found = SystemClock.instant(ofMonotonic: stamp)
        #expect(found <= SystemClock.now() && found.duration(to: before) < .seconds(1))
        #expect(SystemClock.instant(ofMonotonic: .max) <= SystemClock.now())
    }

    @Test("debouncing is brought within its bounds", .tags(.exact))
    func request() {
        let line = InputLine("GPIO5", activeLow: true, bias: .pullUp, debounce: .milliseconds(30)).line
        #expect(line == .init(name: "GPIO5", activeLow: true, bias: .pullUp, debounce: 30_000))
        #expect(InputLine("x", debounce: .zero).line.debounce == 1000)
        #expect(InputLine("x", debounce: .seconds(99)).line.debounce == 5_000_000)
    }

    // MARK: - The thread

    /// A chip of three lines, which may be unplugged.
    private final class Chip: Sendable {
        struct State {
            var levels: UInt64 = 0
            var waiting: [NumberedEdge] = []
            var number: UInt32 = 0
            var isGone = false
            var isHeld = false
            var told: [InputEdge] = []
            var news: [GPIOInputs.News] = []
            var requests = 0
        }

        final class Bank: InputBank {
            let chip: Chip
            init(_ chip: Chip) { self.chip = chip }

            var descriptors: [Int32] { [chip.descriptor ?? chip.counter.descriptor] }

            func edges() throws(GPIOError) -> [NumberedEdge] {
                let (edges, isGone) = chip.state.withLock { state in
                    defer { state.waiting.removeFirst(min(2, state.waiting.count)) }
                    if state.waiting.count <= 2 { chip.counter.clear() }
                    return (Array(state.waiting.prefix(2)), state.isGone)
                }
                if isGone { throw Chip.gone }
                return edges
            }

            func active() throws(GPIOError) -> UInt64 {
                let (levels, isGone) = chip.state.withLock { ($0.levels, $0.isGone) }
                if isGone { throw Chip.gone }
                return levels
            }

            func close() { chip.state.withLock { $0.isHeld = false } }
        }

        static let gone = GPIOError.failed(SystemError("reading edges", code: ENODEV))
        let state = Mutex(State())
        let counter: EventCounter

        let descriptor: Int32?

        /// `descriptor`: the file descriptor to wait for, in place of the counter's.
        init(descriptor: Int32? = nil) throws { (counter, self.descriptor) = (try EventCounter(), descriptor) }

        func take() throws(GPIOError) -> any InputBank {
            let isGone = state.withLock { state in
                state.requests += 1
                if !state.isGone { (state.isHeld, state.number, state.waiting) = (true, 0, []) }
                return state.isGone
            }
            if isGone { throw .noChip("sim", present: []) }
            return Bank(self)
        }

        /// Changes a line. The kernel's buffer keeps at most `room` edges.
        func change(_ index: Int, _ isActive: Bool, room: Int = .max) {
            state.withLock { state in
                state.levels = isActive ? state.levels | 1 << UInt64(index) : state.levels & ~(1 << UInt64(index))
                state.number += 1
                let edge = InputEdge(index: index, isActive: isActive, at: SystemClock.now())
                state.waiting.append(NumberedEdge(edge: edge, number: state.number))
                if state.waiting.count > room { state.waiting.removeFirst() }
            }
            if room == .max { counter.ring() }
        }

        func inputs(readBack: Duration = .seconds(60)) throws -> GPIOInputs {
            try GPIOInputs(
                onEdges: { edges in self.state.withLock { $0.told += edges } },
                onNews: { news in self.state.withLock { $0.news.append(news) } },
                retryAfter: .milliseconds(20), readBack: readBack
            ) { () throws(GPIOError) in try self.take() }
        }

        func waits(_ isTrue: (State) -> Bool) -> Bool { blocksUntil { isTrue(state.withLock { $0 }) } }

        var told: [String] { state.withLock { $0.told.map { "\($0.index)\($0.isActive ? "+" : "-")" } } }
    }

    @Test("lines that are active at the start are reported, then every edge; the lines are released at the end")
    func edges() throws {
        let chip = try Chip()
        chip.state.withLock { $0.levels = 0b100 }
        let inputs = try chip.inputs()
        #expect(chip.waits { $0.told.count == 1 })
        // All changes happen before the thread reads. Between two reads, a level could be reported before
        // older edges of another line.
        for isActive in [true, false, true, false, true] { chip.change(0, isActive, room: 6) }
        chip.change(2, false, room: 6)
        chip.counter.ring()
        #expect(chip.waits { $0.told.count == 7 })
        #expect(chip.told == ["2+", "0+", "0-", "0+", "0-", "0+", "2-"])
        let times = chip.state.withLock { $0.told.map(\.at) }
        #expect(times == times.sorted())
        #expect(chip.state.withLock { $0.news } == [.available])
        #expect(inputs.end(within: .seconds(30)))
        #expect(!chip.state.withLock { $0.isHeld })
    }

    @Test("edges that the kernel dropped are reported, and the levels are right all the same")
    func droppedEdges() throws {
        let chip = try Chip()
        let inputs = try chip.inputs()
        #expect(chip.waits { $0.news == [.available] })
        // Ten edges of one line and one of another occur before the thread reads; three are kept.
        chip.change(1, true, room: 3)
        for at in 0..<10 { chip.change(0, at % 2 == 0, room: 3) }
        chip.counter.ring()
        #expect(chip.waits { $0.news.count == 2 && $0.told.count >= 3 })
        #expect(chip.state.withLock { $0.news } == [.available, .lost(8)])
        #expect(Set(chip.told.suffix(1)) == ["1+"] && chip.told.dropLast().last == "0-")
        #expect(inputs.end(within: .seconds(30)))
    }

    @Test("a lost chip is reported once and requested again; changes meanwhile are reported when it is back")
    func comesBack() throws {
        let chip = try Chip()
        let inputs = try chip.inputs()
        chip.change(0, true)
        #expect(chip.waits { $0.told.count == 1 })
        chip.state.withLock { $0.isGone = true }
        chip.counter.ring()
        let absent = GPIOError.noChip("sim", present: [])
        #expect(chip.waits { $0.news.last == .unavailable(absent) && $0.requests > 5 })
        chip.state.withLock { ($0.isGone, $0.levels) = (false, 0b010) }
        #expect(chip.waits { $0.told.count == 3 })
        #expect(chip.told == ["0+", "0-", "1+"])
        chip.change(1, false)
        #expect(chip.waits { $0.told.count == 4 })
        #expect(
            chip.state.withLock { $0.news } == [.available, .unavailable(Chip.gone), .unavailable(absent), .available])
        #expect(inputs.end(within: .seconds(30)))
    }

    @Test("a chip lost without an event is found by reading its levels; so is a level without an edge")
    func readBack() throws {
        let chip = try Chip()
        let inputs = try chip.inputs(readBack: .milliseconds(20))
        #expect(chip.waits { $0.news == [.available] })
        chip.state.withLock { $0.levels = 0b001 }
        #expect(chip.waits { $0.told.count == 1 })
        chip.state.withLock { $0.isGone = true }
        #expect(chip.waits { $0.news.count >= 2 })
        #expect(inputs.end(within: .seconds(30)))
    }

    @Test("a chip of which only the wait says that it has gone is no busy loop")
    func hangUp() throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        close(ends[1])
        let chip = try Chip(descriptor: ends[0])
        let inputs = try chip.inputs()
        #expect(chip.waits { $0.requests > 3 })
        #expect(
            chip.state.withLock { $0.news }.contains(
                .unavailable(.failed(SystemError("waiting for edges", code: ENODEV)))))
        // The thread requests the lines at most once in 20 ms. Compare with the real time, which may be longer than the
        // sleep.
        let began = SystemClock.now()
        let before = chip.state.withLock { $0.requests }
        usleep(200_000)
        let requests = chip.state.withLock { $0.requests } - before
        #expect(requests <= Int(began.duration(to: SystemClock.now()) / .milliseconds(20)) + 1)
        #expect(inputs.end(within: .seconds(30)))
        close(ends[0])
    }

    @Test("an absent chip is no reason to throw: it is asked for until the end")
    func absent() throws {
        let chip = try Chip()
        chip.state.withLock { $0.isGone = true }
        let inputs = try chip.inputs()
        #expect(chip.waits { $0.requests > 2 })
        #expect(chip.state.withLock { $0.news } == [.unavailable(.noChip("sim", present: []))])
        #expect(inputs.end(within: .seconds(30)))
    }
}
