/// The packets of a connectable advertiser: ADV_IND and SCAN_RSP (Core Specification Vol 6 Part B 2.3).
package struct Advertiser: Equatable, Sendable {
    /// The advertiser's address in the packets.
    package var address: DeviceAddress
    /// The advertising data, at most 31 bytes.
    package var data: [UInt8]
    /// The scan response data, at most 31 bytes.
    package var scanResponse: [UInt8]
    /// The time between two advertising events, before the random delay of 0 … 10 ms.
    package var interval: Duration

    /// Creates an advertiser with its address, payloads and interval.
    package init(address: DeviceAddress, data: [UInt8], scanResponse: [UInt8], interval: Duration) {
        self.address = address
        self.data = data
        self.scanResponse = scanResponse
        self.interval = interval
    }
}
