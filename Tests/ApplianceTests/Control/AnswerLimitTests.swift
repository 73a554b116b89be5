import Administration
import Encoding
import Foundation
import LinuxIO
import Synchronization
import TestKit
import Testing

/// Requests that wait for a hanging disk do not delay the gate's own requests and orders.
@Suite(.timeLimit(.minutes(1)), .tags(.realTime)) struct AnswerLimitTests {
    /// Root asks for a list eight times, each time without an answer: the gate's own requests on the same
    /// socket are answered.
    @Test func aHangingRequestDelaysNoOther() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("gh-\(UUID().uuidString.prefix(8)).s")
            .path
        let isHeld = Mutex(true)
        let turns = AnswerLimit(4)
        var router = ControlRouter()
        router.take(.agentList) { _ throws(ControlRefusal) in
            try await turns.take {
                while isHeld.withLock({ $0 }) { try? await Task.sleep(for: .milliseconds(5)) }
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
        let ends = await withTaskGroup(of: String.self) { group in
            for _ in 0..<8 { group.addTask { await Self.ask(path, .agentList, within: .milliseconds(1500)) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(
            ends.count { $0.contains("silent") } == 4 && ends.count { $0.contains("are already waiting") } == 4,
            "\(ends)")
        for request in [ControlRequest.status, .doorLock] {
            #expect(await Self.ask(path, request, within: .seconds(20)).contains("at once"))
        }
        isHeld.withLock { $0 = false }
        var answer = ""
        while !answer.contains("late") { answer = await Self.ask(path, .agentList, within: .seconds(20)) }
        await server.close()
    }

    /// Sends a request on a thread of its own, because the call blocks.
    private static func ask(_ path: String, _ request: ControlRequest, within limit: Duration) async -> String {
        await withCheckedContinuation { asked in
            Thread.detachNewThread {
                do throws(ControlClient.Failure) {
                    let bytes = try ControlClient.ask(path, request.line([]), within: limit)
                    asked.resume(returning: String(decoding: bytes, as: UTF8.self))
                } catch {
                    asked.resume(returning: "\(error)")
                }
            }
        }
    }
}
