import Encoding
import Foundation
import LinuxIO
import Synchronization
import TestKit
import Testing

@testable import GateService

/// The end of a program whose ledger is to be replaced by another.
@Suite(.tags(.realTime)) struct RenewalTests {
    private let path = FileManager.default.temporaryDirectory.appendingPathComponent("gatehouse-\(UUID().uuidString)")
        .path

    private func service(
        _ contradictions: AsyncStream<Text>, hasBegunOne: Bool = false, isQuiet: @escaping @Sendable () -> Bool
    ) throws -> RenewalService {
        RenewalService(
            contradictions: contradictions, hasBegunOne: hasBegunOne, isQuiet: { isQuiet() },
            log: try LogSink(.file(path)), rest: .seconds(3600), patience: .seconds(3600), pause: .milliseconds(1))
    }

    /// While a visitor is at the gate, the program waits for the end of the visit.
    @Test(.timeLimit(.minutes(1)))
    func itEndsWhenNobodyIsAtTheGate() async throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        let (contradictions, contradicted) = AsyncStream.makeStream(of: Text.self)
        let looks = Mutex(0)
        let service = try service(contradictions) {
            looks.withLock {
                $0 += 1; return $0 > 20
            }
        }
        contradicted.yield("the agent has more")
        try await service.run()
        #expect(looks.withLock { $0 } == 21)
    }

    /// A visitor who never leaves does not delay the end forever.
    @Test(.timeLimit(.minutes(1)))
    func patienceEnds() async throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        let (contradictions, contradicted) = AsyncStream.makeStream(of: Text.self)
        var service = try service(contradictions) { false }
        service.patience = .milliseconds(50)
        contradicted.yield("the agent has more")
        try await service.run()
    }

    /// A program without a contradiction does not end, and neither does one that has just begun a ledger for
    /// the same reason.
    @Test(.timeLimit(.minutes(1)), arguments: [false, true])
    func itStays(hasBegunOne: Bool) async throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        let (contradictions, contradicted) = AsyncStream.makeStream(of: Text.self)
        let service = try service(contradictions, hasBegunOne: hasBegunOne) { true }
        let hasEnded = Mutex(false)
        if hasBegunOne { contradicted.yield("the agent has more") }
        let running = Task {
            try await service.run()
            hasEnded.withLock { $0 = true }
        }
        try await Task.sleep(for: .milliseconds(200))
        #expect(!hasEnded.withLock { $0 })
        running.cancel()
        contradicted.finish()
        try await running.value
    }
}
