import DIDComm
import Encoding

extension Invitation {
    /// The evidence that two invitations are from the same inviter.
    package enum Match: Hashable, Sendable {
        /// Both invitations have the same id: one invitation was given twice.
        case sameInvitation
        /// Both invitations have the same public DID.
        case samePublicDID
        /// Both invitations have the same first recipient key.
        case sameKey
    }

    /// Returns why `other` is known to be from the same inviter; nil if that is not known. A DID or key that is absent
    /// in one of the invitations does not match.
    package func match(_ other: Invitation) -> Match? {
        if id == other.id { return .sameInvitation }
        if !publicDIDs.isDisjoint(with: other.publicDIDs) { return .samePublicDID }
        if let key = firstKey, key == other.firstKey { return .sameKey }
        return nil
    }

    private var publicDIDs: Set<Text> {
        var dids = entries.compactMap { entry in if case .did(let did) = entry { did } else { nil } }
        if let did = json["public_did"]?.string, !did.isEmpty { dids.append(did) }
        return Set(dids.map(DIDExchange.qualified))
    }

    private var firstKey: Verkey? {
        guard case .inline(let service)? = entries.first else { return nil }
        return service.recipientKeys.first
    }
}

/// What to do with an invitation. The plan depends on three questions: does it offer a handshake, does it contain a
/// request, is the inviter known? An invitation without handshake and request already fails with
/// ``InvitationError/nothingOffered``.
package enum InvitationPlan: Hashable, Sendable {
    /// Make a new connection. If `thenAnswer`, answer the attached requests over it.
    case connect(thenAnswer: Bool)
    /// Send the answers to the attached requests to the service in the invitation, over a one-time connection.
    case oneTime
    /// Ask the inviter whether the existing connection may be used. If `thenAnswer`, answer the attached requests.
    case reuse(thenAnswer: Bool)
    /// Answer the attached requests over the existing connection.
    case answerOnExisting

    /// Determines the plan for `invitation`. `connectionExists`: whether a connection to the same inviter exists.
    package init(_ invitation: Invitation, connectionExists: Bool) {
        let asks = !invitation.requests.isEmpty
        switch (invitation.handshakes.isEmpty, connectionExists) {
        case (false, false): self = .connect(thenAnswer: asks)
        case (false, true): self = .reuse(thenAnswer: asks)
        case (true, false): self = .oneTime
        case (true, true): self = .answerOnExisting
        }
    }
}
