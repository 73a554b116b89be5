/// The generations of Tuvali that deployed wallets use. The generations differ only in their UUIDs: values and
/// timing are the same.
///
/// The order of the cases is that of the services in the GATT table and of the advertisements.
package enum Generation: String, CaseIterable, Hashable, Sendable {
    /// Generation B, Tuvali 0.5 and later: Inji Wallet 0.13 and later.
    case b
    /// Generation A, Tuvali 0.4: Inji Wallet up to 0.12.
    case a

    /// The 16-bit UUID of the service, which is also the key of the service data in the advertisement.
    package var serviceUUID: UInt16 {
        switch self {
        case .b: 0x0001
        case .a: 0xAB29
        }
    }

    /// The 16-bit UUID of the service data in the scan response. No GATT service with this UUID exists.
    package var scanResponseUUID: UInt16 {
        switch self {
        case .b: 0x0002
        case .a: 0xAB2A
        }
    }
}
