package import Aries
import DIDComm
package import Encoding
import Store

/// Creates links from stored connections and from invitations.
package enum AgentLinks {
    /// Why an invitation leads to no link.
    package enum Failure: Error, Sendable {
        /// The invitation cannot be used; the payload is the reason.
        case invitation(InvitationError)
        /// The answers to the inviter's requests could not be delivered; the payload is the reason.
        case unanswered(ExchangeFailure)
        /// The system returns no random bytes.
        case noRandomness

        /// What is wrong, in plain words.
        package var text: String {
            switch self {
            case .invitation: "the invitation cannot be used"
            case .unanswered: "the inviter did not accept the answers to its requests"
            case .noRandomness: "the system provides no random bytes"
            }
        }

        /// The remedy in one sentence, for the operator.
        package var remedy: String {
            switch self {
            case .invitation(let error): error.remedy
            case .unanswered(let failure): "Check its agent: \(AgentNotice.text(failure))."
            case .noRandomness: "Check the kernel's log; no key can be created."
            }
        }
    }

    /// What an invitation led to.
    package enum Found: Sendable {
        /// A connection by this invitation exists or is being made. Use it and do not make a second one.
        case existing(AgentLink)
        /// A new link. Its connection is stored when the link first runs.
        case new(AgentLink)
        /// A connection to the inviter exists. Ask the inviter to reuse it, and make a new connection if the
        /// inviter does not agree.
        case known(AgentLink)
        /// A connection to the inviter exists, and the invitation only asks for answers to its requests.
        case asked(AgentLink)
        /// The invitation offers no lasting connection: its requests are answered once, without a link.
        case once
    }

    /// Returns a link for each readable stored connection to the surroundings' destination, the oldest first.
    /// `unreadable`: the ids of the connections that cannot be read; they stay stored.
    package static func stored(
        _ configuration: AgentConnection.Configuration, _ dependencies: AgentLink.Dependencies
    ) async throws -> (links: [AgentLink], unreadable: [Text]) {
        var (links, unreadable): ([AgentLink], [Text]) = ([], [])
        let seen = try await dependencies.store.loadHandled()
        for stored in try await dependencies.store.loadConnections()
        where stored.destination == dependencies.destination && !stored.isDeleting {
            do {
                let snapshot = try JSON.parse(stored.snapshot)
                let connection = try AgentConnection(
                    restoring: snapshot, seen: seen, configuration: configuration, random: try randomStream())
                links.append(AgentLink(connection, dependencies))
            } catch {
                unreadable.append(stored.id)
            }
        }
        return (links, unreadable)
    }

    /// Returns what `invitation` leads to (``InvitationPlan``): the link of `existing` that was made by this
    /// invitation, whether connected or pending, but not an ended link; otherwise a connected link to the
    /// same inviter; otherwise a new link. The new link replaces the existing links once its handshake is
    /// complete. `connected`: the ids of the links of `existing` whose handshake is complete.
    package static func link(
        for invitation: Invitation, existing: [AgentLink], connected: Set<Text> = [],
        _ configuration: AgentConnection.Configuration,
        _ dependencies: AgentLink.Dependencies
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
        default: return .new(try new(invitation, configuration, dependencies))
        }
    }

    /// Creates a link for `invitation`. `reception`: how messages are to reach it; nil: as the surroundings
    /// say.
    package static func new(
        _ invitation: Invitation, reception: AgentConnection.Reception? = nil,
        _ configuration: AgentConnection.Configuration, _ dependencies: AgentLink.Dependencies
    ) throws(Failure) -> AgentLink {
        var random = try randomStream()
        let id = try newID(&random)
        do {
            let connection = try AgentConnection(
                id: id, invitation: invitation, reception: reception ?? dependencies.reception,
                configuration: configuration, random: random)
            return AgentLink(connection, dependencies)
        } catch {
            throw .invitation(error)
        }
    }

    /// Returns a new random id.
    static func newID(_ random: inout RandomStream) throws(Failure) -> Text {
        guard let id = RandomUUID.text(random.draw(16)) else { throw .noRandomness }
        return Text(id)
    }

    /// Returns a stream seeded by the system's random source.
    static func randomStream() throws(Failure) -> RandomStream {
        var system = SystemRandomNumberGenerator()
        let seed = (0..<32).map { _ in UInt8.random(in: 0...255, using: &system) }
        guard let stream = RandomStream(seed: Secret(seed)) else { throw .noRandomness }
        return stream
    }
}
