import Encoding
import Kiosk
import Reasons

/// Checks the kiosk's events and actions against the door's rules: lock-down, free passage, exit requests, alarms.
struct DoorRules: Sendable {
    /// The maximum time for which an alarm may stay in force after its cause has ended: the alarm's own duration, and
    /// the delay of the report of a change.
    static let alarm: Duration = .seconds(40)
    /// The maximum time of free passage without a renewal.
    static let lease: Duration = .seconds(5)

    /// The time limit for answering a press of the exit button. The limit covers another person's pulse, the pulse of a
    /// visitor who is served first, and the pauses between pulses.
    static let request: Duration = .seconds(11)
    /// The maximum time until a change of an input counts.
    static let debounce: Duration = .seconds(1)

    private let settings: DoorSettings
    private var order = DoorOrder.none
    private var schedule: (mode: DoorMode, until: Instant) = (.normal, .zero)
    private var levels: [DoorInput: Bool] = [:]
    private var hasFire = false
    /// The time since which the fire panel has been inactive again; nil if it is active or cannot be read.
    private var fireEnd: Instant?
    /// The instant of the last change at the door.
    private var changed = Instant.zero
    /// The number of presses of the exit button without an opening, and the time of the last press.
    private var (requests, lastRequest) = (0, Instant.zero)
    private var isOpenForExit = false
    /// The time since which a granted exit request waits for its opening; nil if none waits.
    private var waitsSince: Instant?
    private var freeUntil: Instant?
    private var alarms: Set<ReasonCode> = []

    init(_ settings: KioskSettings) { self.settings = settings.door }

    /// Whether passage is free, according to the commands to the output.
    var isFree: Bool { freeUntil != nil }

    /// Consumes an exit request. One request justifies one opening. Returns whether there was a valid request.
    mutating func takeRequest(at now: Instant) -> Bool {
        guard requests > 0, lastRequest.duration(to: now) < Self.request,
            !isLocked(at: now) || settings.exitsWhileLocked
        else { return false }
        requests -= 1
        isOpenForExit = true
        waitsSince = nil
        return true
    }

    /// Records the kiosk's notes about exit requests. Call this function before the gate commands of the turn are
    /// checked.
    mutating func learn(_ action: KioskAction, at now: Instant) {
        switch action {
        case .note(.exitRequested(isGranted: true), _): waitsSince = waitsSince ?? now
        case .note(.doorMode(.locked, _), _) where !settings.exitsWhileLocked: waitsSince = nil
        case .stopped: waitsSince = nil
        default: break
        }
    }

    /// Checks a turn against the rules. `canOpen`: whether the relay works and can give pulses in time.
    mutating func judge(
        _ actions: [KioskAction], isGateOpen: Bool, canOpen: Bool, at now: Instant
    ) -> [KioskRule] {
        var broken: [KioskRule] = []
        if !canOpen { waitsSince = nil }
        if let waitsSince, waitsSince.duration(to: now) > Self.request {
            self.waitsSince = nil
            broken.append(.exitIsGiven)
        }
        for action in actions {
            switch action {
            case .hold(.freeRelay, .open(let until)):
                if now.duration(to: until) > Self.lease || !mayBeFree(at: now) { broken.append(.freeIsBounded) }
                freeUntil = until
            case .hold(.freeRelay, .shut): freeUntil = nil
            case .note(.fault(let code, let isPresent, _, _), _) where ReasonCode.Group.door.codes.contains(code):
                if isPresent { alarms.insert(code) } else { alarms.remove(code) }
            case .stopped: if freeUntil != nil { broken.append(.freeIsBounded) }
            default: break
            }
        }
        if !isGateOpen { isOpenForExit = false }
        if isLocked(at: now) {
            let isLawful = isOpenForExit && settings.exitsWhileLocked
            if isGateOpen && !isLawful || freeUntil != nil { broken.append(.shutWhileLocked) }
        }
        if let freeUntil, !mayBeFree(at: now) || now > freeUntil { broken.append(.freeIsBounded) }
        let isQuiet = !levels.isEmpty && levels.values.allSatisfy { !$0 }
        if isQuiet, changed.duration(to: now) > Self.alarm, !alarms.isDisjoint(with: Self.ending) {
            broken.append(.alarmsEnd)
        }
        return broken
    }

    /// Records an event that the kiosk received.
    mutating func learn(_ event: KioskEvent, at now: Instant) {
        guard case .door(let event) = event else { return }
        switch event {
        case .lines(let levels):
            self.levels = Dictionary(uniqueKeysWithValues: settings.inputs.keys.map { ($0, levels[$0] ?? false) })
            (hasFire, fireEnd) = (levels[.fire] ?? false, nil)
        case .edge(let input, let isActive, _):
            guard levels[input] != nil else { break }
            if input == .request, isActive, levels[input] == false {
                requests = lastRequest.duration(to: now) < Self.request ? requests + 1 : 1
                lastRequest = now
            }
            levels[input] = isActive
            if input == .fire { (hasFire, fireEnd) = (hasFire || isActive, isActive ? nil : now) }
        case .linesLost:
            levels = [:]
            // While the panel cannot be read, its alarm cannot be withdrawn.
            fireEnd = nil
        case .order(let order): self.order = order
        case .schedule(let mode, let until): schedule = (mode, min(until, now.advanced(by: DoorSettings.scheduleLease)))
        case .opened: break
        }
        changed = now
    }

    /// The alarms that need a cause at the door. The other codes depend on the order, the schedule and the availability
    /// of the inputs.
    private static let ending: Set<ReasonCode> = [
        .doorForced, .doorHeldOpen, .doorTailgating, .doorTamper, .doorFire, .doorInput,
    ]

    private func isFire(at now: Instant) -> Bool {
        hasFire && settings.fireOpens && fireEnd.map { $0.duration(to: now) < Self.debounce } ?? true
    }

    private func isLocked(at now: Instant) -> Bool {
        if order == .lock { return true }
        if case .free(let until) = order, now < until, settings.hasFreeOutput { return false }
        if isFire(at: now) { return false }
        return schedule.mode == .locked
    }

    private func mayBeFree(at now: Instant) -> Bool {
        guard settings.hasFreeOutput, !isLocked(at: now) else { return false }
        if case .free(let until) = order, now < until { return true }
        return isFire(at: now) || schedule.mode == .free && now < schedule.until
    }
}
