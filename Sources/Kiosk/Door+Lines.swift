import Encoding
import Reasons

/// Handles edges of the door's inputs.
extension Door {
    /// Begins to monitor the inputs. An input that is active now became active before monitoring began: it counts
    /// neither as a pressed button nor as a passage.
    mutating func begin(_ levels: [DoorInput: Bool], at now: Instant) -> [DoorAction] {
        takenAt = now
        lines = [:]
        activeSince = [:]
        for (input, time) in settings.inputs {
            let isActive = levels[input] ?? false
            lines[input] = Debounce(time, isActive: isActive)
            if isActive { activeSince[input] = now }
        }
        hasFire = lines[.fire]?.isActive ?? false
        // If the inputs were monitored earlier, a change may have been missed since then.
        lookAway()
        alarms.set(.doorInputs, false, at: now)
        return []
    }

    /// Ends monitoring, because the inputs cannot be read. A person who was admitted a moment ago may have passed; a
    /// fire stays in force until the fire panel reports its end.
    mutating func lose(_ detail: String, at now: Instant) -> [DoorAction] {
        lines = [:]
        activeSince = [:]
        chatter = Chatter()
        defer { entitled = [] }
        for code in DoorAlarms.codes { alarms.set(code, false, at: now) }
        alarms.set(.doorInputs, true, detail: detail, at: now)
        return entitled.map { .settled($0.visit, .unknown) }
    }

    /// Handles a change of an input after debouncing.
    mutating func changed(_ input: DoorInput, _ change: Debounce.Change, at now: Instant) -> [DoorAction] {
        activeSince[input] = change.isActive ? change.at : nil
        let isNews = self.isNews(change.at)
        // People can pass unseen through an open door. An input that was active before monitoring began may also mean
        // an unseen passage.
        defer { if input == settings.passageSensor, change.isActive, input == .contact || !isNews { lookAway() } }
        switch (input, change.isActive && isNews) {
        // Do not report a passage of an input that chatters: its edges give no information about people.
        case (.passage, _) where chatter.inputs.contains(input), (.request, _) where chatter.inputs.contains(input):
            break
        case (.passage, true): return passed(at: change.at)
        case (.request, true): return requested(at: now)
        case (.contact, true): return doorOpened(at: change.at, now)
        case (.fire, _): hasFire = change.isActive
        case (.passage, false), (.request, false), (.contact, false), (.tamper, _): break
        }
        return []
    }

    /// Returns whether a change at `instant` happened after monitoring began.
    func isNews(_ instant: Instant) -> Bool { instant > takenAt.advanced(by: Self.settling) }

    // MARK: - Passages

    /// Whether a passage at this moment could not be detected, because only a new edge of the passage sensor shows
    /// one.
    var isBlind: Bool {
        guard let sensor = settings.passageSensor else { return true }
        return activeSince[sensor] != nil || chatter.inputs.contains(sensor)
    }

    /// Marks all entitlements (openings that wait for their passage) as not observable. For none of them can it be
    /// determined later that the person did not pass.
    mutating func lookAway() {
        for index in entitled.indices { entitled[index].isWatched = false }
    }

    /// Handles a passage of one person that the passage input has shown.
    private mutating func passed(at instant: Instant) -> [DoorAction] {
        if let actions = use(at: instant) { return actions }
        counters.passages += 1
        if mode != .free {
            counters.tailgating += 1
            alarms.raise(.doorTailgating, count: counters.tailgating, at: instant)
        }
        return [.note(.passage(isEntitled: mode == .free), nil)]
    }

    /// Uses one entitlement (an opening that waits for its passage) for a passage. Returns nil if there is none. A
    /// visitor's entitlement is used before an entitlement for an exit, because the person who pressed the button
    /// might not pass. Otherwise a visitor could count as not passed although the visitor passed.
    private mutating func use(at instant: Instant) -> [DoorAction]? {
        let open = entitled.indices.filter { instant <= entitled[$0].until }
        guard let index = open.first(where: { entitled[$0].visit != nil }) ?? open.first else { return nil }
        counters.passages += 1
        let visit = entitled.remove(at: index).visit
        return [.note(.passage(isEntitled: true), visit), .settled(visit, .seen)]
    }

