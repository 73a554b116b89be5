import Foundation
import LinuxIO
import Synchronization
import TestKit
import Testing

/// Threads for computations that may take too long.
@Suite(.timeLimit(.minutes(1)), .tags(.realTime)) struct WorkThreadsTests {
    @Test func noMoreThanThatManyRunAtATime() async throws {
        let (threads, gate, log) = (WorkThreads<Int>(name: "test-work", places: 2), Gate(), Recorder<Int>())
        for key in 0..<6 {
            threads.run(key) {
                log.add(key)
                gate.wait()
            }
        }
        try #require(await becomesTrue { log.count >= 2 })
        #expect(Set(log.all) == [0, 1])
        gate.open()
        try #require(await becomesTrue { log.count >= 6 })
        #expect(await threads.answer { 7 } == 7)
        #expect(threads.abandoned == 0)
    }

    @Test func abandonedWorkMakesRoom() async throws {
        let (threads, gate, log) = (WorkThreads<Int>(name: "test-work", places: 2), Gate(), Recorder<Int>())
        defer { gate.open() }
        // Each computation holds a place until its caller gives up.
        for key in 0..<WorkThreads<Int>.mostGivenUp - 1 {
            threads.run(key) {
                log.add(key)
                gate.wait()
            }
            try #require(await becomesTrue { log.count >= key + 1 })
            threads.giveUp(key)
        }
        #expect(threads.abandoned == WorkThreads<Int>.mostGivenUp - 1)
        #expect(await threads.answer { true })
        // Computations that have not begun are dropped.
        let held = Recorder<Int>()
        for key in [100, 101] {
            threads.run(key) {
                held.add(key)
                gate.wait()
            }
        }
        try #require(await becomesTrue { held.count >= 2 })
        threads.run(102) { log.add(102) }
        threads.giveUp(102)
        threads.giveUp(103)
        threads.giveUp(100)
        // Beyond the limit no computation begins, and the caller gets no answer.
        let answered = Recorder<Int>()
        threads.run(nil) { answered.add(1) }
        try await Task.sleep(for: .milliseconds(50))
        #expect(answered.all.isEmpty && threads.abandoned == WorkThreads<Int>.mostGivenUp)
        gate.open()
        try #require(await becomesTrue { answered.count >= 1 })
        #expect(await threads.answer { true })
        _ = await becomesTrue { threads.abandoned == 0 }
        #expect(threads.abandoned == 0 && !log.all.contains(102))
    }

    /// The system keeps stacks for the next thread, with their contents. The contents must be erased.
    @Test func noComputationLeavesItsStack() async throws {
        let threads = WorkThreads<Int>(name: "test-work", places: 1)
        let places = await threads.answer {
            // Deeper than any later call.
            var places: [UInt] = []
            Marks.leave(depth: 1500, &places)
            return (all: places, seen: places.count(where: Marks.areAt))
        }
        #expect(places.seen > 500, "what has returned can be read while the thread is there")
        _ = await becomesTrue { !places.all.contains(where: Marks.areAt) }
        #expect(places.all.count(where: Marks.areAt) == 0)
    }
}

/// Marker bytes on stacks.
private enum Marks {
    private static let byte: UInt8 = 0x4D
    private static let count = 256

    /// Writes marks on the stack, in as many nested frames as `depth`, and records their addresses. Nothing
    /// is called after the next frame, because that would overwrite the marks.
    @inline(never) static func leave(depth: Int, _ places: inout [UInt]) {
        let word = UInt64(byte) * 0x0101_0101_0101_0101
        let row = (word, word, word, word, word, word, word, word)
        var room = (row, row, row, row)
        places.append(withUnsafeMutableBytes(of: &room) { UInt(bitPattern: $0.baseAddress) })
        if depth > 1 { leave(depth: depth - 1, &places) }
    }

    /// Returns whether the marks are still there. Half of the bytes suffice, because later calls overwrite
    /// some.
    static func areAt(_ address: UInt) -> Bool {
        ProcessMemory().bytes(at: address, count: count).count { $0 == byte } > count / 2
    }
}

/// Blocks threads until it is opened.
private final class Gate: Sendable {
    private let isOpen = Mutex(false)

    func open() { isOpen.withLock { $0 = true } }

    func wait() { while !isOpen.withLock({ $0 }) { usleep(1000) } }
}
