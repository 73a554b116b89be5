import Encoding

/// The state of one link, dropped at the end of the link.
struct Link: Sendable {
    let connection: Connection
    var server: ATTServer
    var reassembler: ACLReassembler
    var pusher: ValuePusher
    var parameters: ConnectionParameterRequester
    /// The parameters in force.
    private(set) var current: ConnectionParameters
    /// Whether the phone has sent a PDU on the attribute channel. A phone's first request is such a PDU.
    var hasSpoken = false
    /// The wait for the requested end of the link; nil if no end was requested. During the wait, data from the phone is
    /// ignored.
    var closing: Closing?

    /// The wait for the end of a link: the time of the request, the time limit for the report, and whether the host has
    /// asked the controller again.
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

    /// Returns the time limit for a disconnection requested now. The link layer gives up after the supervision timeout
    /// at the latest (Core Specification Vol 6 Part B 4.5.2).
    func closingDeadline(at now: Instant, margin: Duration) -> Instant {
        now.advanced(by: current.supervisionTime + margin)
    }

    /// Applies new connection parameters. The link layer may wait for the end until the longer of the two timeouts.
    mutating func change(to parameters: ConnectionParameters, margin: Duration) {
        current = parameters
        guard var closing else { return }
        closing.by = max(closing.by, closingDeadline(at: closing.since, margin: margin))
        self.closing = closing
    }
}
