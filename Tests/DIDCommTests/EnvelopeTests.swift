import DIDComm
import Encoding
import Testing

@Suite struct EnvelopeTests {
    private func key(_ tag: UInt8) throws -> KeyPair {
        try #require(KeyPair(seed: Secret([UInt8](repeating: tag, count: 32))))
    }

    private func stream(_ tag: UInt8 = 9) throws -> RandomStream {
        guard let stream = RandomStream(seed: Secret([UInt8](repeating: tag, count: 32))) else {
            throw Envelope.Failure.malformed
        }
        return stream
    }

    @Test func authenticatedEnvelopeReturnsTextAndSender() throws {
        let (alice, bob, carol) = (try key(1), try key(2), try key(3))
        var random = try stream()
        let message = Array("ä✓ message".utf8)
        let packed = Envelope.pack(message, to: [bob.verkey, carol.verkey], from: alice, random: &random)
        for reader in [bob, carol] {
            let content = try Envelope.unpack(packed.compactBytes, with: [reader])
            #expect(content.plaintext == message)
            #expect(content.sender == alice.verkey)
            #expect(content.recipient == reader.verkey)
        }
        #expect(throws: Envelope.Failure.notForUs) { try Envelope.unpack(packed, with: [alice]) }
    }

    @Test func anonymousEnvelopeHasNoSender() throws {
        let bob = try key(2)
        var random = try stream()
        let content = try Envelope.unpack(
            Envelope.pack([], to: [bob.verkey], from: nil, random: &random), with: [bob])
        #expect(content.plaintext.isEmpty)
        #expect(content.sender == nil)
    }

    @Test func packingTwiceSharesNothing() throws {
        let (alice, bob) = (try key(1), try key(2))
        var random = try stream()
        let first = Envelope.pack([1, 2, 3], to: [bob.verkey], from: alice, random: &random)
        let second = Envelope.pack([1, 2, 3], to: [bob.verkey], from: alice, random: &random)
        for member in ["protected", "iv", "ciphertext", "tag"] as [Text] { #expect(first[member] != second[member]) }
        var again = try stream()
        #expect(Envelope.pack([1, 2, 3], to: [bob.verkey], from: alice, random: &again) == first)
    }

    @Test func everyFlippedBitIsRefused() throws {
        let (alice, bob) = (try key(1), try key(2))
        var random = try stream()
        let packed = Envelope.pack(Array("open the gate".utf8), to: [bob.verkey], from: alice, random: &random)
        let bytes = packed.compactBytes
        for position in bytes.indices {
            var altered = bytes
            altered[position] ^= 1
            // Only a change that leaves the decoded values unchanged may be accepted: unused bits of a last
            // base64 letter.
            if let content = try? Envelope.unpack(altered, with: [bob]) {
                #expect(content.plaintext == Array("open the gate".utf8) && content.sender == alice.verkey)
            }
        }
        for length in 0..<bytes.count {
            #expect(throws: Envelope.Failure.self) { try Envelope.unpack(Array(bytes.prefix(length)), with: [bob]) }
        }
    }

    @Test func forwardsNestFromTheRecipientOutwards() throws {
        let (alice, bob, near, far) = (try key(1), try key(2), try key(3), try key(4))
        var random = try stream()
        let inner = Envelope.pack([7], to: [bob.verkey], from: alice, random: &random)
        let outer = try Envelope.wrap(inner, to: bob.verkey, via: [near.verkey, far.verkey], random: &random)

        let atFar = try JSON.parse(try Envelope.unpack(outer, with: [far]).plaintext)
        #expect(atFar["@type"] == "https://didcomm.org/routing/1.0/forward")
        #expect(atFar["to"]?.string == near.verkey.base58)
        let atNear = try JSON.parse(try Envelope.unpack(try #require(atFar["msg"]), with: [near]).plaintext)
        #expect(atNear["to"]?.string == bob.verkey.base58)
        #expect(atNear["msg"] == inner)
    }

    /// Each key of a route makes a message a third larger: a message that no agent would accept is not made.
    @Test func aRouteThatMakesAMessageTooLargeIsRefused() throws {
        let (alice, bob) = (try key(1), try key(2))
        var random = try stream()
        let inner = Envelope.pack(
            [UInt8](repeating: 7, count: 256 << 10), to: [bob.verkey], from: alice, random: &random)
        var largest = 0
        for count in 0...22 {
            let route = (0..<count).map { _ in bob.verkey }
            let wrapped = Result { () throws(Envelope.Failure) in
                try Envelope.wrap(inner, to: bob.verkey, via: route, random: &random)
            }
            switch wrapped {
            case .success(let envelope): largest = max(largest, envelope.compactBytes.count)
            case .failure(let failure): #expect(failure == .tooLarge && count > 6, "\(count)")
            }
            #expect((try? wrapped.get()) == nil || count < 9, "\(count)")
        }
        #expect((1 << 20...2 << 20).contains(largest))
    }

    @Test func limitsHold() throws {
        let (alice, bob) = (try key(1), try key(2))
        var random = try stream()
        let packed = Envelope.pack([1], to: [bob.verkey, alice.verkey], from: alice, random: &random)
        var limits = Envelope.Limits()
        limits.bytes = packed.compactBytes.count - 1
        #expect(throws: Envelope.Failure.tooLarge) {
            try Envelope.unpack(packed.compactBytes, with: [bob], limits: limits)
        }
        limits = Envelope.Limits()
        limits.recipients = 1
        #expect(throws: Envelope.Failure.tooManyRecipients) {
            try Envelope.unpack(packed, with: [bob], limits: limits)
        }
        let deep = String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
        #expect(throws: Envelope.Failure.malformed) {
            try Envelope.unpack(Array("{\"protected\":\(deep)}".utf8), with: [bob])
        }
        #expect(throws: Envelope.Failure.malformed) {
            try Envelope.unpack(
                Array(#"{"@type":"https://didcomm.org/trust_ping/1.0/ping","@id":"1"}"#.utf8), with: [bob])
        }
    }

    @Test func keysOutsideTheGroupAreRefused() {
        #expect(Verkey(bytes: [UInt8](repeating: 0, count: 32)) == nil)
        #expect(Verkey(bytes: [1] + [UInt8](repeating: 0, count: 31)) == nil)
        #expect(Verkey("7VQJbgvzvn5JTZRHHxw4fRBmsmakpCUE488znGyLaGsm") != nil)
        #expect(Verkey("did:key:z6MkkwfMBwBSGKZma4FyyXtuWWjmhLrcE5iak93vcYwMVVf9#other") == nil)
        #expect(Verkey("did:key:z6LSkwfMBwBSGKZma4FyyXtuWWjmhLrcE5iak93vcYwMVVf9") == nil)
    }

    @Test func secretsShowNothing() throws {
        let key = try key(5)
        #expect("\(key.seed)" == "(secret)")
        #expect(!String(reflecting: key).contains("050505") && !"\(key)".contains("5, 5, 5"))
    }

    @Test func streamNeverRepeats() throws {
        var random = try stream()
        var seen: Set<[UInt8]> = []
        for _ in 0..<1000 { #expect(seen.insert(random.draw(16)).inserted) }
        #expect(random.draw(0).isEmpty && random.draw(-1).isEmpty)
    }
}
