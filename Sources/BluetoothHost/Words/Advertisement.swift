/// The data of one advertisement: an address and the two payloads that belong to it.
package struct Advertisement: Equatable, Sendable {
    /// The error for a payload that is longer than a legacy advertising PDU can contain.
    package struct TooLong: Error, Equatable, Sendable {}

    /// The maximum length of advertising or scan response data in bytes (Core Specification Vol 6 Part B 2.3.1).
    static let maximumBytes = 31

    /// The random address to advertise from.
    package let address: DeviceAddress
    /// Advertising data: AD structures (Vol 3 Part C 11), at most 31 bytes.
    package let data: [UInt8]
    /// Scan response data: AD structures, at most 31 bytes.
    package let scanResponse: [UInt8]

    /// Creates an advertisement. Throws for a payload of more than 31 bytes, because a truncated payload would mislead
    /// phones.
    package init(address: DeviceAddress, data: [UInt8], scanResponse: [UInt8]) throws(TooLong) {
        guard data.count <= Self.maximumBytes, scanResponse.count <= Self.maximumBytes else { throw TooLong() }
        self.address = address
        self.data = data
        self.scanResponse = scanResponse
    }
}
