import Encoding
import LinkedData
import Testing

@testable import Credentials

/// Cached hash states of common beginnings do not change any hash.
@Suite struct HashBeginningTests {
    private func hash(_ beginnings: HashBeginnings, _ algorithm: HashAlgorithm, _ pieces: [[UInt8]]) -> [UInt8] {
        beginnings.hash(algorithm) { sink in for piece in pieces { sink(piece[...]) } }
    }

    @Test func remembersWithoutConsequences() {
        let beginnings = HashBeginnings()
        // Uses more beginnings than the cache keeps, with lengths around the limits for keeping a state. Each beginning
        // occurs three times.
        let sizes = [0, 1, 511, 512, 513, 2_000, 16_384, 16_385]
        for round in 0..<3 {
            for algorithm in [HashAlgorithm.sha256, .sha384] {
                for size in sizes {
                    for letter in [UInt8(1), 2] {
                        let first = [UInt8](repeating: 7, count: max(size - 1, 0)) + (size > 0 ? [letter] : [])
                        for rest in [[], [[9]], [[9, UInt8(round)], [], [8]]] as [[[UInt8]]] {
                            let pieces = [first] + rest
                            #expect(
                                hash(beginnings, algorithm, pieces) == Digest.hash(Array(pieces.joined()), algorithm))
                        }
                    }
                }
            }
        }
        #expect(hash(beginnings, .sha256, []) == Digest.sha256([]))
    }

    @Test func manyAtOnce() async {
        let beginnings = HashBeginnings()
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<200 {
                group.addTask {
                    let pieces = [[UInt8](repeating: UInt8(number % 10), count: 600), [UInt8(number)]]
                    return self.hash(beginnings, .sha256, pieces) == Digest.sha256(Array(pieces.joined()))
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }
}
