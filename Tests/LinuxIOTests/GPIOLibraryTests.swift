import CGPIO
import Encoding
import FakeGPIOD
import Foundation
import Synchronization
import TestKit
import Testing

@testable import LinuxIO

/// Both generations of libgpiod on a simulated chip in memory, and the version that is installed on this
/// machine.
@Suite("libgpiod", .serialized, .timeLimit(.minutes(2)))
struct GPIOLibraryTests {
    /// A chip of that library, with a device node to open.
    private final class Board {
        let library: GPIOLibrary
        private let folder: TestFolder

        init(generation: Int32) throws {
            fake_reset()
            folder = try TestFolder()
            try Data().write(to: URL(fileURLWithPath: folder.path + "/gpiochip0"))
            let made = GPIOLibraryTests.load(generation)
            library = GPIOLibrary(try #require(made.library), folder: folder.path)
        }

        func outputs(_ outputs: [GPIOLines.Output]) throws(GPIOError) -> GPIOLines {
            try GPIOLines(chip: "fake", outputs, library: library)
        }
    }

    private static func load(_ generation: Int32) -> (library: OpaquePointer?, why: String) {
        var (generation, why, library): (Int32, CText, OpaquePointer?) = (generation, CText(room: CGPIO_WHY_SIZE), nil)
        let wanted = generation
        why.fill { why in
            withUnsafeMutablePointer(to: &generation) { library = cgpio_load_with(wanted, fake_find, $0, why) }
        }
        return (library, why.text)
    }

    /// Returns the time so many milliseconds before now, on the clock of the kernel's timestamps.
    private static func stamp(_ before: Int64) -> UInt64 {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return UInt64(Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec) - before * 1_000_000)
    }

    // MARK: - Loading

    @Test("the library that is installed has every function that is used")
    func installed() throws {
        let library = try GPIOLibrary.loaded()
        #expect(library.name.hasPrefix(library.debounces ? "libgpiod 2." : "libgpiod 1."))
    }

