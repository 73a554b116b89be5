import Clocks
import Encoding
import Synchronization
import Testing
import VirtualKit

/// Services on virtual time: everything that is due at an instant is done before the next instant, in an order that the
/// seed decides.
@Suite struct VirtualTimeTests {
    private static func seconds(_ time: VirtualTime) -> Int64 { time.now.nanoseconds / 1_000_000_000 }

    /// Returns the order in which four tasks take their turns, with an hour of sleep in between.
    private func order(_ seed: UInt64) throws -> String {
        try VirtualTime.run(seed: seed) { time in
            let order = Mutex("")
            let tasks = ["a", "b", "c", "d"].map { name in
                time.spawner.start(name) {
                    for turn in 0..<4 {
                        order.withLock { $0 += name }
                        await Task.yield()
                        if turn == 1 { try? await time.clock.sleep(for: .seconds(3600)) }
                    }
                }
            }
            for task in tasks { await task.value }
            #expect(Self.seconds(time) == 4600)
            return order.withLock { $0 }
        }
    }

    @Test func theSeedDecidesTheOrder() throws {
        let orders = try (1...20).map { try order($0) }
        #expect(try (1...20).map { try order($0) } == orders)
        #expect(Set(orders).count > 10)
    }

    @Test func eachPartSeesTheSameTimeAndDate() throws {
        try VirtualTime.run { time in
            let (instant, date) = (time.clock.now(), time.clock.utc())
            try await time.clock.sleep(until: instant.advanced(by: .milliseconds(1500)))
            #expect(instant.duration(to: time.clock.now()) == .milliseconds(1500))
            #expect(date.advanced(by: .milliseconds(1500)) == time.clock.utc())
            try await time.clock.sleep(until: instant)
            #expect(instant.duration(to: time.now) == .milliseconds(1500), "an instant that has passed")
        }
    }

    @Test func aCancelledSleepEndsAtOnce() throws {
        try VirtualTime.run { time in
            let sleeping = time.spawner.start("a long sleep") {
                await #expect(throws: CancellationError.self) { try await time.clock.sleep(for: .seconds(86_400)) }
            }
            try await time.clock.sleep(for: .seconds(1))
            sleeping.cancel()
            await sleeping.value
            #expect(Self.seconds(time) == 1001)
        }
    }

    /// The remaining tasks of a run end with the run.
    @Test func sleepingTasksAreCancelledAtTheEnd() throws {
        let ends = Mutex<[String]>([])
        try VirtualTime.run { time in
            for seconds in [60, 3600] {
                time.spawner.start("a task that is left behind") {
                    do { try await time.clock.sleep(for: .seconds(seconds)) } catch {
                        ends.withLock { $0.append("\(seconds) cancelled at \(Self.seconds(time))") }
                    }
                }
            }
            try await time.clock.sleep(for: .seconds(30))
        }
        #expect(ends.withLock { $0 } == ["60 cancelled at 1030", "3600 cancelled at 1030"])
    }

    /// A run that cannot end, or whose order does not depend only on the seed, fails.
    @Test func aRunThatCannotEndFails() throws {
        struct Problem: Error, Equatable {}
        #expect(throws: Problem()) { try VirtualTime.run { _ in throw Problem() } }
        let (endless, end) = AsyncStream.makeStream(of: Void.self)
        #expect(throws: VirtualTime.Failure.stuck) { try VirtualTime.run { _ in for await _ in endless {} } }
        end.finish()
        #expect(throws: VirtualTime.Failure.endless) {
            try VirtualTime.run(jobs: 1000) { time in
                await Periodic(every: .seconds(1), by: time.clock).run { _ in }
            }
        }
    }

    // MARK: - Periodic services

    @Test func aPeriodBeginsAtOnceAndPausesAfterEachTurn() throws {
        try VirtualTime.run { time in
            let turns = Mutex<[Int64]>([])
            let service = time.spawner.start("a service") {
                await Periodic(every: .seconds(5), by: time.clock).run { now in
                    #expect(now == time.now)
                    turns.withLock { $0.append(Self.seconds(time)) }
                    try? await time.clock.sleep(for: .seconds(2))
                }
            }
            try await time.clock.sleep(for: .seconds(17))
            service.cancel()
            await service.value
            #expect(turns.withLock { $0 } == [1000, 1007, 1014])
        }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>) func anAlarmRingsOnceAndNeverAfterTheWork(seed: UInt64) throws {
        try VirtualTime.run(seed: seed) { time in
            let rings = Mutex(0)
            func work(_ seconds: Int64, alarm: Int64?) async -> Int {
                rings.withLock { $0 = 0 }
                let deadline = alarm.map { time.now.advanced(by: .seconds($0)) }
                let result = await time.clock.alarm(at: deadline, ring: { rings.withLock { $0 += 1 } }) {
                    try? await time.clock.sleep(for: .seconds(seconds))
                    return 7
                }
                #expect(result == 7)
                let count = rings.withLock { $0 }
                try? await time.clock.sleep(for: .seconds(3600))
                #expect(rings.withLock { $0 } == count)
                return count
            }
            #expect(await work(5, alarm: 3) == 1)
            #expect(await work(3, alarm: 5) == 0)
            #expect(await work(3, alarm: nil) == 0)
        }
    }
}
