/// The generation of a wallet's library. It determines the UUIDs in the advertisement and in the GATT table.
package enum WalletGeneration: CaseIterable, Sendable {
    /// Generation A: `mosip/tuvali` and `mosip/tuvali-ios-swift` 0.4.
    case a
    /// Generation B: both libraries from version 0.5 on.
    case b

    /// The UUID of the service and of its data in the advertisement. The least significant byte comes first.
    package var service: [UInt8] { self == .a ? [0x29, 0xAB] : [0x01, 0x00] }

    /// The UUID of the service data in the scan response. The least significant byte comes first.
    package var scanResponse: [UInt8] { self == .a ? [0x2A, 0xAB] : [0x02, 0x00] }
}
