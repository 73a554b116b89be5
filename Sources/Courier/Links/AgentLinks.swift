package import Aries
import DIDComm
package import Encoding
import Store

/// Creates links from stored connections and from invitations.
package enum AgentLinks {
    /// The reason why an invitation leads to no link.
    package enum Failure: Error, Sendable {
        /// The invitation cannot be used; the payload is the reason.
        case invitation(InvitationError)
        /// The system returns no random bytes.
        case noRandomness

        /// The problem, in plain words.
        package var text: String {
            switch self {
            case .invitation: "the invitation cannot be used"
            case .noRandomness: "the system provides no random bytes"
            }
        }

        /// The remedy in one sentence, for the operator.
        package var remedy: String {
            switch self {
            case .invitation(let error): error.remedy
            case .noRandomness: "Check the kernel's log; no key can be created."
            }
        }
    }

    /// Creates a link for each readable stored connection to the destination in `dependencies`, the oldest first.
    /// `unreadable`: the ids of the connections that cannot be read; they stay stored. `usesMailbox`: whether pending
    /// connections begin to use the gate's mailbox, as new ones do.
    package static func stored(
        _ configuration: AgentConnection.Configuration, _ dependencies: AgentLink.Dependencies,
        usesMailbox: Bool = false
    ) async throws -> (links: [AgentLink], unreadable: [Text]) {
        var (links, unreadable): ([AgentLink], [Text]) = ([], [])
        let seen = try await dependencies.store.loadHandled()
        for stored in try await dependencies.store.loadConnections()
        where stored.destination == dependencies.destination && !stored.isDeleting {
            do {
                let snapshot = try JSON.parse(stored.snapshot)
                var connection = try AgentConnection(
                    restoring: snapshot, seen: seen, configuration: configuration, random: try randomStream())
                if usesMailbox { connection.useMailbox() }
                links.append(AgentLink(connection, dependencies))
            } catch {
                unreadable.append(stored.id)
            }
        }
        return (links, unreadable)
    }

    /// Creates a link for a connection by `invitation`. `id`: the id of the connection; nil: a new id. `reception`:
    /// how messages reach the connection.
    package static func new(
        _ invitation: Invitation, id: Text? = nil, reception: AgentConnection.Reception = .returnRoute,
        _ configuration: AgentConnection.Configuration, _ dependencies: AgentLink.Dependencies
    ) throws(Failure) -> AgentLink {
        var random = try randomStream()
        let id = if let id { id } else { try newID(&random) }
        do {
            let connection = try AgentConnection(
                id: id, invitation: invitation, reception: reception, configuration: configuration, random: random)
            return AgentLink(connection, dependencies)
        } catch {
            throw .invitation(error)
        }
    }

    static func newID(_ random: inout RandomStream) throws(Failure) -> Text {
        guard let id = RandomUUID.text(random.draw(16)) else { throw .noRandomness }
        return Text(id)
    }

    /// Returns a random stream with a seed from the system's random source.
    static func randomStream() throws(Failure) -> RandomStream {
        var system = SystemRandomNumberGenerator()
        let seed = (0..<32).map { _ in UInt8.random(in: 0...255, using: &system) }
        guard let stream = RandomStream(seed: Secret(seed)) else { throw .noRandomness }
        return stream
    }
}
