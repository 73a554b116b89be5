import BluetoothHost
import Credentials
import Encoding

/// The links that the controller has: whether it takes another one, which of them are dead, and the reset that ends
/// those.
///
/// A phone that falls silent keeps its link in the controller for the supervision timeout, which the phone chose, up to
/// 32 s; also after the host has asked for its end, since the link layer waits for an acknowledgement (Core
/// Specification Vol 6 Part B 5.1.6). A reset takes some 50 ms and ends all links. No HCI command says how many links a
/// controller takes: the host learns it when the controller refuses to advertise beside them.
extension Kiosk {
    /// Links beside those of the places that are kept in mind; with more the controller counts as full.
    static let leavingLinks = 24
    /// How long a phone that is in range needs to leave.
    static let parting: Duration = .milliseconds(500)

    /// Links beside which the controller takes no further phone.
    private var linkLimit: Int { min(capacity, settings.phones + settings.lobby + Self.leavingLinks) }

    /// Whether the controller takes no further phone.
    private var isRadioFull: Bool { host.linkCount >= linkLimit }

    /// Whether links have to be freed: the controller is full, or about to be while no visit is served. Phones that
    /// come later would have to wait for those who came in time, for beside a visit the controller is not reset.
    func isShortOfLinks(at now: Instant) -> Bool { isRadioFull || isClearing(at: now) }

    /// Whether more than a quarter of the links is taken and no visit is served.
    private func isClearing(at now: Instant) -> Bool {
        host.linkCount > linkLimit / 4 && !host.linkStates.contains { isServed($0, at: now) }
    }

    /// Whether a phone that finds an advertisement can connect. What a full controller still shows, it also connects.
    func takesLinks(at now: Instant) -> Bool { !isClearing(at: now) && (host.isAdvertising || !isRadioFull) }

    /// Whether a phone is there that has said something and acknowledges what it is sent.
    private func isServed(_ link: LinkState, at now: Instant) -> Bool {
        link.endingSince == nil && link.hasSpoken && !isDead(link, at: now)
    }

    private func isDead(_ link: LinkState, at now: Instant) -> Bool {
        if let since = link.endingSince { return since.advanced(by: Self.parting) <= now }
        return link.unacknowledgedSince.map { $0.advanced(by: Visit.silence) <= now } ?? false
    }

    /// When a link counts as dead, or a state of the radio as over; nil: none.
    func linkDeadline(after now: Instant) -> Instant? {
        guard case .up = radio else { return nil }
        let links = host.linkCount > linkLimit / 4 ? host.linkStates : []
        let dead = links.compactMap { link in
            link.endingSince?.advanced(by: Self.parting) ?? link.unacknowledgedSince?.advanced(by: Visit.silence)
        }
        return (dead.filter { $0 > now } + troubles.map(\.until)).min()
    }

    /// Resets a controller that is short of links when all of them are dead: that ends no visit.
    mutating func clearLinks(at now: Instant) -> [KioskAction] {
        guard case .up = radio else { return [] }
        var actions: [KioskAction] = []
        if isShortOfLinks(at: now) {
            let dead = host.linkStates.count { $0.endingSince != nil && isDead($0, at: now) }
            // One phone that has gone out of range is everyday.
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

    /// The controller gave no buffer back while an answer waited for one.
    mutating func buffersKept(at now: Instant) -> [KioskAction] {
        counters.bufferResets += 1
        show(.radioBuffers, at: now)
        return resetLinks(at: now)
    }

    /// Says that the radio is in that state. It counts as over when it has not been seen for a while, for one that
    /// comes and goes with each phone would make the lamp flicker.
    private mutating func show(_ code: ReasonCode, at now: Instant) {
        troubles.removeAll { $0.code == code }
        troubles.append((code, now.advanced(by: settings.radioSettling)))
        let count = code == .radioBuffers ? counters.bufferResets : nil
        if count != nil || !health.isInForce(code) { health.take(.present(code, count: count), at: now) }
    }

    /// Resets the controller, which ends every link at once. Keys and code stay: phones that have read it find it
    /// again.
    private mutating func resetLinks(at now: Instant) -> [KioskAction] {
        let actions = abandonVisits(.radio, at: now)
        offers.silenced()
        beginAnew(at: now)
        return actions + drive(.start, at: now)
    }
}
