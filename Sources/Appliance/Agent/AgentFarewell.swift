import Aries
import DIDComm
import Encoding
import HTTPTransport

/// Tells a peer that its connection ends (did-rotate's `hangup`, RFC 0794), once and within a limit.
enum AgentFarewell {
    /// The protocol of the message.
    private static let name = ProtocolName("did-rotate", 1, 0)

    /// Whether the peer's server took the message. The connection is used up: nothing of what happens on it is kept.
    static func send(
        over connection: consuming AgentConnection, by exchange: any MessageExchange, clock: AgentClock,
        within limit: Duration
    ) async -> Bool {
        guard connection.peer != nil, !connection.isEnded, var random = try? AgentLinks.randomStream() else {
            return false
        }
        let message = OutboundMessage(id: Text(RandomUUID.text(random.draw(16)) ?? ""), Self.name, "hangup", [])
        let end = clock.now().advanced(by: limit)
        // What completes the handshake may have to go first.
        var events: [AgentConnection.Event] = [.deliver(message)]
        while !events.isEmpty, clock.now() < end {
            for action in connection.handle(events.removeFirst(), at: clock.now()) {
                switch action {
                case .post(let id, let url, let body):
                    guard let answer = await post(body, to: url, by: exchange, clock, until: end) else { return false }
                    events.append(.answered(id, body: answer))
                case .sent(message.id): return true
                default: break
                }
            }
        }
        return false
    }

    private static func post(
        _ body: [UInt8], to url: Text, by exchange: any MessageExchange, _ clock: AgentClock, until end: Instant
    ) async -> [UInt8]? {
        await withTaskGroup(of: [UInt8]?.self) { group in
            group.addTask { try? await exchange.post(body, to: url.string) }
            group.addTask {
                await clock.sleep(end)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
    }
}
