import Encoding
import Testing

@testable import Store

/// A sealed value opens only whole, under its key, and at its place.
@Suite struct SealingKeyTests {
    private let key: SealingKey
    private let place = SealedPlace.connection(id: "one", destination: "primary")
    private let nonce = [UInt8](repeating: 7, count: SealingKey.nonceBytes)

    init() throws { key = try #require(SealingKey([UInt8](0..<32))) }

    @Test func sealedDataCanBeOpened() throws {
        for value in [[], [0], [UInt8](repeating: 9, count: 5000)] {
            let sealed = try #require(key.seal(value, for: place, nonce: nonce))
            #expect(SealingKey.isSealed(sealed) && sealed.count == value.count + 40)
            #expect(try key.open(sealed, for: place) == value)
        }
        #expect(key.seal([1], for: place, nonce: []) == nil && SealingKey([1]) == nil)
        #expect(!SealingKey.isSealed(Array("{\"version\":1}".utf8)) && !SealingKey.isSealed([]))
    }

    @Test func everyByteCounts() throws {
        let sealed = try #require(key.seal(Array("a seed".utf8), for: place, nonce: nonce))
        for index in sealed.indices {
            for bit in 0..<8 {
                var altered = sealed
                altered[index] ^= 1 << bit
                #expect(throws: SealingError.self, "byte \(index), bit \(bit)") { try key.open(altered, for: place) }
            }
            #expect(throws: SealingError.self) { try key.open(Array(sealed[..<index]), for: place) }
        }
        #expect(throws: SealingError.altered) { try key.open(sealed + [0], for: place) }
    }

    @Test(arguments: [
        SealedPlace.connection(id: "two", destination: "primary"), .connection(id: "one", destination: "copy"),
        .connection(id: "oneprimary", destination: ""), .setting("one"), .setting("connection"),
    ])
    func itBelongsToItsPlace(_ other: SealedPlace) throws {
        let sealed = try #require(key.seal([1, 2, 3], for: place, nonce: nonce))
        #expect(throws: SealingError.altered) { try key.open(sealed, for: other) }
    }

    @Test func anotherKeyIsReported() throws {
        let other = try #require(SealingKey([UInt8](1..<33)))
        let sealed = try #require(key.seal([1, 2, 3], for: place, nonce: nonce))
        #expect(throws: SealingError.otherKey) { try other.open(sealed, for: place) }
        #expect(throws: SealingError.notSealed) { try key.open([1, 2, 3], for: place) }
    }
}
