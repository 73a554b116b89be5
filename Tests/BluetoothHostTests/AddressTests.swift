import Encoding
import Testing

@testable import BluetoothHost

@Suite("Bluetooth host: addresses")
struct AddressTests {
    private let key = Hex.decode("ec0234a357c8ad05341010a60a397d9b")!

    /// The sample data of Core Specification Vol 3 Part H D.7.
    @Test func hashOfTheSpecificationsSample() throws {
        let hash = try ResolvablePrivateAddress.hash(identityKey: key, random: [0x70, 0x81, 0x94])
        #expect(Hex.encode(hash) == "0dfbaa")
    }

    @Test func addressOfTheSpecificationsSample() throws {
        let address = try ResolvablePrivateAddress.make(identityKey: key, random: [0x70, 0x81, 0x94])
        #expect(address.description == "70:81:94:0d:fb:aa")
        #expect(address.bytes == [0xAA, 0xFB, 0x0D, 0x94, 0x81, 0x70])
        #expect(address.isRandom)
    }

    @Test(arguments: [("300000", "70:00:00"), ("ffffff", "7f:ff:fe"), ("000000", "40:00:01"), ("c00000", "40:00:01")])
    func typeMark(random: String, prefix: String) throws {
        let address = try ResolvablePrivateAddress.make(identityKey: key, random: Hex.decode(random)!)
        #expect(address.description.hasPrefix(prefix))
    }

    @Test func wrongSizesAreRefused() {
        #expect(throws: ResolvablePrivateAddress.WrongSize.self) {
            try ResolvablePrivateAddress.make(identityKey: [1, 2], random: [1, 2, 3])
        }
        #expect(throws: ResolvablePrivateAddress.WrongSize.self) {
            try ResolvablePrivateAddress.make(identityKey: key + [0], random: [1, 2, 3])
        }
        #expect(throws: ResolvablePrivateAddress.WrongSize.self) {
            try ResolvablePrivateAddress.make(identityKey: key, random: [1, 2])
        }
    }

    @Test func payloadsOver31BytesAreRefused() {
        let address = DeviceAddress(bytes: [1, 2, 3, 4, 5, 6], isRandom: true)
        let long = [UInt8](repeating: 0, count: 32)
        #expect(throws: Advertisement.TooLong.self) {
            try Advertisement(address: address, data: long, scanResponse: [])
        }
        #expect(throws: Advertisement.TooLong.self) {
            try Advertisement(address: address, data: [], scanResponse: long)
        }
    }
}