    @Test("a missing library is a typed error that says which were looked for, and what to install")
    func missing() throws {
        let error = #expect(throws: GPIOError.self) {
            try GPIOLibrary.load([("libgpiod-none.so.3", 2), ("libgpiod-none.so.2", 1)])
        }
        guard case .noLibrary(let reasons) = error else { throw Missing(error: error) }
        #expect(reasons.contains("libgpiod-none.so.3") && reasons.contains("libgpiod-none.so.2"))
        #expect(
            error?.remedy.contains("apt-get install libgpiod2") == true && error?.remedy.contains("libgpiod3") == true)
    }

    private struct Missing: Error { let error: GPIOError? }

    @Test("a library without one of the functions is not taken", arguments: [1, 2] as [Int32])
    func incomplete(_ generation: Int32) {
        let name = generation == 1 ? "gpiod_line_set_value_bulk" : "gpiod_line_request_set_values"
        let found = name.withCString { name in
            fake_withhold(name)
            return Self.load(generation)
        }
        fake_withhold(nil)
        #expect(found.library == nil && found.why == "it has no function \(name)")
        #expect(Self.load(generation).library != nil)
    }

    // MARK: - Lines

    @Test("chips and lines are listed with their holders, and nothing stays open", arguments: [1, 2] as [Int32])
    func chips(_ generation: Int32) throws {
        let board = try Board(generation: generation)
        fake_hold(3, true)
        let found = GPIOChips.list(board.library)
        #expect(found.forbidden.isEmpty && found.chips.map(\.label) == ["fake"])
        #expect(found.chips.first?.lines == (0..<Int(FAKE_LINES)).map { "GPIO\($0)" })
        #expect(found.chips.first?.holders == [nil, nil, nil, "another", nil, nil, nil, nil])
        #expect(fake_open() == 0)
    }

    @Test(
        "outputs of either polarity are inactive when they are taken, change in one step, and are inactive at the end",
        arguments: [1, 2] as [Int32])
    func outputs(_ generation: Int32) throws {
        let board = try Board(generation: generation)
        let lines = try board.outputs([
            .init("GPIO5", activeLow: true), .init("GPIO1"), .init("GPIO2", activeLow: true),
        ])
        #expect([5, 1, 2].map { fake_level($0) } == [true, false, true])
        #expect(try lines.active() == [])
        try lines.set(active: ["GPIO5", "GPIO1"])
        #expect([5, 1, 2].map { fake_level($0) } == [false, true, true])
        #expect(try lines.active() == ["GPIO5", "GPIO1"] && fake_sets() == 1)
        #expect(fake_holder(1).map { String(cString: $0) } == "gatehouse")
        lines.close()
        lines.close()
        #expect([5, 1, 2].map { fake_level($0) } == [true, false, true])
        #expect(fake_holder(1) == nil && fake_open() == 0)
        #expect(throws: GPIOError.self) { try lines.set(active: ["GPIO1"]) }
    }

    @Test(
        "lines of another, absent lines and a chip that goes are distinct errors; a failure leaves nothing open",
        arguments: [1, 2] as [Int32])
    func failures(_ generation: Int32) throws {
        let board = try Board(generation: generation)
        fake_hold(3, true)
        #expect(throws: GPIOError.busy(chip: "fake")) { try board.outputs([.init("GPIO2"), .init("GPIO3")]) }
        #expect(throws: GPIOError.busy(chip: "fake")) {
            try GPIOInputBank(
                chip: "fake", [InputLine("GPIO2"), InputLine("GPIO3")], consumer: "in", library: board.library)
        }
        let absent = #expect(throws: GPIOError.self) { try board.outputs([.init("GPIO9")]) }
        if case .noLine("GPIO9", _, _) = absent {} else { Issue.record("\(String(describing: absent))") }
        #expect(fake_open() == 0 && fake_holder(2) == nil)
        let lines = try board.outputs([.init("GPIO2")])
        fake_go(true)
        let gone = #expect(throws: GPIOError.self) { try lines.set(active: ["GPIO2"]) }
        #expect(gone?.isGone == true)
        #expect(throws: GPIOError.noChip("fake", present: [])) { try board.outputs([.init("GPIO4")]) }
        fake_go(false)
        lines.close()
        #expect(fake_open() == 0)
    }

    @Test("a pulse asks for no memory", arguments: [1, 2] as [Int32])
    func memory(_ generation: Int32) throws {
        let board = try Board(generation: generation)
        let lines = try board.outputs([.init("GPIO4"), .init("GPIO5", activeLow: true)])
        let request = try #require(lines.request.request)
        let pulse = Allocations.made(ofAtLeast: 1) { cgpio_set(request, 0b11) | cgpio_set(request, 0) }
        #expect(pulse.value == 0 && pulse.blocks == 0 && fake_sets() == 2)
    }

    @Test("a crash sets the relay's lines inactive, once, and then takes its course", arguments: [1, 2] as [Int32])
    func crash(_ generation: Int32) throws {
        let board = try Board(generation: generation)
        let relay = try board.outputs([.init("GPIO4")])
        #expect(fake_crash(SIGUSR1) == 0)
        relay.releaseAtCrash()
        for signal in [SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE, SIGTRAP, SIGSYS] { #expect(fake_crash(signal) == 1) }
        relay.close()
        // Lines that were released are no longer set.
        #expect(fake_crash(SIGSEGV) == 0)
        // Of two relays the later one counts; releasing the earlier one changes nothing.
        let (first, second) = (try board.outputs([.init("GPIO4")]), try board.outputs([.init("GPIO5")]))
        first.releaseAtCrash()
        second.releaseAtCrash()
        first.close()
        #expect(fake_crash(SIGSEGV) == 1)
        second.close()
        #expect(fake_crash(SIGSEGV) == 0 && fake_open() == 0)
    }

    // MARK: - Inputs

    @Test(
        "inputs are taken as they are wanted; their edges come in the order of their times",
        arguments: [1, 2] as [Int32])
    func edges(_ generation: Int32) throws {
        let board = try Board(generation: generation)
        fake_drive(6, true, 0)
        let lines = [
            InputLine("GPIO7", bias: .pullDown, debounce: .milliseconds(5)),
            InputLine("GPIO6", activeLow: true, bias: .pullUp),
            InputLine("GPIO0", bias: .off),
        ]
        let bank = try GPIOInputBank(chip: "fake", lines, consumer: "in", library: board.library)
        #expect([7, 6, 0].map { fake_bias($0) } == [2, 1, 3] && fake_is_active_low(6) && !fake_is_active_low(7))
        // Where the kernel does not debounce, the bank debounces itself.
        #expect([7, 6].map { fake_debounce($0) } == (generation == 2 ? [5000, 20_000] : [0, 0]))
        #expect(bank.descriptors.count == (generation == 2 ? 1 : 3))
        #expect(try bank.active() == 0 && bank.edges().isEmpty && bank.until == nil)
        // The times are in the past, so that each level has lasted long enough.
        fake_drive(6, false, Self.stamp(3000))
        fake_drive(7, true, Self.stamp(2000))
        fake_drive(6, true, Self.stamp(1000))
        let found = try bank.edges()
        #expect(found.map { "\($0.edge.index)\($0.edge.isActive ? "+" : "-")" } == ["1+", "0+", "1-"])
        #expect(found.map(\.number) == [1, 2, 3])
        #expect(found.map(\.edge.at) == found.map(\.edge.at).sorted())
        #expect(try bank.active() == 0b001 && bank.edges().isEmpty)
        fake_go(true)
        #expect(throws: GPIOError.self) { try bank.edges() }
        #expect(throws: GPIOError.self) { try bank.active() }
        fake_go(false)
        bank.close()
        #expect(fake_open() == 0)
    }

    @Test("with libgpiod 1.6 a contact that bounces is one edge, and a blip is none")
    func bounce() throws {
        let board = try Board(generation: 1)
        let line = InputLine("GPIO6", debounce: .milliseconds(20))
        let bank = try GPIOInputBank(chip: "fake", [line], consumer: "in", library: board.library)
        fake_drive(6, true, Self.stamp(900))
        fake_drive(6, false, Self.stamp(890))
        #expect(try bank.edges().isEmpty && bank.active() == 0)
        let last = Self.stamp(500)
        for bounce in 0...10 { fake_drive(6, bounce % 2 == 0, last - UInt64(10 - bounce) * 5_000_000) }
        let found = try bank.edges()
        #expect(found.map(\.edge.isActive) == [true] && found.map(\.number) == [1])
        // The time of the edge is the end of the time for which the level had to hold.
        let at = SystemClock.instant(ofMonotonic: last + 20_000_000)
        #expect(found.allSatisfy { abs($0.edge.at.duration(to: at).nanoseconds) < 5_000_000 })
        // More edges than the kernel keeps, and the last of them has the wrong direction: the level that is
        // read counts.
        for bounce in 0..<41 { fake_drive(6, bounce % 2 == 1, Self.stamp(300)) }
        #expect(try bank.edges().isEmpty && bank.until == nil)
        #expect(try bank.active() == 1 && bank.until != nil)
    }

    @Test("with libgpiod 1.6 the thread reports a change that has lasted, though no edge comes", .tags(.realTime))
    func thread() throws {
        let board = try Board(generation: 1)
        let library = board.library
        let told = Mutex<[InputEdge]>([])
        let inputs = try GPIOInputs(
            onEdges: { edges in told.withLock { $0 += edges } }, onNews: { _ in }, retryAfter: .milliseconds(20),
            readBack: .seconds(60)
        ) { () throws(GPIOError) in
            try GPIOInputBank(
                chip: "fake", [InputLine("GPIO6", debounce: .milliseconds(30))], consumer: "in", library: library)
        }
        #expect(blocksUntil { fake_holder(6) != nil })
        for level in [true, false, true] { fake_drive(6, level, Self.stamp(0)) }
        #expect(blocksUntil { !told.withLock { $0.isEmpty } })
        #expect(told.withLock { $0.map(\.isActive) } == [true])
        #expect(inputs.end(within: .seconds(30)) && fake_holder(6) == nil)
    }
}
