import BluetoothHost
import Encoding
import Reasons

/// The links of the controller: whether it accepts another link, which links are dead, and the reset that ends the
/// dead links.
///
/// The link of a phone that falls silent stays in the controller until the supervision timeout, which the phone chose
/// and which can be 32 s. It stays even after the host has requested its end, because the link layer waits for an
/// acknowledgement (Core Specification Vol 6 Part B 5.1.6). A reset takes some 50 ms and ends all links. No HCI
/// command reports how many links a controller supports: the host learns the limit when the controller refuses to
/// advertise while it has that many links.
extension Kiosk {
    /// The number of links that are allowed in addition to one link for each place, for phones that are leaving. With
    /// that many links, the controller counts as full.
    static let leavingLinks = 24
    /// The longest time in which a phone in range acknowledges the end of its link. A link that needs longer counts as
    /// dead.
    static let parting: Duration = .milliseconds(500)

    /// The number of links with which the controller counts as full and accepts no further phone.
    private var linkLimit: Int { min(capacity, settings.phones + settings.lobby + Self.leavingLinks) }

    /// Whether the controller accepts no further phone.
    private var isRadioFull: Bool { host.linkCount >= linkLimit }

    /// Returns whether links must be freed: the controller is full, or its links are to be cleared. Clearing begins
    /// before the controller is full, because the controller is not reset during a visit and later phones would have
    /// to wait for the end of earlier visits.
    func isShortOfLinks(at now: Instant) -> Bool { isRadioFull || isClearing(at: now) }

    /// Returns whether the controller is to be reset as soon as no visit is in progress: more than a quarter of the
    /// links is in use and none of them is active (``isServed(_:at:)``), or more than half is dead. In the second case
    /// the present visits end normally, and no new phone is admitted meanwhile.
    private func isClearing(at now: Instant) -> Bool {
        guard host.linkCount > linkLimit / 4 else { return false }
        let links = host.linkStates
        return links.count { isDead($0, at: now) } > linkLimit / 2 || !links.contains { isServed($0, at: now) }
    }

    /// Returns whether, with one more link, a phone could find no free data buffer in the controller, because other
    /// phones do not acknowledge their packets.
    private func isShortOfBuffers(at now: Instant) -> Bool {
        guard let limit = host.bufferedLinks, host.linkCount >= limit else { return false }
        let silent = host.linkStates.count { isSilent($0, at: now) }
        // If the controller has fewer data buffers than the gate has places, silent phones are normal: they count only
        // when at most one buffer is left for the other phones.
        return silent > 0 && (limit >= settings.phones + settings.lobby || silent >= limit - 1)
    }

    /// Returns whether a phone that finds an advertisement can connect. A full controller still accepts a phone
    /// through an advertisement that is already on the air.
    func takesLinks(at now: Instant) -> Bool {
        !isClearing(at: now) && !isShortOfBuffers(at: now) && (host.isAdvertising || !isRadioFull)
    }

    /// Returns whether a link is active: its phone has sent something and acknowledges its packets.
    private func isServed(_ link: LinkState, at now: Instant) -> Bool {
        link.endingSince == nil && link.hasSpoken && !isDead(link, at: now)
    }

    /// Returns whether the phone has left a packet unacknowledged for longer than ``LinkState/silence``.
    private func isSilent(_ link: LinkState, at now: Instant) -> Bool {
        link.unacknowledgedSince.map { $0.advanced(by: link.silence) <= now } ?? false
    }

    private func isDead(_ link: LinkState, at now: Instant) -> Bool {
        if let since = link.endingSince { return since.advanced(by: Self.parting) <= now }
        return isSilent(link, at: now)
    }

    /// When the next link begins to count as dead, or the next fault of the radio to count as over; nil if there is no
    /// such instant.
    func linkDeadline(after now: Instant) -> Instant? {
        guard case .up = radio else { return nil }
        let isShort = host.linkCount > linkLimit / 4 || host.linkCount >= host.bufferedLinks ?? .max
        let links = isShort ? host.linkStates : []
        let dead = links.flatMap { link in
            [link.endingSince?.advanced(by: Self.parting), link.unacknowledgedSince?.advanced(by: link.silence)]
                .compactMap(\.self)
        }
        return (dead.filter { $0 > now } + troubles.map(\.until)).min()
    }

    /// Resets a controller that is short of links if all its links are dead: such a reset ends no visit.
    mutating func clearLinks(at now: Instant) -> [KioskAction] {
        guard case .up = radio else { return [] }
        // Count the controller as full: with one more link it would run out of data buffers.
        if isShortOfBuffers(at: now) { capacity = min(capacity, host.linkCount) }
        var actions: [KioskAction] = []
        if isShortOfLinks(at: now) {
            let dead = host.linkStates.count { $0.endingSince != nil && isDead($0, at: now) }
            // Report two dead links or more: one phone that has gone out of range is normal.
            if dead > 1 { show(.radioFull, at: now) }
            if dead > 0, dead == host.linkCount {
                counters.linkResets += 1
                actions = resetLinks(at: now)
            }
        }
        for trouble in troubles where trouble.until <= now { health.take(.over(trouble.code), at: now) }
        troubles.removeAll { $0.until <= now }
        return actions
    }

    /// Handles a controller that returned no data buffer for so long that a packet could not be sent: reports it and
    /// resets it.
    mutating func buffersKept(at now: Instant) -> [KioskAction] {
        counters.bufferResets += 1
        show(.radioBuffers, at: now)
        return resetLinks(at: now)
    }

    /// Reports the fault `code` of the radio. The fault counts as over when it was not reported again for
    /// ``KioskSettings/radioSettling``, because a fault that begins and ends with each phone would make the lamp
    /// flicker.
    private mutating func show(_ code: ReasonCode, at now: Instant) {
        troubles.removeAll { $0.code == code }
        troubles.append((code, now.advanced(by: settings.radioSettling)))
        let count = code == .radioBuffers ? counters.bufferResets : nil
        if count != nil || !health.isInForce(code) { health.take(.present(code, count: count), at: now) }
    }

    /// Resets the controller, which ends every link at once. The keys and the displayed code stay the same, so phones
    /// that have read the code find the gate again.
    private mutating func resetLinks(at now: Instant) -> [KioskAction] {
        let actions = abandonVisits(.radio, at: now)
        offers.silenced()
        beginAnew(at: now)
        return actions + drive(.start, at: now)
    }
}
