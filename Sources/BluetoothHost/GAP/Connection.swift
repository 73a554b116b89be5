package import Encoding

/// The controller's name for a connection: 12 bits (Core Specification Vol 4 Part E 5.4.2). It may be given to another
/// connection as soon as this one has ended.
package struct ConnectionHandle: RawRepresentable, Hashable, Sendable {
    /// 0x000 to 0xEFF.
    package let rawValue: UInt16

    /// The handle in the lower 12 bits of `rawValue`; the upper 4 are flags in data packets.
    package init(rawValue: UInt16) {
        self.rawValue = rawValue & 0x0FFF
    }

    init(_ reader: inout ByteReader) throws(ByteReader.Truncated) {
        self.init(rawValue: try reader.uint16LE())
    }

    /// As HCI carries it: 2 bytes, least significant first.
    var bytes: [UInt8] { [UInt8(rawValue & 0xFF), UInt8(rawValue >> 8)] }
}

/// How often the two radios of a connection meet (Core Specification Vol 4 Part E 7.7.65.1).
package struct ConnectionParameters: Hashable, Sendable {
    /// Time between connection events, in units of 1.25 ms.
    package let interval: UInt16
    /// How many events in a row the peripheral may leave out.
    package let latency: UInt16
    /// Silence after which the connection counts as lost, in units of 10 ms.
    package let supervisionTimeout: UInt16

    /// Parameters in the units of HCI.
    package init(interval: UInt16, latency: UInt16, supervisionTimeout: UInt16) {
        self.interval = interval
        self.latency = latency
        self.supervisionTimeout = supervisionTimeout
    }

    init(_ reader: inout ByteReader) throws(ByteReader.Truncated) {
        interval = try reader.uint16LE()
        latency = try reader.uint16LE()
        supervisionTimeout = try reader.uint16LE()
    }
}

extension ConnectionParameters {
    /// The supervision timeout: the phone chooses it, up to 32 s (Core Specification Vol 6 Part B 4.5.2). The
    /// controller keeps a link for so long whose phone has fallen silent, also after its end was asked for.
    package var supervisionTime: Duration { .milliseconds(10 * Int64(supervisionTimeout)) }
}

/// What is known of a connection that the controller has.
package struct LinkState: Equatable, Sendable {
    /// The controller's name for it.
    package let handle: ConnectionHandle
    /// Whether its phone has said anything on the attribute channel, where everything begins that phones want.
    package let hasSpoken: Bool
    /// Since when its end has been asked for; nil: it has not.
    package let endingSince: Instant?
    /// Since when the phone has acknowledged nothing of what was sent to it; nil: nothing is unacknowledged.
    package let unacknowledgedSince: Instant?
    /// The parameters in force.
    package let parameters: ConnectionParameters
}

/// A connection as it was when it came about.
package struct Connection: Equatable, Sendable {
    /// Which side of the link we are.
    package enum Role: Sendable {
        case central, peripheral
    }

    /// The controller's name for it.
    package let handle: ConnectionHandle
    /// Our role: always peripheral with this host's advertising.
    package let role: Role
    /// The address that the phone used for this connection; says nothing about who it is.
    package let peer: DeviceAddress
    /// The parameters that the phone chose.
    package let parameters: ConnectionParameters
}
