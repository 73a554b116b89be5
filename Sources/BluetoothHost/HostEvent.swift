/// An input of a host.
package enum HostEvent: Equatable, Sendable {
    /// The transport is open: reset the controller. The event is always allowed; the previous state is dropped without
    /// a report.
    case start
    /// The controller sent one whole H4 packet, including the type byte (see `Encoding.H4Framing`).
    case received([UInt8])
    /// The deadline has been reached. The owner must first pass in packets that have already arrived. Otherwise a late
    /// process would mistake an unread answer for a missing answer.
    case timer
    /// Show exactly these advertisements from now on, the most important first. An empty list ends advertising. If the
    /// controller has fewer advertising places than advertisements, the less important advertisements are shown one
    /// after another. The answer is `advertisingStarted`, `advertisingStopped` or `advertisingRefused`. A host that is
    /// not ready ignores the event.
    case advertise([Advertisement])
    /// Send a value of the characteristic to a phone: as an indication if the phone requested indications, otherwise as
    /// a notification.
    case notify(ConnectionHandle, CharacteristicID, [UInt8])
    /// End a connection for the given reason. Later data from the phone is ignored. The answer is `disconnected`.
    case disconnect(ConnectionHandle, DisconnectReason)
    /// The transport has failed or was closed.
    case transportLost
}
