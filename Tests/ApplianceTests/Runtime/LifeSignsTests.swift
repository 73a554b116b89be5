import GateService
import Synchronization
import TestKit
import Testing

/// The watch over the parts that every visit needs.
@Suite("Signs of life", .timeLimit(.minutes(1)), .tags(.realTime))
struct LifeSignsTests {
    /// The reports, and whether the part answers.
    private final class Scene: Sendable {
        let told = Mutex<[String?]>([])
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
                    while !scene.answers.load(ordering: .relaxed) { try? await Task.sleep(for: .milliseconds(1)) }
                    return true
                },
            ], within: limit, stuck: { part in scene.told.withLock { $0.append(part) } })
        let waiting = Task { await signs.wait() }
        while scene.told.withLock({ $0.isEmpty }) { try await Task.sleep(for: .milliseconds(1)) }
        try await Task.sleep(for: limit * 2 + .milliseconds(200))
        #expect(scene.told.withLock { $0 } == ["slow"], "once")
        scene.answers.store(true, ordering: .relaxed)
        #expect(await waiting.value)
        #expect(scene.told.withLock { $0 } == ["slow", nil])
    }

    @Test("a part that answers that it does not work gives no sign; nobody waits behind the end")
    func wrong() async throws {
        let scene = Scene()
        let signs = LifeSigns([.init("a") { false }, .init("b") { true }]) { _ in }
        #expect(await !signs.wait())
        let endless = LifeSigns(
            [
                .init("never") {
                    while !scene.answers.load(ordering: .relaxed) { try? await Task.sleep(for: .milliseconds(1)) }
                    return true
                }
            ], within: .milliseconds(20), stuck: { part in scene.told.withLock { $0.append(part) } })
        let waiting = Task { await endless.wait() }
        while scene.told.withLock({ $0.isEmpty }) { try await Task.sleep(for: .milliseconds(1)) }
        waiting.cancel()
        #expect(await !waiting.value)
        scene.answers.store(true, ordering: .relaxed)
    }
}
