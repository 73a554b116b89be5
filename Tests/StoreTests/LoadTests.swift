import Encoding
import Foundation
import Ledger
import TestKit
import Testing

@testable import Store

/// A long day without an uplink: the cost of recording, of the next start and of proofs.
@Suite struct LoadTests {
    @Test(.timeLimit(.minutes(10)), .tags(.realTime))
    func manyVisitsWaitAndTheNextStartIsQuick() async throws {
        let folder = try TestFolder("store")
        let first = try await Store.open(folder.database)
        let clock = ContinuousClock()
        let visits = 2000
        let recording = try await clock.measure {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...visits {
                    group.addTask {
                        try await first.appendOutcome(Samples.visit(number), Samples.accepted, stamp: Samples.stamp)
                    }
                    if number.isMultiple(of: 100) { try await group.waitForAll() }
                }
                try await group.waitForAll()
            }
        }
        await first.close()
        let before = clock.now
        let store = try await Store.open(folder.database)
        let opened = clock.now
        let report = try await store.verify()
        let proven = clock.now
        #expect(report.isIntact && report.entries == visits)
        let bytes = try FileManager.default.attributesOfItem(atPath: folder.database)[.size] as? Int ?? 0
        print(
            "store: \(visits) outcomes in \(recording), opened in \(opened - before), proven in \(proven - opened), "
                + "\(bytes / visits) bytes on disk for each")
        await store.close()
    }
}
