import Credentials
import Encoding
import Kiosk

/// The promises about the door, held against what is told and done: lock-down, free passage, requests to exit, alarms.
struct DoorRules: Sendable {
    /// How long an alarm may go on without a cause: its own time, and that for which a change may wait before it is told.
    static let alarm: Duration = .seconds(40)
    /// How long passage may stay free without being renewed.
    static let lease: Duration = .seconds(5)

    /// A press is answered by then: behind the pulse of somebody else, that of a visitor whose turn has come before, and the rests between.
    static let request: Duration = .seconds(11)
    /// A change of an input counts by then.
    static let debounce: Duration = .seconds(1)

    private let settings: DoorSettings
    private var order = DoorOrder.none
    private var schedule: (mode: DoorMode, until: Instant) = (.normal, .zero)
    private var levels: [DoorInput: Bool] = [:]
    private var hasFire = false
    /// Since when the fire panel is quiet again.
    private var fireEnd: Instant?
    /// When something at the door last changed.
    private var changed = Instant.zero
    /// Presses of the button inside that nothing has opened for, and the last one.
    private var (requests, lastRequest) = (0, Instant.zero)
    private var isOpenForExit = false
    /// Since when somebody who was granted the way out waits for it.
    private var waitsSince: Instant?
    private var freeUntil: Instant?
    private var alarms: Set<ReasonCode> = []

    init(_ settings: KioskSettings) { self.settings = settings.door }

    /// Whether passage is free, as the output was told.
    var isFree: Bool { freeUntil != nil }

    /// Whether somebody has asked to go out; that counts for one opening.
    mutating func takeRequest(at now: Instant) -> Bool {
        guard requests > 0, lastRequest.duration(to: now) < Self.request,
            !isLocked(at: now) || settings.exitsWhileLocked
        else { return false }
        requests -= 1
        isOpenForExit = true
        waitsSince = nil
        return true
    }

    /// Takes what the kiosk tells of requests, before what it does with the gate in the same turn.
    mutating func learn(_ action: KioskAction, at now: Instant) {
        switch action {
        case .note(.exitRequested(isGranted: true), _): waitsSince = waitsSince ?? now
        case .note(.doorMode(.locked, _), _) where !settings.exitsWhileLocked: waitsSince = nil
        case .stopped: waitsSince = nil
        default: break
        }
    }

    /// Holds a turn against the rules. `canOpen`: whether there is a relay that gives pulses, in time.
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
            case .free(.open(let until)):
                if now.duration(to: until) > Self.lease || !mayBeFree(at: now) { broken.append(.freeIsBounded) }
                freeUntil = until
            case .free(.shut): freeUntil = nil
            case .note(.fault(let code, let isPresent, _, _), _) where ReasonCode.door.contains(code):
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

    /// Takes what the kiosk is told.
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
            // A panel that nobody hears any more takes nothing back.
            fireEnd = nil
        case .order(let order): self.order = order
        case .schedule(let mode, let until): schedule = (mode, min(until, now.advanced(by: DoorSettings.scheduleLease)))
        case .opened: break
        }
        changed = now
    }

    /// Those that need a cause. The others are told by those who look after order, schedule and inputs.
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
