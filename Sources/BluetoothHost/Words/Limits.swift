/// The limits of the memory that the host uses and of the time that it waits. The defaults suit a gate with
/// one phone at a time; a gate with several phones at a time sets ``connections``.
package struct Limits: Equatable, Sendable {
    /// The time limit for the answer to a command without which the host cannot work; after it the controller
    /// counts as dead. 2 s: the slowest answers seen take tens of milliseconds, firmware start-up after Reset
    /// some hundreds.
    var commandTime: Duration = .seconds(2)
    /// The time for the answer to an optional command; after it the command counts as unsupported. It is
    /// shorter than the time for mandatory commands, because all other commands wait meanwhile. Each optional
    /// command can cost this time at most once while a controller is in use.
    var optionalCommandTime: Duration = .seconds(1)
    /// The time limit for the confirmation of an indication; after it the value is sent once more as a
    /// notification.
    package var confirmationTime: Duration = .seconds(5)
    /// The time limit for Disconnection Complete beyond the connection's own supervision timeout.
    var disconnectionMargin: Duration = .seconds(2)
    /// How old a phone's oldest unacknowledged packet may be while more is sent to it: several connection
    /// intervals of the slowest phones, with losses.
    var acknowledgementTime: Duration = .milliseconds(300)
    /// How long a frame waits for a buffer while the controller returns none; after this time the controller
    /// counts as stuck.
    var heldBufferTime: Duration = .seconds(2)
    /// How long data is kept that arrived before its Connection Complete: USB polls its event pipe every few
    /// milliseconds.
    var earlyPacketTime: Duration = .milliseconds(100)
    /// How long a connection waits for the event that names its advertising set. A controller sends that
    /// event immediately after the event of the connection.
    var setNamingTime: Duration = .milliseconds(100)
    /// The number of consecutive connections without the event that names their advertising set. After that
    /// number the host assumes that the controller does not send this event.
    var unnamedConnections = 3
    /// The largest number of advertising sets to use.
    package var advertisingSets = 6
    /// The maximum number of HCI commands that wait for the outstanding command. Further optional commands
    /// are dropped.
    package var queuedCommands = 32
    /// The maximum number of connections at once. The default of two allows that of the visit, and one whose
    /// end the controller has not yet reported.
    package var connections = 2
    /// The maximum number of L2CAP PDUs that wait for the controller, for each connection. A phone that fills
    /// this queue is disconnected, because it sends requests faster than it takes answers.
    package var queuedFrames = 32
    /// The maximum number of values that wait for the confirmation of an indication or for room in the frame
    /// queue, for each connection.
    var queuedValues = 64
    /// The longest L2CAP payload accepted from a phone, in bytes: the largest ATT PDU possible with this
    /// host's MTU.
    var receivedPayload = 517
    /// The maximum number of data packets kept before their connection is announced.
    var earlyPackets = 8

    /// Creates the default limits.
    package init() {}
}
