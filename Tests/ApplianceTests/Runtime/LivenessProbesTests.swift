import Clocks
import Encoding
import GateService
import Synchronization
import Testing
import VirtualKit

/// The watch over the parts that every visit needs.
@Suite("Signs of life") struct LivenessProbesTests {
    @Test(
        "a part that does not answer is told, waited for, and told again when it does",
        arguments: 1...20 as ClosedRange<UInt64>)
    func stuck(seed: UInt64) throws {
        try VirtualTime.run(seed: seed) { time in
            let told = Mutex<[String?]>([])
            let signs = LivenessProbes(
                [
                    .init("quick", by: time.clock, time.spawner) { true },
                    .init("slow", by: time.clock, time.spawner) {
                        try? await time.clock.sleep(for: .seconds(12))
                        return true
                    },
                ], stuck: { part in told.withLock { $0.append(part) } })
            let began = time.now
            async let isWell = signs.wait()
            try await time.clock.sleep(for: LivenessProbes.limit * 2 + .seconds(1))
            #expect(told.withLock { $0 } == ["slow"], "once")
            #expect(await isWell)
            #expect(told.withLock { $0 } == ["slow", nil] && began.duration(to: time.now) == .seconds(12))
        }
    }

    @Test("a part that reports that it does not work gives no sign; no caller waits after the end")
    func wrong() throws {
        try VirtualTime.run { time in
            let told = Mutex<[String?]>([])
            let signs = LivenessProbes(
                [
                    .init("a", by: time.clock, time.spawner) { false },
                    .init("b", by: time.clock, time.spawner) { true },
                ]) { _ in }
            #expect(await !signs.wait())
            let endless = LivenessProbes(
                [
                    .init("never", by: time.clock, time.spawner) {
                        try? await time.clock.sleep(for: .seconds(86_400))
                        return true
                    }
                ], stuck: { part in told.withLock { $0.append(part) } })
            let began = time.now
            let isWell = await withTaskGroup(of: Bool.self) { group in
                group.addTask { await endless.wait() }
                try? await time.clock.sleep(for: LivenessProbes.limit * 2 + .seconds(1))
                group.cancelAll()
                return await group.next()
            }
            #expect(isWell == false && told.withLock { $0 } == ["never"])
            #expect(began.duration(to: time.now) == LivenessProbes.limit * 3, "the end waits for one limit at most")
        }
    }
}
