import Encoding

/// A command or report from a host to its owner.
package enum HostAction: Equatable, Sendable {
    /// Send the H4 packet to the controller, in the order of the actions.
    case send([UInt8])
    /// The controller is set up. The value describes the controller.
    case ready(ControllerInformation)
    /// The last requested advertisements are on the air. A connection reported before this action may belong to an
    /// earlier advertisement.
    case advertisingStarted
    /// No advertisement is on the air, as requested or because a phone has connected.
    case advertisingStopped
    /// The controller refused the requested advertisements. Some controllers cannot advertise during a connection. A
    /// new request after the end of the connection may succeed.
    case advertisingRefused(HCIOpcode, HCIStatus)
    /// The controller did not advertise although advertising was enabled. The number counts such findings since the
    /// start. The host enables advertising again.
    case advertisingLapsed(Int)
    /// A phone has connected to the advertisement with the address `to`; nil if the advertisement is unknown. The ATT
    /// MTU is 23 at first. The advertisement is now off the air. If the controller has only one advertising place, no
    /// advertisement is on the air. The owner must request advertisements again.
    case connected(Connection, to: DeviceAddress?)
    /// The phone or the controller has changed the timing of the connection.
    case parametersChanged(ConnectionHandle, ConnectionParameters)
    /// A connection has ended for the reason in the status. A later connection may have the same handle.
    case disconnected(ConnectionHandle, HCIStatus)
    /// The phone has exchanged MTUs. The number is the maximum length of an ATT PDU in both directions, in bytes. Each
    /// exchange is reported.
    case mtuChanged(ConnectionHandle, Int)
    /// The phone wrote a value of the characteristic by a Write Request, which is already answered (`withResponse`), or
    /// by a Write Command.
    case written(ConnectionHandle, CharacteristicID, [UInt8], withResponse: Bool)
    /// The phone wrote a characteristic's client configuration.
    case subscribed(ConnectionHandle, CharacteristicID, ClientConfiguration)
    /// The controller accepted a value as a notification, or the phone confirmed a value as an indication
    /// (`confirmed`).
    case delivered(ConnectionHandle, CharacteristicID, confirmed: Bool)
    /// The phone did not confirm an indication in time. The host sends this value again as a notification, and sends
    /// all later values as notifications, too.
    case unconfirmed(ConnectionHandle, CharacteristicID)
    /// A value will not reach the phone, for the given reason.
    case notDelivered(ConnectionHandle, CharacteristicID, DeliveryFailure)
    /// The controller or the transport has failed for the given reason. The end of all connections was reported before.
    /// Only `start` restarts the host.
    case failed(HostFailure)
}

/// The reason why a value was not sent.
package enum DeliveryFailure: Equatable, Sendable {
    /// The connection does not exist, or is ending.
    case notConnected
    /// No characteristic with notifications or indications has this id.
    case unknownCharacteristic
    /// The value is longer than the MTU less 3 bytes, or than 512.
    case tooLong
    /// Too many values are waiting.
    case queueFull
}
