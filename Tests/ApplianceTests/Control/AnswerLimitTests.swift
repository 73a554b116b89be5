import Administration
import Encoding
import Foundation
import LinuxIO
import Synchronization
import TestKit
import Testing

/// Requests that wait for a hanging disk do not delay the gate's own requests and orders.
@Suite(.timeLimit(.minutes(1)), .tags(.realTime)) struct AnswerLimitTests {
    /// A disk that hangs until ``goOn()``.
    private final class Disk: Sendable {
        private let state = Mutex((hangs: true, waiting: [CheckedContinuation<Void, Never>]()))

        func wait() async {
            await withCheckedContinuation { continuation in
                let hangs = state.withLock { state in
                    if state.hangs { state.waiting.append(continuation) }
                    return state.hangs
                }
                if !hangs { continuation.resume() }
            }
        }

        func goOn() {
            let waiting = state.withLock { state in
                defer { state = (false, []) }
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }
    }

    /// Root asks for a list eight times, four times without an answer: the gate's own requests on the same
    /// socket are answered.
    @Test func aHangingRequestDelaysNoOther() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("gh-\(UUID().uuidString.prefix(8)).s")
            .path
        let disk = Disk()
        let turns = AnswerLimit(4)
        var router = ControlRouter()
        router.take(.agentList) { _ throws(ControlRefusal) in
            try await turns.take {
                await disk.wait()
                return "late"
            }
        }
        for request in [ControlRequest.status, .doorLock] { router.take(request) { _ in "at once" } }
        var limits = ControlServer.Limits()
        limits.time = .seconds(20)
        let server = try ControlServer(limits: limits, permits: { _ in true }, isOwner: { _ in true }) {
            [router] _, line in
            await router.answer(line)
        }
        try await server.open(path, isShared: false)
        await withTaskGroup(of: String.self) { group in
            for _ in 0..<8 { group.addTask { await Self.ask(path, .agentList) } }
            for _ in 0..<4 {
                let end = await group.next() ?? ""
                #expect(end.contains("are already waiting"), "\(end)")
            }
            for request in [ControlRequest.status, .doorLock] {
                #expect(await Self.ask(path, request).contains("at once"))
            }
            disk.goOn()
            for await end in group { #expect(end.contains("late"), "\(end)") }
        }
        await server.close()
    }

    /// Sends a request on a thread of its own, because the call blocks.
    private static func ask(_ path: String, _ request: ControlRequest) async -> String {
        await withCheckedContinuation { asked in
            Thread.detachNewThread {
                do throws(ControlClient.Failure) {
                    let bytes = try ControlClient.ask(path, request.line([]), within: .seconds(20))
                    asked.resume(returning: String(decoding: bytes, as: UTF8.self))
                } catch {
                    asked.resume(returning: "\(error)")
                }
            }
        }
    }
}
