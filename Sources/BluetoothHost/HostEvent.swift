/// An input of a host.
package enum HostEvent: Equatable, Sendable {
    /// The transport is open: (re)set the controller. Allowed at any time; the previous state is dropped
    /// without a report.
    case start
    /// One whole H4 packet came from the controller, indicator byte included (see `Encoding.H4Framing`).
    case received([UInt8])
    /// The deadline has been reached. Hand over packets already received first: otherwise a process that runs
    /// late takes an answer for missing.
    case timer
    /// Show these advertisements from now on instead of any others, the most important first; an empty list
    /// means silence. As many as the controller has places are on the air at once; the others take turns.
    /// Answered by `advertisingStarted`, `advertisingStopped` or `advertisingRefused`; ignored unless the
    /// host is ready.
    case advertise([Advertisement])
    /// Send a value to a phone: as an indication if the phone asked for that, otherwise as a notification.
    case notify(ConnectionHandle, CharacteristicID, [UInt8])
    /// End a connection. Later data from the phone is ignored; answered by `disconnected`.
    case disconnect(ConnectionHandle, DisconnectReason)
    /// The transport is gone.
    case transportLost
}
