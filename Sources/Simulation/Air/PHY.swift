/// An LE PHY and the duration of its packets (Core Specification Vol 6 Part B 2.1 and 4.1).
package enum PHY: UInt8, Sendable {
    /// The PHY with 1 Mbit/s.
    case le1M = 1
    /// The PHY with 2 Mbit/s.
    case le2M = 2

    /// The pause between two packets of a connection event (T_IFS), in nanoseconds.
    private static let interFrameSpace: Int64 = 150_000

    /// Returns the air time of one unencrypted data packet with `payload` bytes: preamble, access address, header, CRC
    /// and payload.
    func airTime(payload: Int) -> Duration {
        switch self {
        case .le1M: .nanoseconds(Int64(10 + payload) * 8_000)
        case .le2M: .nanoseconds(Int64(11 + payload) * 4_000)
        }
    }

    /// Returns the duration of one exchange: the central's packet, the pause, the peripheral's packet, the
    /// pause. A side without data sends an empty packet.
    package func exchangeTime(central: Int, peripheral: Int) -> Duration {
        airTime(payload: central) + airTime(payload: peripheral) + .nanoseconds(2 * Self.interFrameSpace)
    }
}
