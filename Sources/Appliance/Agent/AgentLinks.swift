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
        /// The inviter could not be told the answers to its requests.
        case unanswered(ExchangeFailure)
        /// The system gives no random bytes.
        case noRandomness

        /// What is wrong, in plain words.
        package var text: String {
            switch self {
            case .invitation: "the invitation cannot be used"
            case .unanswered: "the inviter did not take the answers to its requests"
            case .noRandomness: "the system gives no random bytes"
            }
        }

        /// One sentence for the operator.
        package var remedy: String {
            switch self {
            case .invitation(let error): error.remedy
            case .unanswered(let failure): "Look at its agent: \(AgentNotice.text(failure))."
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
        /// The inviter is known: ask whether that connection will do, and make a new one if nobody says so.
        case known(AgentLink)
        /// The inviter is known, and only wants its requests answered.
        case asked(AgentLink)
        /// The invitation offers no lasting connection: its requests are answered once.
        case once
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

    /// What `invitation` leads to (``InvitationPlan``): one of `existing` that answers this very invitation, pending ones included
    /// and ended ones not; else a connected one to the same inviter; else a new one, which takes the place of the others once its
    /// handshake is done. `connected`: the ids of those of `existing` whose handshake is done.
    package static func link(
        for invitation: Invitation, existing: [AgentLink], connected: Set<Text> = [],
        _ configuration: AgentConnection.Configuration,
        _ surroundings: AgentLink.Surroundings
    ) throws(Failure) -> Found {
        if let known = existing.first(where: { !$0.wasEnded && $0.invitation.match(invitation) == .sameInvitation }) {
            return .existing(known)
        }
        let known = existing.last {
            connected.contains($0.id) && !$0.wasEnded && $0.invitation.match(invitation) != nil
        }
        switch (InvitationPlan(invitation, connectionExists: known != nil), known) {
        case (.answerOnExisting, let known?): return .asked(known)
        case (.reuse, let known?): return .known(known)
        case (.oneTime, _): return .once
        default: return .new(try new(invitation, configuration, surroundings))
        }
    }

    /// A new link for `invitation`. `reception`: how messages are to reach it, where that is not what the surroundings say.
    package static func new(
        _ invitation: Invitation, reception: AgentConnection.Reception? = nil,
        _ configuration: AgentConnection.Configuration, _ surroundings: AgentLink.Surroundings
    ) throws(Failure) -> AgentLink {
        var random = try randomStream()
        let id = Text(RandomUUID.text(random.draw(16)) ?? "")
        do {
            let connection = try AgentConnection(
                id: id, invitation: invitation, reception: reception ?? surroundings.reception,
                configuration: configuration, random: random)
            return AgentLink(connection, surroundings)
        } catch {
            throw .invitation(error)
        }
    }

    /// A new id; nil when the system gives no random bytes.
    static func newID() -> Text? {
        guard var random = try? randomStream() else { return nil }
        return RandomUUID.text(random.draw(16)).map { Text($0) }
    }

    /// A stream seeded by the system's random source.
    static func randomStream() throws(Failure) -> RandomStream {
        var system = SystemRandomNumberGenerator()
        let seed = (0..<32).map { _ in UInt8.random(in: 0...255, using: &system) }
        guard let stream = RandomStream(seed: Secret(seed)) else { throw .noRandomness }
        return stream
    }
}
