import DIDComm
import Encoding
import Glibc
import Simulation
import Synchronization
import TestKit

/// A virtual cloud agent with an HTTP server on the loopback address.
final class AgentOnLoopback: Sendable {
    private final class Box: Sendable {
        let agent: Mutex<VirtualAgent>
        let isHostile = Atomic<Bool>(false)

        init(_ agent: consuming sending VirtualAgent) { self.agent = Mutex(agent) }
    }

    /// A place in which the server's closure finds the agent: the agent is created after the server, because
    /// it needs the server's port.
    private final class Place: Sendable {
        let box = Mutex<Box?>(nil)
    }

    private let box: Box
    private let server: LoopbackServer
    /// Its multi-use invitation.
    let invitation: JSON

    /// Creates an agent with the label `name`; `keepsMessages`: whether it grants mailboxes.
    init(_ name: String = "Virtual agent", keepsMessages: Bool = false) throws {
        let (place, clock) = (Place(), ContinuousClock.now)
        server = try LoopbackServer { request in
            guard request.method == "POST", let box = place.box.withLock({ $0 }) else { return .init(405) }
            return box.agent.withLock { agent in
                let now = Instant(nanoseconds: clock.duration(to: .now).nanoseconds)
                // A hostile agent adds a message that asks for a response to every answer.
                if box.isHostile.load(ordering: .relaxed) { agent.send(Self.ping) }
                switch agent.handle(request.body, at: now) {
                case .accepted(let body):
                    return .init(200, [("content-type", "application/didcomm-envelope-enc")], body)
                case .rejected: return .init(400)
                case .lost: return nil
                case .unreachable: return .init(503)
                }
            }
        }
        func secret() -> Secret { Secret((0..<32).map { _ in UInt8.random(in: 0...255) }) }
        guard let random = RandomStream(seed: secret()),
            var agent = VirtualAgent(label: Text(name), endpoint: Text(server.url + "/"), random: random)
        else { throw ProgramFailure(description: "no random bytes") }
        if keepsMessages { agent.mediation = VirtualMediation(seed: secret(), hasPickup: true) }
        invitation = agent.invitation
        box = Box(agent)
        place.box.withLock { [box] in $0 = box }
    }

    /// A ping that asks for a response, each time with a different id.
    private static var ping: JSON {
        let id = RandomUUID.text((0..<16).map { _ in UInt8.random(in: 0...255) }) ?? ""
        return [
            "@type": "https://didcomm.org/trust_ping/1.0/ping", "@id": .text(id), "response_requested": true,
            "~please_ack": ["on": ["RECEIPT"]],
        ]
    }

    /// Adds a ping that asks for a response to every answer from now on.
    func wearDown() { box.isHostile.store(true, ordering: .relaxed) }

    /// Ends the agent's connections, with the next message on each.
    func hangUp() {
        box.agent.withLock { $0.send(["@type": "https://didcomm.org/did-rotate/1.0/hangup", "@id": "bye"]) }
    }

    /// Starts or stops the agent.
    func setUp(_ isUp: Bool) { box.agent.withLock { $0.isUp = isUp } }

    /// Makes the agent keep ledgers and claim one entry more of each than exists.
    func keepMoreThanThereIs() {
        box.agent.withLock { agent in
            agent.keeper = VirtualKeeper()
            agent.keeper?.lead = 1
        }
    }

    /// The number of posts so far.
    var posts: Int { server.requests }

    /// Whether a peer has sent the agent did-rotate's `hangup`, which ends a connection.
    var wasHungUp: Bool {
        box.agent.withLock { agent in
            agent.others.contains { $0["@type"]?.string == "https://didcomm.org/did-rotate/1.0/hangup" }
        }
    }
}
