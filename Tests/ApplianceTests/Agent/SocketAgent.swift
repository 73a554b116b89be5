import DIDComm
import Encoding
import Glibc
import Simulation
import Synchronization
import TestKit

/// The way in which an agent's server is silent.
enum AgentSilence: CaseIterable, Sendable {
    /// It accepts a request and never answers.
    case takes
    /// It sends an empty answer.
    case answersNothing
    /// It answers with something that is not a message.
    case babbles
    /// It answers with a server error.
    case fails
}

/// A virtual agent with an HTTP server on the loopback address, which keeps ledgers and mailboxes.
final class SocketAgent: Sendable {
    private final class Box: Sendable {
        let agent: Mutex<VirtualAgent>
        let silence = Mutex<AgentSilence?>(nil)
        init(_ agent: consuming sending VirtualAgent) { self.agent = Mutex(agent) }
    }

    /// A place in which the server's closure finds the agent: the agent is created after the server, because
    /// it needs the server's port.
    private final class Place: Sendable {
        let box = Mutex<Box?>(nil)
    }

    private let box: Box
    private let http: LoopbackServer
    /// Its multi-use invitation.
    let invitation: JSON

    /// `hasPickup`: whether its mailboxes use pickup 2.0; nil: it has none.
    init(hasPickup: Bool?) throws {
        func secret() -> Secret { Secret((0..<32).map { _ in UInt8.random(in: 0...255) }) }
        let place = Place()
        http = try LoopbackServer { request in place.box.withLock({ $0 }).flatMap { Self.answer(request.body, $0) } }
        guard let random = RandomStream(seed: secret()),
            var agent = VirtualAgent(endpoint: Text(http.url + "/"), random: random)
        else { throw CancellationError() }
        agent.mediation = hasPickup.flatMap { VirtualMediation(seed: secret(), hasPickup: $0) }
        agent.keeper = VirtualKeeper()
        invitation = agent.invitation
        box = Box(agent)
        place.box.withLock { [box] in $0 = box }
    }

    private static func answer(_ body: [UInt8], _ box: Box) -> LoopbackServer.Answer? {
        switch box.silence.withLock({ $0 }) {
        case .takes:
            while box.silence.withLock({ $0 }) != nil { usleep(10_000) }
            return nil
        case .answersNothing: return .init(200)
        case .babbles: return .init(200, [("content-type", "application/json")], Array("{\"a\":1}".utf8))
        case .fails: return .init(503)
        case nil: break
        }
        return box.agent.withLock { agent in
            guard case .accepted(let body) = agent.handle(body, at: .zero) else { return nil }
            return .init(200, [("content-type", "application/didcomm-envelope-enc")], body)
        }
    }

    /// Makes the server silent in that way from now on; nil ends the silence.
    func fallSilent(_ silence: AgentSilence?) { box.silence.withLock { $0 = silence } }

    /// The problem reports that the agent received, as text.
    var problems: [String] {
        box.agent.withLock { $0.others.map(\.compactText).filter { $0.contains("/problem") } }
    }

    /// The number of notices that a connection ends.
    var hangups: Int {
        box.agent.withLock { agent in agent.others.count { $0["@type"] == "https://didcomm.org/did-rotate/1.0/hangup" }
        }
    }
}
