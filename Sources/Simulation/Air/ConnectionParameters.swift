/// The timing of a connection in the units of HCI (Core Specification Vol 4 Part E 7.7.65.1).
package struct ConnectionParameters: Hashable, Sendable {
    /// The connection interval in units of 1.25 ms; 6 … 3200.
    package var interval: UInt16
    /// The number of connection events that the peripheral may skip: 0 to 499.
    package var latency: UInt16
    /// The supervision timeout in units of 10 ms; 10 … 3200.
    package var timeout: UInt16

    /// Creates parameters in HCI units.
    package init(interval: UInt16, latency: UInt16 = 0, timeout: UInt16) {
        self.interval = interval
        self.latency = latency
        self.timeout = timeout
    }

    /// The connection interval as a duration.
    var intervalTime: Duration { .microseconds(Int64(max(1, interval)) * 1250) }

    /// The supervision timeout as a duration.
    var timeoutTime: Duration { .milliseconds(Int64(timeout) * 10) }
}

/// A Bluetooth device address, in the byte order of HCI packets.
package struct DeviceAddress: Hashable, Sendable {
    /// The six bytes of the address, least significant byte first.
    package var bytes: [UInt8]
    /// Whether the address is random (address type 1). Otherwise it is public (0).
    package var isRandom: Bool

    /// Creates an address from its bytes, least significant byte first.
    package init(bytes: [UInt8], isRandom: Bool) {
        self.bytes = bytes
        self.isRandom = isRandom
    }
}
