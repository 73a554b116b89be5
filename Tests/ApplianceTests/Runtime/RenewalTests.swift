import Clocks
import Encoding
import Foundation
import LinuxIO
import Synchronization
import Testing
import VirtualKit

@testable import GateService

/// The end of a program whose ledger is to be replaced by another.
@Suite struct RenewalTests {
    private let path = FileManager.default.temporaryDirectory.appendingPathComponent("gatehouse-\(UUID().uuidString)")
        .path

    /// Returns a service with the documented times.
    private func service(
        _ contradictions: AsyncStream<Text>, hasBegunOne: Bool = false, by time: VirtualTime,
        isQuiet: @escaping @Sendable () -> Bool
    ) throws -> RenewalService {
        RenewalService(
            contradictions: contradictions, hasBegunOne: hasBegunOne, isQuiet: { isQuiet() }, clock: time.clock,
            log: try LogSink(.file(path)))
    }

    /// While a visitor is at the gate, the program waits for the end of the visit.
    @Test func itEndsWhenNoVisitorIsAtTheGate() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        try VirtualTime.run { time in
            let (contradictions, contradicted) = AsyncStream.makeStream(of: Text.self)
            let leaves = time.now.advanced(by: .seconds(10))
            let service = try service(contradictions, by: time) { time.now >= leaves }
            contradicted.yield("the agent has more")
            await service.end()
            #expect(time.now == leaves)
        }
    }

    /// A visitor who never leaves does not delay the end forever.
    @Test func theWaitForAVisitorEnds() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        try VirtualTime.run { time in
            let (contradictions, contradicted) = AsyncStream.makeStream(of: Text.self)
            let began = time.now
            contradicted.yield("the agent has more")
            try await service(contradictions, by: time) { false }.end()
            #expect(began.duration(to: time.now) == .seconds(600))
        }
    }

    /// A program that has begun a ledger for the same reason runs for an hour.
    @Test func aProgramThatBeganALedgerStaysForAnHour() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        try VirtualTime.run { time in
            let (contradictions, contradicted) = AsyncStream.makeStream(of: Text.self)
            let began = time.now
            contradicted.yield("the agent has more")
            try await service(contradictions, hasBegunOne: true, by: time) { true }.end()
            #expect(began.duration(to: time.now) == .seconds(3600))
        }
    }

    /// A program without a contradiction does not end.
    @Test func itStays() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        try VirtualTime.run { time in
            let (contradictions, contradicted) = AsyncStream.makeStream(of: Text.self)
            let service = try service(contradictions, by: time) { true }
            let hasEnded = Mutex(false)
            async let running: Void = {
                await service.end()
                hasEnded.withLock { $0 = true }
            }()
            try await time.clock.sleep(for: .seconds(86_400))
            #expect(!hasEnded.withLock { $0 })
            contradicted.finish()
            await running
        }
    }
}
