import Encoding

/// Everything that belongs to one connection, and goes with it.
struct Link: Sendable {
    let connection: Connection
    var server: ATTServer
    var reassembler: ACLReassembler
    var pusher: ValuePusher
    var parameters: ConnectionParameterRequester
    /// The parameters in force.
    private(set) var current: ConnectionParameters
    /// Whether the phone has said anything on the attribute channel, where everything begins that phones want.
    var hasSpoken = false
    /// When the end of the connection, once asked for, must have been reported. While it is set the link is deaf.
    var closing: Closing?

    /// The wait for the end of a connection: since and until when, and whether the controller has been asked again.
    struct Closing: Sendable {
        let since: Instant
        var by: Instant
        var isRepeated = false
    }

    init(_ connection: Connection, database: AttributeDatabase, configuration: HostConfiguration) {
        let limits = configuration.limits
        self.connection = connection
        server = ATTServer(database: database, receiveMTU: min(configuration.serverMTU, limits.receivedPayload))
        reassembler = ACLReassembler(limit: limits.receivedPayload)
        pusher = ValuePusher(limits: limits)
        parameters = ConnectionParameterRequester(attempts: configuration.connectionParameters)
        current = connection.parameters
    }

    var handle: ConnectionHandle { connection.handle }

    var deadline: Instant? { closing?.by ?? pusher.deadline }

    /// When a disconnection asked for now is overdue: the link layer gives up after the supervision timeout at the latest
    /// (Core Specification Vol 6 Part B 4.5.2).
    func closingDeadline(at now: Instant, margin: Duration) -> Instant {
        now.advanced(by: current.supervisionTime + margin)
    }

    /// Other parameters are in force. The link layer may wait for the end by the longer of both timeouts.
    mutating func change(to parameters: ConnectionParameters, margin: Duration) {
        current = parameters
        guard var closing else { return }
        closing.by = max(closing.by, closingDeadline(at: closing.since, margin: margin))
        self.closing = closing
    }
}
