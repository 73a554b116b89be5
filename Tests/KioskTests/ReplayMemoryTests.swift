import Encoding
import Kiosk
import Ledger
import Testing

@Suite("Recently admitted credentials")
struct ReplayMemoryTests {
    private func name(_ number: UInt8) throws -> ReplayName {
        try #require(ReplayName([UInt8](repeating: number, count: ReplayName.byteCount)))
    }

    private func at(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }

    private let first = VisitID("first")
    private let second = VisitID("second")

    @Test("reserved at the verification, ordered, and used when the gate has opened")
    func used() throws {
        var memory = ReplayMemory(window: .seconds(30))
        let name = try name(1)
        memory.reserve([name], for: first)
        #expect(memory.knows(name, besides: second, at: at(0)))
        #expect(!memory.knows(name, besides: first, at: at(0)), "a visit is not its own replay")
        #expect(memory.knows(name, besides: second, at: at(3600)), "as long as the visit lasts")
        #expect(memory.settle(first, .ordered, at: at(300)) == [name], "goes to the disk")
        #expect(memory.settle(first, .ordered, at: at(301)).isEmpty, "once")
        #expect(memory.knows(name, besides: second, at: at(3600)), "until the result is known")
        #expect(memory.settle(first, .used, at: at(305)).isEmpty, "it is there already")
        #expect(memory.knows(name, besides: second, at: at(330)), "from the order on")
        #expect(!memory.knows(name, besides: second, at: at(331)))
        #expect(memory.settle(first, .used, at: at(305)).isEmpty, "once")
    }

    @Test("released when the line has done nothing, and taken off the disk; what was used before stays that")
    func failed() throws {
        var memory = ReplayMemory(window: .seconds(30))
        let (name, other) = (try name(1), try name(2))
        memory.reserve([name], for: first)
        _ = memory.settle(first, .used, at: at(0))
        memory.reserve([name, other], for: second)
        #expect(memory.settle(second, .ordered, at: at(10)) == [name, other])
        #expect(memory.knows(other, besides: first, at: at(14)), "the result is not known")
        #expect(memory.settle(second, .released, at: at(15)) == [name, other])
        #expect(!memory.knows(other, besides: first, at: at(15)))
        let third = VisitID("third")
        #expect(memory.knows(name, besides: third, at: at(30)) && !memory.knows(name, besides: third, at: at(31)))
    }

    @Test("released when the visit ended otherwise")
    func released() throws {
        var memory = ReplayMemory(window: .seconds(30))
        let name = try name(1)
        memory.reserve([name], for: first)
        #expect(memory.settle(first, .released, at: at(0)).isEmpty)
        #expect(!memory.knows(name, besides: second, at: at(0)))
        // A second visit with the same credential, admitted with a warning, keeps its own entry.
        memory.reserve([name], for: first)
        memory.reserve([name], for: second)
        #expect(memory.settle(second, .used, at: at(0)) == [name])
        _ = memory.settle(first, .released, at: at(0))
        #expect(memory.knows(name, besides: VisitID("third"), at: at(0)))
    }

    @Test("a verification that comes after its visit's end holds nothing")
    func tooLate() throws {
        var memory = ReplayMemory(window: .seconds(30))
        let name = try name(1)
        _ = memory.settle(first, .released, at: at(0))
        memory.reserve([name], for: first)
        #expect(!memory.knows(name, besides: second, at: at(0)))
    }

    @Test("bounded: the oldest are forgotten")
    func bounds() throws {
        var memory = ReplayMemory(window: .seconds(30), capacity: 2)
        for number in 1...3 as ClosedRange<UInt8> {
            memory.reserve([try name(number)], for: first)
            _ = memory.settle(first, .used, at: at(Int64(number)))
        }
        let known = try (1...3 as ClosedRange<UInt8>).filter { memory.knows(try name($0), besides: second, at: at(3)) }
        #expect(known == [2, 3])
        for number in 0..<ReplayMemory.visits + 1 {
            memory.reserve([try name(9)], for: VisitID("\(number)"))
        }
        #expect(memory.settle(VisitID("0"), .used, at: at(4)).isEmpty)
        #expect(memory.settle(VisitID("1"), .used, at: at(4)) == [try name(9)])
        // A visit whose result is awaited counts as used if its place is needed.
        let held = try name(4)
        memory.reserve([held], for: second)
        _ = memory.settle(second, .ordered, at: at(5))
        for number in 0...ReplayMemory.visits { memory.reserve([try name(8)], for: VisitID("later \(number)")) }
        #expect(memory.knows(held, besides: first, at: at(35)) && !memory.knows(held, besides: first, at: at(36)))
    }

    @Test("over a restart the window goes on by a believed date, and begins anew by any other")
    func recall() throws {
        let kept = [(name: try name(1), at: Timestamp(seconds: 1000)), (try name(2), Timestamp(seconds: 1020))]
        func known(_ date: Int64, _ provenance: WallTime.Provenance, after seconds: Int64) throws -> [UInt8] {
            var memory = ReplayMemory(window: .seconds(30))
            memory.recall(kept, at: WallTime(utc: Timestamp(seconds: date), provenance: provenance), now: at(5))
            return try [1, 2].filter { memory.knows(try name($0), besides: first, at: at(5 + seconds)) }
        }
        #expect(try known(1031, .rtc, after: 0) == [2])
        #expect(try known(1030, .rtc, after: 0) == [1, 2])
        #expect(try known(1030, .rtc, after: 20) == [2])
        #expect(try known(1031, .saved, after: 30) == [1, 2])
        #expect(try known(1031, .saved, after: 31) == [])
        #expect(try known(900, .synchronised, after: 30) == [1, 2], "none is older than it can be")
        #expect(try known(.max, .synchronised, after: 0) == [] && known(.min, .rtc, after: 0) == [1, 2])
    }
}
