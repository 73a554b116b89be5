import BluetoothHost
import Encoding

/// Step 1, Advertise: the offers, and which of them the controller advertises.
extension Kiosk {
    var offerDeadline: Instant? {
        guard case .up = radio else { return nil }
        return offers.deadline(rotation: settings.keyRotation)
    }

    /// Makes an offer of newly drawn keys and displays its invitation. Requests other keys if these are invalid.
    mutating func invite(_ material: SessionMaterial, at now: Instant) -> [KioskAction] {
        guard case .up = radio, offers.isAwaiting else { return [] }
        let offer = offers.add(
            material, name: settings.name, to: settings.generations, overlap: settings.previousKey, at: now)
        guard let offer else { return [.drawSessionMaterial] }
        return [.showInvitation(offer.uri), .note(.advertising(uri: offer.uri), nil)]
    }

    /// Requests new keys when a new offer is needed, and advertises the offers while the gate has room for another
    /// phone.
    mutating func air(at now: Instant) -> [KioskAction] {
        guard case .up = radio else { return [] }
        var actions: [KioskAction] = []
        offers.prune(keeping: visits.indices.map { visits[$0].offer }, at: now)
        if offers.needsNew(after: settings.keyRotation, hasWaiting: hasWaiting, at: now) {
            offers.isAwaiting = true
            actions.append(.drawSessionMaterial)
        }
        guard let wish = offers.ask(hasRoom: hasRoom(at: now), at: now) else { return actions }
        return actions + drive(.advertise(wish), at: now)
    }
}
