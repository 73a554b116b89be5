import Encoding

/// All state of one link. The state is dropped when the link ends.
struct Link: Sendable {
    let connection: Connection
    var server: ATTServer
    var reassembler: ACLReassembler
    var pusher: ValuePusher
    var parameters: ConnectionParameterRequester
    /// The parameters in force.
    private(set) var current: ConnectionParameters
    /// Whether the phone has sent a PDU on the attribute channel. Each request of a phone begins with such a
    /// PDU.
    var hasSpoken = false
    /// The wait for the end of the link, once requested. While it is set, data from the phone is ignored.
    var closing: Closing?

    /// The wait for the end of a link: when it was requested, by when it must be reported, and whether the
    /// controller has been asked again.
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

    /// Returns when a disconnection requested now is overdue: the link layer gives up after the supervision
    /// timeout at the latest (Core Specification Vol 6 Part B 4.5.2).
    func closingDeadline(at now: Instant, margin: Duration) -> Instant {
        now.advanced(by: current.supervisionTime + margin)
    }

    /// Takes new connection parameters. The link layer may wait for the end by the longer of both timeouts.
    mutating func change(to parameters: ConnectionParameters, margin: Duration) {
        current = parameters
        guard var closing else { return }
        closing.by = max(closing.by, closingDeadline(at: closing.since, margin: margin))
        self.closing = closing
    }
}