    /// Handles the opening of the door. The opening is by a person who was let through, or by force. If no
    /// other input shows passages, the opening counts as a passage.
    private mutating func doorOpened(at instant: Instant, _ now: Instant) -> [DoorAction] {
        let isEntitled = mode == .free || instant <= mayOpenUntil
        if !isEntitled {
            counters.forced += 1
            alarms.raise(.doorForced, count: counters.forced, at: now)
        }
        guard settings.passageSensor == .contact, isEntitled, !chatter.inputs.contains(.contact) else { return [] }
        return use(at: instant) ?? []
    }

    /// Handles a press of the button inside.
    private mutating func requested(at now: Instant) -> [DoorAction] {
        guard mode != .locked || settings.exitsWhileLocked else {
            counters.refusedRequests += 1
            return [.note(.exitRequested(isGranted: false), nil)]
        }
        counters.requests += 1
        // Permit the opening of the door at once, because a person may use the handle before the relay has switched.
        mayOpenUntil = max(mayOpenUntil, now.advanced(by: settings.wait))
        return [.note(.exitRequested(isGranted: true), nil), .open]
    }

    /// Notes that the relay was energised: one person may pass.
    mutating func opened(_ visit: VisitID?, until: Instant, at now: Instant) -> [DoorAction] {
        let end = max(until, now.advanced(by: min(settings.wait, DoorSettings.longestWait)))
        mayOpenUntil = max(mayOpenUntil, end)
        openedAt = now
        guard settings.seesPassage else { return [] }
        guard !lines.isEmpty else { return [.settled(visit, .unknown)] }
        entitled.append(Entitlement(visit: visit, until: end, isWatched: !isBlind))
        guard entitled.count > Self.entitlements else { return [] }
        return [.settled(entitled.removeFirst().visit, .unknown)]
    }

    // MARK: - Alarms that follow from levels

    /// When the door will have been open for too long; nil if it is shut, if the alarm is in force already, or during
    /// free passage.
    var heldDeadline: Instant? {
        guard let since = activeSince[.contact], mode != .free else { return nil }
        let end = max(since, openedAt).advanced(by: settings.heldOpen)
        return alarms.isSet(.doorHeldOpen) ? nil : end
    }

    /// When an active button or passage input counts as stuck; nil if none is active or the alarm is in force already.
    var stuckDeadline: Instant? {
        guard !alarms.isSet(.doorInput) else { return nil }
        return Self.momentary.compactMap { activeSince[$0]?.advanced(by: Self.stuck) }.min()
    }

    private static let momentary: [DoorInput] = [.passage, .request]

    mutating func judge(at now: Instant) {
        let held = activeSince[.contact].map { max($0, openedAt).advanced(by: settings.heldOpen) }
        let isHeld = mode != .free && held.map { now >= $0 } ?? false
        if isHeld, !alarms.isSet(.doorHeldOpen) { counters.held += 1 }
        alarms.set(.doorHeldOpen, isHeld, count: counters.held, at: now)
        // The alarm about a forced door stays in force as long as the door is open.
        if alarms.isSet(.doorForced) {
            alarms.hold(.doorForced, activeSince[.contact] != nil && mode != .free && !lines.isEmpty, at: now)
        }
        alarms.set(.doorTamper, lines[.tamper]?.isActive ?? false, at: now)
        alarms.set(.doorFire, hasFire, at: now)
        chatter.advance(to: now)
        let stuck = Self.momentary.filter { input in
            activeSince[input].map { now >= $0.advanced(by: Self.stuck) } ?? false
        }
        let words =
            stuck.map { "\($0.rawValue) is active without an end" }
            + chatter.inputs.map { "\($0.rawValue) chatters" }
        alarms.set(.doorInput, !words.isEmpty, detail: words.joined(separator: "; "), at: now)
    }
}

/// Detects inputs that change more often than any contact can.
struct Chatter: Sendable {
    private var counts: [DoorInput: Int] = [:]
    private var since: Instant?
    /// The inputs that chatter.
    private(set) var inputs: [DoorInput] = []

    /// When the present second of counting edges is over; nil if no edge was counted.
    var deadline: Instant? { since?.advanced(by: .seconds(1)) }

    mutating func note(_ input: DoorInput, at now: Instant) {
        since = since ?? now
        counts[input, default: 0] += 1
        if counts[input, default: 0] > Door.edges, !inputs.contains(input) { inputs.append(input) }
    }

    mutating func advance(to now: Instant) {
        guard let deadline, now >= deadline else { return }
        inputs = DoorInput.allCases.filter { counts[$0, default: 0] > Door.edges }
        since = inputs.isEmpty ? nil : now
        counts = [:]
    }
}
