import BluetoothHost
import Encoding

/// 1. Advertise: what is offered, and what of it is on the air.
extension Kiosk {
    var invitationDeadline: Instant? {
        guard case .up = radio else { return nil }
        return invitations.deadline(rotation: settings.keyRotation)
    }

    /// Fresh keys have been drawn: they are on display from now on.
    mutating func invite(_ material: SessionMaterial, at now: Instant) -> [KioskAction] {
        guard case .up = radio, invitations.isAwaiting else { return [] }
        let offer = invitations.add(material, name: settings.name, overlap: settings.previousKey, at: now)
        guard let offer else { return [.drawSessionMaterial] }
        return [.showInvitation(offer.uri), .note(.advertising(uri: offer.uri), nil)]
    }

    /// Asks for new keys where they are wanted, and for the advertisement whose turn it is while a further phone finds room.
    mutating func air(at now: Instant) -> [KioskAction] {
        guard case .up = radio else { return [] }
        var actions: [KioskAction] = []
        invitations.prune(keeping: visits.map(\.offer), at: now)
        if invitations.needsNew(after: settings.keyRotation, at: now) {
            invitations.isAwaiting = true
            actions.append(.drawSessionMaterial)
        }
        guard let change = invitations.ask(hasRoom: hasRoom(at: now), at: now) else { return actions }
        let wish = change.map { HostEvent.advertise($0.advertisement) } ?? .stopAdvertising
        return actions + drive(wish, at: now)
    }
}
