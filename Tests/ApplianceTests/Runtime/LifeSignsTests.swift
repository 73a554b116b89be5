import GateService
import Synchronization
import TestKit
import Testing

/// The watch over the parts that every visit needs.
@Suite("Signs of life", .timeLimit(.minutes(1)), .tags(.realTime))
struct LifeSignsTests {
    /// The reports, and whether the part answers.
    private final class Scene: Sendable {
        let told = Recorder<String?>()
        let answers = Atomic<Bool>(false)
    }

    @Test("a part that does not answer is told, waited for, and told again when it does")
    func stuck() async throws {
        let scene = Scene()
        // Long enough for the quick part on a slow machine.
        let limit = Duration.milliseconds(500)
        let signs = LifeSigns(
            [
                .init("quick") { true },
                .init("slow") {
                    await becomesTrue { scene.answers.load(ordering: .relaxed) }
                },
            ], within: limit, stuck: { scene.told.add($0) })
        let waiting = Task { await signs.wait() }
        try #require(await becomesTrue { !scene.told.isEmpty })
        try await Task.sleep(for: limit * 2 + .milliseconds(200))
        #expect(scene.told.all == ["slow"], "once")
        scene.answers.store(true, ordering: .relaxed)
        #expect(await waiting.value)
        #expect(scene.told.all == ["slow", nil])
    }

    @Test("a part that answers that it does not work gives no sign; nobody waits behind the end")
    func wrong() async throws {
        let scene = Scene()
        let signs = LifeSigns([.init("a") { false }, .init("b") { true }]) { _ in }
        #expect(await !signs.wait())
        let endless = LifeSigns(
            [
                .init("never") {
                    await becomesTrue { scene.answers.load(ordering: .relaxed) }
                }
            ], within: .milliseconds(20), stuck: { scene.told.add($0) })
        let waiting = Task { await endless.wait() }
        try #require(await becomesTrue { !scene.told.isEmpty })
        waiting.cancel()
        #expect(await !waiting.value)
        scene.answers.store(true, ordering: .relaxed)
    }
}
