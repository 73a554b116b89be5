/// How much the host holds and how long it waits. The defaults suit a gate with one phone at a time; who serves
/// several says so in ``connections``.
package struct Limits: Equatable, Sendable {
    /// Time for the answer to a command that the host cannot do without; after it the controller counts as dead. 2 s:
    /// the slowest answers seen take tens of milliseconds, firmware start-up after Reset some hundreds.
    package var commandTime: Duration = .seconds(2)
    /// Time for the answer to an optional command; after it the command counts as unsupported. Everything else waits
    /// meanwhile, so it is shorter; it is spent once for each command in a controller's life.
    package var optionalCommandTime: Duration = .seconds(1)
    /// Time for the confirmation of an indication; after it the value is sent once more as a notification.
    package var confirmationTime: Duration = .seconds(5)
    /// Time for Disconnection Complete beyond the connection's own supervision timeout.
    package var disconnectionMargin: Duration = .seconds(2)
    /// How old a phone's oldest unacknowledged packet may be while it is sent more: several connection intervals of the
    /// slowest phones, with losses.
    package var acknowledgementTime: Duration = .milliseconds(300)
    /// How long a frame waits for a buffer while none comes back; after it the controller counts as stuck.
    package var heldBufferTime: Duration = .seconds(2)
    /// How long data is kept that arrived before its Connection Complete: USB polls its event pipe every few milliseconds.
    package var earlyPacketTime: Duration = .milliseconds(100)
    /// How long a connection waits for the word which advertising set it belongs to: that event follows its own at once.
    package var setNamingTime: Duration = .milliseconds(100)
    /// Connections in a row without that word, after which the controller is not believed to give it.
    package var unnamedConnections = 3
    /// Advertising sets that are used.
    package var advertisingSets = 6
    /// HCI commands that wait behind the one under way; further optional ones are left out.
    package var queuedCommands = 32
    /// Connections at once: the visit's, and one whose end the controller has not yet reported.
    package var connections = 2
    /// L2CAP PDUs that wait for the controller, for each connection. A phone that asks faster than it takes answers is
    /// disconnected at this point.
    package var queuedFrames = 32
    /// Values that wait behind an unconfirmed indication or a full frame queue, for each connection.
    package var queuedValues = 64
    /// Longest L2CAP payload taken from a phone, in bytes: the largest ATT PDU there is with this host's MTU.
    package var receivedPayload = 517
    /// Data packets kept while their connection is not yet announced.
    package var earlyPackets = 8

    /// The defaults.
    package init() {}
}
