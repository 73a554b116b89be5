package import Encoding

/// The controller's number of a connection: 12 bits (Core Specification Vol 4 Part E 5.4.2). After the end of the
/// connection, the controller may use the number for another connection.
package struct ConnectionHandle: RawRepresentable, Hashable, Sendable {
    /// The number, 0x000 to 0xEFF.
    package let rawValue: UInt16

    /// Creates the handle from the lower 12 bits of `rawValue`. The upper 4 bits are flags in data packets.
    package init(rawValue: UInt16) {
        self.rawValue = rawValue & 0x0FFF
    }

    init(_ reader: inout ByteReader) throws(ByteReader.Truncated) {
        self.init(rawValue: try reader.uint16LE())
    }

    /// The handle as in HCI packets: 2 bytes, least significant byte first.
    var bytes: [UInt8] { [UInt8(rawValue & 0xFF), UInt8(rawValue >> 8)] }
}

/// The timing with which the two radios of a connection exchange packets (Core Specification Vol 4 Part E 7.7.65.1).
package struct ConnectionParameters: Hashable, Sendable {
    /// Time between connection events, in units of 1.25 ms.
    package let interval: UInt16
    /// The number of consecutive connection events that the peripheral may skip.
    package let latency: UInt16
    /// The time without packets after which the connection counts as lost, in units of 10 ms.
    package let supervisionTimeout: UInt16

    /// Creates parameters in the units of HCI.
    package init(interval: UInt16, latency: UInt16, supervisionTimeout: UInt16) {
        self.interval = interval
        self.latency = latency
        self.supervisionTimeout = supervisionTimeout
    }

    /// Reads the parameters of an event. A value outside the range of the Core Specification becomes the nearest
    /// allowed value: a damaged event must not make the host wait longer for the end of a link than any link can last.
    init(_ reader: inout ByteReader) throws(ByteReader.Truncated) {
        interval = min(max(6, try reader.uint16LE()), 0x0C80)
        latency = min(try reader.uint16LE(), 0x01F3)
        supervisionTimeout = min(max(10, try reader.uint16LE()), 0x0C80)
    }
}

extension ConnectionParameters {
    /// The supervision timeout. The phone chooses it, up to 32 s (Core Specification Vol 6 Part B 4.5.2). The
    /// controller keeps the link of a silent phone for this time, even after the end of the link was requested.
    package var supervisionTime: Duration { .milliseconds(10 * Int64(supervisionTimeout)) }
}

/// The state of a connection of the controller, as far as the host knows.
package struct LinkState: Equatable, Sendable {
    /// The controller's handle of the connection.
    package let handle: ConnectionHandle
    /// Whether the phone has sent a PDU on the attribute channel. A phone's first request is such a PDU.
    package let hasSpoken: Bool
    /// The time at which the end of the connection was requested; nil if no end was requested.
    package let endingSince: Instant?
    /// The time at which the oldest unacknowledged packet was sent to the phone; nil if all packets are acknowledged.
    package let unacknowledgedSince: Instant?
    /// The parameters in force.
    package let parameters: ConnectionParameters
}

/// A connection in its initial state.
package struct Connection: Equatable, Sendable {
    /// The role of this host in the connection.
    package enum Role: Sendable {
        case central, peripheral
    }

    /// The controller's handle of the connection.
    package let handle: ConnectionHandle
    /// The role of this host: always peripheral, because the host only advertises.
    package let role: Role
    /// The address of the phone for this connection. Phones change their addresses, so the address does not identify
    /// the phone.
    package let peer: DeviceAddress
    /// The parameters that the phone chose.
    package let parameters: ConnectionParameters
}
