package import Aries
import DIDComm
package import Encoding
import Store

/// Makes links from what is stored and from invitations.
package enum AgentLinks {
    /// Why there is no link for an invitation.
    package enum Failure: Error, Sendable {
        /// The invitation cannot be used.
        case invitation(InvitationError)
        /// The system gives no random bytes.
        case noRandomness

        /// What is wrong, in plain words.
        package var text: String {
            switch self {
            case .invitation: "the invitation cannot be used"
            case .noRandomness: "the system gives no random bytes"
            }
        }

        /// One sentence for the operator.
        package var remedy: String {
            switch self {
            case .invitation(let error): error.remedy
            case .noRandomness: "Look at the kernel's log; no key can be made."
            }
        }
    }

    /// What an invitation led to.
    package enum Found: Sendable {
        /// A connection of this invitation exists or is on its way: use that one, do not make a second.
        case existing(AgentLink)
        /// A new link; it is stored when it first runs.
        case new(AgentLink)
    }

    /// A link for each stored connection to the surroundings' destination that can be read, the oldest first; `unreadable` are the
    /// ids of the others, which stay stored.
    package static func stored(
        _ configuration: AgentConnection.Configuration, _ surroundings: AgentLink.Surroundings
    ) async throws -> (links: [AgentLink], unreadable: [Text]) {
        var (links, unreadable): ([AgentLink], [Text]) = ([], [])
        let seen = try await surroundings.store.loadHandled()
        for stored in try await surroundings.store.loadConnections()
        where stored.destination == surroundings.destination && !stored.isDeleting {
            do {
                let snapshot = try JSON.parse(stored.snapshot)
                let connection = try AgentConnection(
                    restoring: snapshot, seen: seen, configuration: configuration, random: try randomStream())
                links.append(AgentLink(connection, surroundings))
            } catch {
                unreadable.append(stored.id)
            }
        }
        return (links, unreadable)
    }

    /// The link for `invitation`: one of `existing` that answers this very invitation, pending ones included and ended ones not,
    /// else a new one, which takes the place of the others once its handshake is done.
    package static func link(
        for invitation: Invitation, existing: [AgentLink], _ configuration: AgentConnection.Configuration,
        _ surroundings: AgentLink.Surroundings
    ) throws(Failure) -> Found {
        if let known = existing.first(where: { !$0.wasEnded && $0.invitation.match(invitation) == .sameInvitation }) {
            return .existing(known)
        }
        var random = try randomStream()
        let id = Text(RandomUUID.text(random.draw(16)) ?? "")
        do {
            let connection = try AgentConnection(
                id: id, invitation: invitation, configuration: configuration, random: random)
            return .new(AgentLink(connection, surroundings))
        } catch {
            throw .invitation(error)
        }
    }

    /// A stream seeded by the system's random source.
    static func randomStream() throws(Failure) -> RandomStream {
        var system = SystemRandomNumberGenerator()
        let seed = (0..<32).map { _ in UInt8.random(in: 0...255, using: &system) }
        guard let stream = RandomStream(seed: Secret(seed)) else { throw .noRandomness }
        return stream
    }
}
