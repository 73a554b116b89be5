import Aries
import Clocks
import DIDComm
import Encoding
import HTTPTransport

/// Notifies a peer that its connection ends, with the message `hangup` of did-rotate (RFC 0794). Makes one attempt
/// within a time limit.
enum HangupSender {
    /// Returns whether the peer's server accepted the message. The connection is used up: its later state is not
    /// stored.
    static func send(
        over connection: consuming AgentConnection, by exchange: any MessageExchange, clock: Clock,
        within limit: Duration
    ) async -> Bool {
        guard connection.peer != nil, !connection.isEnded, var random = try? AgentLinks.randomStream(),
            let id = try? AgentLinks.newID(&random)
        else { return false }
        let message = DIDRotation.hangup(id: id)
        let end = clock.now().advanced(by: limit)
        // If the handshake is not complete, the connection may first have to send the message that completes it.
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
        _ body: [UInt8], to url: Text, by exchange: any MessageExchange, _ clock: Clock, until end: Instant
    ) async -> [UInt8]? {
        await withTaskGroup(of: [UInt8]?.self) { group in
            group.addTask { try? await exchange.post(body, to: url.string) }
            group.addTask {
                try? await clock.sleep(until: end)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
    }
}
