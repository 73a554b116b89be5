/// An input of a host.
package enum HostEvent: Equatable, Sendable {
    /// The transport is open: (re)set the controller. Allowed at any time; the previous state is dropped
    /// without a report.
    case start
    /// The controller sent one whole H4 packet, indicator byte included (see `Encoding.H4Framing`).
    case received([UInt8])
    /// The deadline has been reached. Hand over packets already received first: otherwise a process that runs
    /// late takes an answer for missing.
    case timer
    /// Show only these advertisements from now on, the most important first; an empty list ends advertising.
    /// If the controller has fewer places than advertisements, the less important ones take turns. The event
    /// is answered by `advertisingStarted`, `advertisingStopped` or `advertisingRefused`; it is ignored
    /// unless the host is ready.
    case advertise([Advertisement])
    /// Send a value of the characteristic to a phone: as an indication if the phone requested indications,
    /// otherwise as a notification.
    case notify(ConnectionHandle, CharacteristicID, [UInt8])
    /// End a connection for the given reason. Later data from the phone is ignored. The event is answered by
    /// `disconnected`.
    case disconnect(ConnectionHandle, DisconnectReason)
    /// The transport is gone.
    case transportLost
}
