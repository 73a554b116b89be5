import BluetoothHost
import Encoding
import Reasons

/// The links of the controller: whether it accepts another link, which links are dead, and the reset that
/// ends the dead links.
///
/// A phone that falls silent keeps its link in the controller for the supervision timeout, which the phone
/// chose, up to 32 s. This holds even after the host has requested the end of the link, because the link
/// layer waits for an acknowledgement (Core Specification Vol 6 Part B 5.1.6). A reset takes some 50 ms and
/// ends all links. No HCI command reports how many links a controller supports: the host learns the limit
/// when the controller refuses to advertise while it has that many links.
extension Kiosk {
    /// The number of links to allow in addition to those of the places. With more links, the controller
    /// counts as full.
    static let leavingLinks = 24
    /// How long a phone in range needs to leave.
    static let parting: Duration = .milliseconds(500)

    /// The number of links at which the controller accepts no further phone.
    private var linkLimit: Int { min(capacity, settings.phones + settings.lobby + Self.leavingLinks) }

    /// Whether the controller accepts no further phone.
    private var isRadioFull: Bool { host.linkCount >= linkLimit }

    /// Returns whether links must be freed: the controller is full, or almost full while no visit is in
    /// progress. Otherwise phones that arrive later would have to wait for the end of earlier visits, because
    /// the controller is not reset during a visit.
    func isShortOfLinks(at now: Instant) -> Bool { isRadioFull || isClearing(at: now) }

    /// Returns whether the controller is to be reset as soon as no visit is in progress. This is so if more
    /// than a quarter of the links is in use and none of them is active (``isServed(_:at:)``), or if more
    /// than half is dead. In the second case the present visits end normally, and no new phone is admitted
    /// meanwhile.
    private func isClearing(at now: Instant) -> Bool {
        guard host.linkCount > linkLimit / 4 else { return false }
        let links = host.linkStates
        return links.count { isDead($0, at: now) } > linkLimit / 2 || !links.contains { isServed($0, at: now) }
    }

    /// Whether one more link could leave another without a data buffer, because a phone does not acknowledge its
    /// packets.
    private func isShortOfBuffers(at now: Instant) -> Bool {
        guard let limit = host.bufferedLinks, host.linkCount >= limit else { return false }
        let silent = host.linkStates.count { isSilent($0, at: now) }
        // If the controller has fewer buffers than the gate has places, one phone that went out of range is
        // normal, and one buffer is enough for the others.
        return silent > 0 && (limit >= settings.phones + settings.lobby || silent >= limit - 1)
    }

    /// Whether a phone that finds an advertisement can connect. A full controller still accepts a phone on an
    /// advertisement that it already shows.
    func takesLinks(at now: Instant) -> Bool {
        !isClearing(at: now) && !isShortOfBuffers(at: now) && (host.isAdvertising || !isRadioFull)
    }

    /// Returns whether a link is active: its phone has sent something and acknowledges its packets.
    private func isServed(_ link: LinkState, at now: Instant) -> Bool {
        link.endingSince == nil && link.hasSpoken && !isDead(link, at: now)
    }

    /// Whether the phone has left a packet unacknowledged for too long.
    private func isSilent(_ link: LinkState, at now: Instant) -> Bool {
        link.unacknowledgedSince.map { $0.advanced(by: link.silence) <= now } ?? false
    }

    private func isDead(_ link: LinkState, at now: Instant) -> Bool {
        if let since = link.endingSince { return since.advanced(by: Self.parting) <= now }
        return isSilent(link, at: now)
    }

    /// When the next link begins to count as dead, or the next state of the radio as over; nil if there is no
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

    /// Resets a controller that is short of links when all of them are dead: this ends no visit.
    mutating func clearLinks(at now: Instant) -> [KioskAction] {
        guard case .up = radio else { return [] }
        // Limit the links to the number of buffers: one more link would be as bad as a full controller.
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

    /// Handles a controller that returned no buffer while an answer waited for one.
    mutating func buffersKept(at now: Instant) -> [KioskAction] {
        counters.bufferResets += 1
        show(.radioBuffers, at: now)
        return resetLinks(at: now)
    }

    /// Reports the state `code` of the radio. The state counts as over when it was not reported for some
    /// time, because a state that begins and ends with each phone would make the lamp flicker.
    private mutating func show(_ code: ReasonCode, at now: Instant) {
        troubles.removeAll { $0.code == code }
        troubles.append((code, now.advanced(by: settings.radioSettling)))
        let count = code == .radioBuffers ? counters.bufferResets : nil
        if count != nil || !health.isInForce(code) { health.take(.present(code, count: count), at: now) }
    }

    /// Resets the controller. This ends every link at once. Keys and code stay the same, so phones that have
    /// read the code find the gate again.
    private mutating func resetLinks(at now: Instant) -> [KioskAction] {
        let actions = abandonVisits(.radio, at: now)
        offers.silenced()
        beginAnew(at: now)
        return actions + drive(.start, at: now)
    }
}
