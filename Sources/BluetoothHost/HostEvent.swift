/// What happens to a host.
package enum HostEvent: Equatable, Sendable {
    /// The transport is open: (re)set the controller. Allowed at any time; whatever was before is forgotten without a word.
    case start
    /// One whole H4 packet came from the controller, indicator byte included (see `Encoding.H4Framing`).
    case received([UInt8])
    /// The deadline has come. Packets already received are to be handed over first, so that a late process does not take
    /// an answer for missing.
    case timer
    /// Show this advertisement from now on, in place of any other. Answered by `advertisingStarted` or
    /// `advertisingRefused`; ignored unless the host is ready.
    case advertise(Advertisement)
    /// Show none. Answered by `advertisingStopped`.
    case stopAdvertising
    /// Send a value to a phone: as an indication if the phone asked for that, else as a notification.
    case notify(ConnectionHandle, CharacteristicID, [UInt8])
    /// End a connection. What the phone still sends is ignored; answered by `disconnected`.
    case disconnect(ConnectionHandle, DisconnectReason)
    /// The transport is gone.
    case transportLost
}
