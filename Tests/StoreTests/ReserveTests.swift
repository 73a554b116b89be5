import Encoding
import Foundation
import Glibc
import Ledger
import TestKit
import Testing

@testable import Store

@Suite struct ReserveTests {
    private func outcome(_ number: Int) -> UnwrittenOutcome {
        UnwrittenOutcome(visit: Samples.visit(number), outcome: Samples.accepted, stamp: Samples.stamp)
    }

    @Test func itsRoomIsTakenInAdvanceAndHoldsAThousandRecords() throws {
        let folder = try TestFolder("store")
        // The disk allocates the blocks. A thousand real syncs would prove nothing more.
        let reserve = try Reserve(path: folder.path + "/reserve") { _ in 0 }
        var status = stat()
        #expect(stat(reserve.path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(Int(status.st_blocks) * 512 >= Reserve.defaultBytes, "blocks, not a promise of them")
        for number in 1...1000 { try reserve.append([outcome(number)]) }
        #expect(reserve.count == 1000)
        var after = stat()
        #expect(
            stat(reserve.path, &after) == 0 && after.st_size == status.st_size && after.st_blocks == status.st_blocks)
    }

    @Test func recordsInTheReserveStayUntilTheLedgerHasThem() throws {
        let folder = try TestFolder("store", inMemory: true)
        let path = folder.path + "/reserve"
        do {
            let reserve = try Reserve(path: path, bytes: 64 * 1024)
            try reserve.append([outcome(1), outcome(2)])
            try reserve.append([outcome(3)])
            #expect(throws: StoreError.locked(path: path, owner: nil)) { try Reserve(path: path) }
        }
        do {
            let reserve = try Reserve(path: path, bytes: 64 * 1024)
            #expect(reserve.count == 3)
            #expect(try reserve.first(2).map(\.visit) == [1, 2].map(Samples.visit))
            try reserve.remove(first: 2)
            #expect(reserve.count == 1)
            #expect(try reserve.first(2).map(\.visit) == [Samples.visit(3)])
            try reserve.append([outcome(4)])
            try reserve.remove(first: 2)
            #expect(reserve.count == 0)
            try reserve.append([outcome(5)])
        }
        let reserve = try Reserve(path: path, bytes: 64 * 1024)
        #expect(try reserve.first(9).map(\.visit) == [Samples.visit(5)])
    }

    @Test func aFullOneRefusesAndKeepsWhatItHas() throws {
        let folder = try TestFolder("store", inMemory: true)
        let reserve = try Reserve(path: folder.path + "/reserve", bytes: 2048)
        var taken = 0
        #expect(throws: StoreError.diskFull(path: reserve.path)) {
            while taken < 100 {
                try reserve.append([outcome(taken + 1)])
                taken += 1
            }
        }
        #expect(taken > 0)
        #expect(try reserve.first(100).count == taken)
    }

    /// Regression test: records were written to a file without a name, and the shutdown reported them as stored in it.
    @Test func oneThatIsNoLongerInItsPlaceTakesNothing() throws {
        let folder = try TestFolder("store", inMemory: true)
        let reserve = try Reserve(path: folder.path + "/reserve", bytes: 64 * 1024)
        try reserve.append([outcome(1)])
        #expect(rename(reserve.path, folder.path + "/elsewhere") == 0)
        #expect(throws: StoreError.replaced(path: reserve.path, detail: "was deleted")) {
            try reserve.append([outcome(2)])
        }
        _ = try Reserve(path: reserve.path, bytes: 64 * 1024)
        #expect(throws: StoreError.replaced(path: reserve.path, detail: "was replaced")) {
            try reserve.append([outcome(2)])
        }
        #expect(rename(folder.path + "/elsewhere", reserve.path) == 0)
        try reserve.append([outcome(2)])
        #expect(reserve.count == 2)
    }

    @Test func aPlaceThatCannotTakeItIsNamed() throws {
        let folder = try TestFolder("store", inMemory: true)
        #expect(throws: StoreError.self) { try Reserve(path: folder.path + "/none/reserve") }
        #expect(throws: StoreError.self) { try Reserve(path: folder.path) }
    }
}
