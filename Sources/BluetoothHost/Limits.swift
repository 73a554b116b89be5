/// How much the host holds and how long it waits. The defaults suit a gate with one phone at a time; a gate
/// that serves several sets ``connections``.
package struct Limits: Equatable, Sendable {
    /// Time for the answer to a command that the host cannot do without; after it the controller counts as dead. 2 s:
    /// the slowest answers seen take tens of milliseconds, firmware start-up after Reset some hundreds.
    package var commandTime: Duration = .seconds(2)
    /// Time for the answer to an optional command; after it the command counts as unsupported. It is shorter because
    /// everything else waits meanwhile; it is spent at most once for each command in a controller's life.
    package var optionalCommandTime: Duration = .seconds(1)
    /// Time for the confirmation of an indication; after it the value is sent once more as a notification.
    package var confirmationTime: Duration = .seconds(5)
    /// Time for Disconnection Complete beyond the connection's own supervision timeout.
    package var disconnectionMargin: Duration = .seconds(2)
    /// How old a phone's oldest unacknowledged packet may be while more is sent to it: several connection
    /// intervals of the slowest phones, with losses.
    package var acknowledgementTime: Duration = .milliseconds(300)
    /// How long a frame waits for a buffer while none is returned; after it the controller counts as stuck.
    package var heldBufferTime: Duration = .seconds(2)
    /// How long data is kept that arrived before its Connection Complete: USB polls its event pipe every few
    /// milliseconds.
    package var earlyPacketTime: Duration = .milliseconds(100)
    /// How long a connection waits for the event that names its advertising set: that event follows the
    /// connection's own at once.
    package var setNamingTime: Duration = .milliseconds(100)
    /// Connections in a row without that event, after which the controller is considered not to send it.
    package var unnamedConnections = 3
    /// The largest number of advertising sets to use.
    package var advertisingSets = 6
    /// HCI commands that wait for the outstanding one; further optional commands are dropped.
    package var queuedCommands = 32
    /// Connections at once: that of the visit, and one whose end the controller has not yet reported.
    package var connections = 2
    /// L2CAP PDUs that wait for the controller, for each connection. A phone that fills this queue, because
    /// it sends requests faster than it takes answers, is disconnected.
    package var queuedFrames = 32
    /// Values that wait for the confirmation of an indication or for room in the frame queue, for each connection.
    package var queuedValues = 64
    /// Longest L2CAP payload taken from a phone, in bytes: the largest ATT PDU possible with this host's MTU.
    package var receivedPayload = 517
    /// Data packets kept before their connection is announced.
    package var earlyPackets = 8

    /// The defaults.
    package init() {}
}
