import DIDComm
import Encoding

extension Invitation {
    /// The evidence that two invitations are from the same inviter.
    package enum Match: Hashable, Sendable {
        /// Both are the same invitation, which was given again.
        case sameInvitation
        /// Both invitations have the same public DID.
        case samePublicDID
        /// Both invitations have the same first recipient key.
        case sameKey
    }

    /// Returns why `other` is known to be from the same inviter; nil if that is not known. Absent or null
    /// members never match.
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

/// What to do with an invitation: eight cases, by handshake, by request and by whether the inviter is known.
/// An invitation without handshake and request already fails with ``InvitationError/nothingOffered``.
package enum InvitationPlan: Hashable, Sendable {
    /// Make a new connection; then answer the attached request, if the invitation has one.
    case connect(thenAnswer: Bool)
    /// Answer the request at the service in the invitation, without a lasting connection.
    case oneTime
    /// Ask to reuse the existing connection; then answer the attached request, if the invitation has one.
    case reuse(thenAnswer: Bool)
    /// Answer the request on the existing connection.
    case answerOnExisting

    /// Determines what to do with `invitation`, given whether a connection to the same inviter exists.
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
