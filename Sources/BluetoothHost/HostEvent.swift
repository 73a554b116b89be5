/// What happens to a host.
package enum HostEvent: Equatable, Sendable {
    /// The transport is open: (re)set the controller. Allowed at any time; whatever was before is forgotten without a word.
    case start
    /// One whole H4 packet came from the controller, indicator byte included (see `Encoding.H4Framing`).
    case received([UInt8])
    /// The deadline has come. Packets already received are to be handed over first, so that a late process does not take
    /// an answer for missing.
    case timer
    /// Show these advertisements from now on, the most important first, in place of any others; none: silence. As many as the
    /// controller has places for are on the air side by side, the others take turns. Answered by `advertisingStarted`,
    /// `advertisingStopped` or `advertisingRefused`; ignored unless the host is ready.
    case advertise([Advertisement])
    /// Send a value to a phone: as an indication if the phone asked for that, else as a notification.
    case notify(ConnectionHandle, CharacteristicID, [UInt8])
    /// End a connection. What the phone still sends is ignored; answered by `disconnected`.
    case disconnect(ConnectionHandle, DisconnectReason)
    /// The transport is gone.
    case transportLost
}
