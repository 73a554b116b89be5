import Encoding
import Testing

@Suite struct GzipTests {
    @Test func roundTrip() throws {
        let input = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 * $0 >> 3) }
        let packed = try Gzip.deflate(input)
        #expect(try Gzip.inflate(packed, limit: 100_000) == input)
        #expect(try Gzip.inflate(Gzip.deflate([]), limit: 0) == [])
    }

    /// The data after a member, another member or other data, is skipped, unless exactly one member is required.
    @Test func dataAfterAMember() throws {
        let (a, b) = (try Gzip.deflate([1, 2]), try Gzip.deflate([3]))
        #expect(try Gzip.inflate(a + b, limit: 10) == [1, 2, 3])
        #expect(try Gzip.inflate(a + [0, 0], limit: 10) == [1, 2])
        #expect(try Gzip.inflate(a, container: .gzipMember, limit: 10) == [1, 2])
        for rest in [b, [0], a + b] as [[UInt8]] {
            #expect(throws: Gzip.Failure.malformed) { try Gzip.inflate(a + rest, container: .gzipMember, limit: 10) }
        }
        #expect(try Gzip.inflate(Gzip.deflate([5], container: .gzipMember), limit: 1) == [5])
    }

    @Test func bombsStopAtTheLimit() throws {
        let packed = try Gzip.deflate([UInt8](repeating: 0, count: 4_000_000))
        #expect(packed.count < 10_000)
        #expect(throws: Gzip.Failure.self) { try Gzip.inflate(packed, limit: 3_999_999) }
    }

    @Test func damageIsRefused() throws {
        let packed = try Gzip.deflate(Array("a text that is long enough to be compressed, compressed".utf8))
        for end in packed.indices {
            #expect(throws: Gzip.Failure.self) { try Gzip.inflate(Array(packed[..<end]), limit: 1000) }
        }
        var damaged = packed
        damaged[packed.count - 6] ^= 1  // the checksum
        #expect(throws: Gzip.Failure.self) { try Gzip.inflate(damaged, limit: 1000) }
    }
}
