/// The limits of the host's memory and waiting times. The defaults suit a gate with one phone at a time. A gate with
/// several phones at a time sets ``connections``.
package struct Limits: Equatable, Sendable {
    /// The time limit for the answer to a mandatory command. After 2 s the controller counts as dead. The slowest
    /// observed answers take tens of milliseconds, and firmware start-up after Reset takes some hundreds.
    var commandTime: Duration = .seconds(2)
    /// The time limit for the answer to an optional command, after which the command counts as unsupported. The limit
    /// is short, because all other commands wait. Each optional command can cost this time only once while a controller
    /// is in use.
    var optionalCommandTime: Duration = .seconds(1)
    /// The time limit for the confirmation of an indication. Then the value is sent again as a notification.
    package var confirmationTime: Duration = .seconds(5)
    /// The time limit for Disconnection Complete, in addition to the supervision timeout of the connection.
    var disconnectionMargin: Duration = .seconds(2)
    /// The maximum age of a phone's oldest unacknowledged packet for sending more: several connection intervals of the
    /// slowest phones, with losses.
    var acknowledgementTime: Duration = .milliseconds(300)
    /// The maximum time for which a frame waits for a buffer while the controller returns none. Then the controller
    /// counts as stuck.
    var heldBufferTime: Duration = .seconds(2)
    /// The time for which data that arrives before its Connection Complete is kept. USB polls its event pipe every few
    /// milliseconds.
    var earlyPacketTime: Duration = .milliseconds(100)
    /// The maximum time for which a connection waits for the event that names its advertising set. A controller sends
    /// that event immediately after the event of the connection.
    var setNamingTime: Duration = .milliseconds(100)
    /// The number of consecutive connections without an event that names their advertising set, after which the host
    /// assumes that the controller does not send such events.
    var unnamedConnections = 3
    /// The largest number of advertising sets to use.
    package var advertisingSets = 6
    /// The maximum number of HCI commands that wait for the outstanding command. Further optional commands are dropped.
    package var queuedCommands = 32
    /// The maximum number of connections. The default of two allows one visit, and one connection whose end the
    /// controller has not reported yet.
    package var connections = 2
    /// The maximum number of L2CAP PDUs of a connection that wait for the controller. A phone that fills the queue is
    /// disconnected, because it sends requests faster than it reads answers.
    package var queuedFrames = 32
    /// The maximum number of values of a connection that wait for a confirmation or for room in the frame queue.
    var queuedValues = 64
    /// The maximum length of an L2CAP payload from a phone in bytes: the largest ATT PDU with this host's MTU.
    var receivedPayload = 517
    /// The maximum number of data packets that are kept before their connection is announced.
    var earlyPackets = 8

    /// Creates the default limits.
    package init() {}
}
