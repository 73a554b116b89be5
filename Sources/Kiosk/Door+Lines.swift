import Credentials
import Encoding

/// What the inputs say.
extension Door {
    /// The inputs can be read. What they show now happened before anybody looked: no button was pressed and nobody passed by it.
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
        // Where they were read before, something was missed.
        lookAway()
        alarms.set(.doorInputs, false, at: now)
        return []
    }

    /// Nobody looks any more. Who was let in a moment ago may have passed; a fire stays one until its panel says otherwise.
    mutating func lose(_ detail: String, at now: Instant) -> [DoorAction] {
        lines = [:]
        activeSince = [:]
        chatter = Chatter()
        defer { entitled = [] }
        for code in DoorAlarms.codes { alarms.set(code, false, at: now) }
        alarms.set(.doorInputs, true, detail: detail, at: now)
        return entitled.map { .settled($0.visit, .unknown) }
    }

    /// A level counts from now on.
    mutating func changed(_ input: DoorInput, _ change: Debounce.Change, at now: Instant) -> [DoorAction] {
        activeSince[input] = change.isActive ? change.at : nil
        let isNews = self.isNews(change.at)
        // Through an open door others pass unseen; and what was so before anybody looked may have been somebody.
        defer { if input == settings.passageSensor, change.isActive, input == .contact || !isNews { lookAway() } }
        switch (input, change.isActive && isNews) {
        // It says nothing of people.
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

    /// Whether what was so at that instant has happened since somebody looks.
    func isNews(_ instant: Instant) -> Bool { instant > takenAt.advanced(by: Self.settling) }

    // MARK: - Passages

    /// Whether somebody who passes now goes unseen: only a new edge tells of him.
    var isBlind: Bool {
        guard let sensor = settings.passageSensor else { return true }
        return activeSince[sensor] != nil || chatter.inputs.contains(sensor)
    }

    /// Of nobody who may pass now it can be said later that he did not.
    mutating func lookAway() {
        for index in entitled.indices { entitled[index].isWatched = false }
    }

    /// Somebody has gone through.
    private mutating func passed(at instant: Instant) -> [DoorAction] {
        if let actions = use(at: instant) { return actions }
        counters.passages += 1
        if mode != .free {
            counters.tailgating += 1
            alarms.raise(.doorTailgating, count: counters.tailgating, at: instant)
        }
        return [.note(.passage(isEntitled: mode == .free), nil)]
    }

    /// Somebody has used an opening; nil: there was none. A visitor's goes before one of the way out, behind which nobody may have come:
    /// no visitor counts as not passed because somebody pressed the button.
    private mutating func use(at instant: Instant) -> [DoorAction]? {
        let open = entitled.indices.filter { instant <= entitled[$0].until }
        guard let index = open.first(where: { entitled[$0].visit != nil }) ?? open.first else { return nil }
        counters.passages += 1
        let visit = entitled.remove(at: index).visit
        return [.note(.passage(isEntitled: true), visit), .settled(visit, .seen)]
    }

    /// The door has opened: by somebody who was let through, or by force. Where nothing else tells of passages, it does.
    private mutating func doorOpened(at instant: Instant, _ now: Instant) -> [DoorAction] {
        let isEntitled = mode == .free || instant <= mayOpenUntil
        if !isEntitled {
            counters.forced += 1
            alarms.raise(.doorForced, count: counters.forced, at: now)
        }
        guard settings.passageSensor == .contact, isEntitled, !chatter.inputs.contains(.contact) else { return [] }
        return use(at: instant) ?? []
    }

    /// The button inside was pressed.
    private mutating func requested(at now: Instant) -> [DoorAction] {
        guard mode != .locked || settings.exitsWhileLocked else {
            counters.refusedRequests += 1
            return [.note(.exitRequested(isGranted: false), nil)]
        }
        counters.requests += 1
        // The handle may be quicker than the relay.
        mayOpenUntil = max(mayOpenUntil, now.advanced(by: settings.wait))
        return [.note(.exitRequested(isGranted: true), nil), .open]
    }

    /// The relay has been energised: one person may pass.
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

    /// When the door will have stood open for too long, unless it does already or may.
    var heldDeadline: Instant? {
        guard let since = activeSince[.contact], mode != .free else { return nil }
        let end = max(since, openedAt).advanced(by: settings.heldOpen)
        return alarms.isSet(.doorHeldOpen) ? nil : end
    }

    /// When a button or passage that is active counts as stuck.
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
        // A door that stands open goes on being forced.
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

/// Inputs that change more often than any contact does.
struct Chatter: Sendable {
    private var counts: [DoorInput: Int] = [:]
    private var since: Instant?
    /// Inputs that chatter.
    private(set) var inputs: [DoorInput] = []

    /// When the second is over; nil: nothing happens.
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
