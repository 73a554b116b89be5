package import Encoding

/// The state of the gate apart from its relay: passages, requests to exit, the door, and whether the gate is locked
/// down or free.
///
/// The type is a value without a clock. It handles orders, and edges of the inputs with their times, and returns the
/// actions that follow. An opening *entitles* one person to pass until the waiting time is over. A passage uses the
/// oldest entitlement of a visitor, otherwise an entitlement for an exit. A passage without an entitlement is
/// tailgating. No visitor counts as not passed if a passage could have been missed. An input that cannot be read
/// entitles no person and raises no alarm. Instead, the gate reports the fault that the inputs cannot be read. Every
/// alarm ends with its cause, or after ``alarm``.
package struct Door: Sendable {
    /// How long an alarm about a single event stays in force.
    package static let alarm: Duration = .seconds(10)
    /// How much later than its time an edge may arrive. The causes are debouncing and a busy thread.
    package static let grace: Duration = .milliseconds(300)
    /// A change within this time after monitoring began counts as older than monitoring.
    package static let settling: Duration = .milliseconds(100)
    /// How long a button or passage input may be active. An input that is active for longer counts as stuck.
    package static let stuck: Duration = .seconds(60)
    /// The largest number of edges of one input in a second that a contact or a finger can cause: twelve presses. With
    /// more edges the input counts as chattering. With debouncing of 20 ms, a loose wire makes at most twice as many.
    package static let edges = 24
    /// The largest number of entitlements, that is of openings that wait for their passage.
    static let entitlements = 16

    struct Entitlement: Sendable {
        let visit: VisitID?
        let until: Instant
        /// Whether the inputs could have shown a passage at all times since the opening.
        var isWatched: Bool
    }

    let settings: DoorSettings
    /// The wired inputs; empty while they cannot be read.
    var lines: [DoorInput: Debounce] = [:]
    /// When monitoring of the inputs began.
    var takenAt = Instant.zero
    /// Since when each active input has been active without interruption.
    var activeSince: [DoorInput: Instant] = [:]
    var chatter = Chatter()
    var entitled: [Entitlement] = []
    /// Until when the door may be opened without an alarm.
    var mayOpenUntil = Instant.zero
    /// When the gate last opened for a person, or free passage last ended.
    var openedAt = Instant.zero
    var counters = DoorStatus.Counters()
    var alarms = DoorAlarms()
    private var order = DoorOrder.none
    private var schedule: (mode: DoorMode, until: Instant) = (.normal, .zero)
    private var told = DoorMode.normal
    /// Whether the fire panel last reported a fire. Only the panel itself ends the fire.
    var hasFire = false

    /// Creates a door whose inputs have not been read yet.
    package init(settings: DoorSettings) { self.settings = settings }

    // MARK: - State

    /// The mode in force: an operator's order has priority over the fire panel, and both have priority over the
    /// schedule. An ordered lock-down has priority over everything.
    package private(set) var mode = DoorMode.normal
    private(set) var cause = DoorCause.none
    /// Since when the mode has been in force for the present cause; nil if the mode is the normal one.
    private var since: Instant?

    /// When the passing of time alone changes the state; nil: never.
    package var deadline: Instant? {
        let parts = [
            lines.values.compactMap(\.deadline).min(), entitled.map { lapse(of: $0) }.min(), alarms.deadline,
            heldDeadline, stuckDeadline, chatter.deadline, modeEnd,
        ]
        return parts.compactMap { $0 }.min()
    }

    /// The earliest instant at which free passage ends by itself; nil if no such end is set.
    private var modeEnd: Instant? {
        var ends: [Instant] = []
        if case .free(let until) = order { ends.append(until) }
        if schedule.mode == .free { ends.append(schedule.until) }
        return ends.min()
    }

    /// Until when the next verdict waits for the passage of admitted visitors. The instant is in the past if the
    /// verdict need not wait.
    var turnsWaitUntil: Instant {
        guard settings.oneByOne else { return .zero }
        return entitled.filter { $0.visit != nil }.map { lapse(of: $0) }.max() ?? .zero
    }

    /// Returns whether the passage for the visit `visit` is still awaited.
    func awaits(_ visit: VisitID) -> Bool { entitled.contains { $0.visit == visit } }

    /// The state for status reports.
    package var status: DoorStatus {
        var inputs: [DoorInput: Bool?] = [:]
        for input in settings.inputs.keys { inputs.updateValue(lines[input]?.isActive, forKey: input) }
        let until: Instant? = if case (.order, .free(let until)) = (cause, order) { until } else { nil }
        return DoorStatus(
            mode: mode, cause: cause, since: since, until: until, inputs: inputs, counters: counters)
    }

    // MARK: - Events

    /// Handles the passing of time until `now`.
    package mutating func advance(to now: Instant) -> [DoorAction] {
        var actions: [DoorAction] = []
        for input in DoorInput.allCases {
            for change in lines[input]?.advance(to: now) ?? [] { actions += changed(input, change, at: now) }
        }
        return actions + settle(at: now)
    }

    /// Handles the passing of time until `now`, and then the event.
    package mutating func handle(_ event: DoorEvent, at now: Instant) -> [DoorAction] {
        var actions = advance(to: now)
        switch event {
        case .lines(let levels): actions += begin(levels, at: now)
        case .edge(let input, let isActive, let instant):
            guard lines[input] != nil else { break }
            chatter.note(input, at: now)
            // Move the time of an edge from the future to the present, and the time of an edge that is older than
            // ``grace`` forward to it: an old edge must not be judged by the present entitlements. An edge from before
            // monitoring began still counts as such, however late it arrives.
            let oldest = isNews(instant) ? now.advanced(by: .zero - Self.grace) : takenAt
            let instant = min(max(instant, oldest), now)
            for change in lines[input]?.take(isActive, at: instant) ?? [] {
                actions += changed(input, change, at: now)
            }
        case .linesLost(let detail): actions += lose(detail, at: now)
        case .order(let order):
            self.order = order
            if case .free(let until) = order {
                self.order = .free(until: min(until, now.advanced(by: DoorSettings.longestFree)))
            }
        case .schedule(let mode, let until):
            schedule = (mode, min(until, now.advanced(by: DoorSettings.scheduleLease)))
        case .opened(let visit, let until): actions += opened(visit, until: until, at: now)
        }
        return actions + settle(at: now)
    }

    /// Updates the state: entitlements that are over, the mode, and every alarm.
    private mutating func settle(at now: Instant) -> [DoorAction] {
        var actions: [DoorAction] = []
        if let sensor = settings.passageSensor, chatter.inputs.contains(sensor) { lookAway() }
        while let index = entitled.firstIndex(where: { now >= lapse(of: $0) }) {
            let lapsed = entitled.remove(at: index)
            let isSure = lapsed.isWatched && !isBlind
            if isSure { counters.unused += 1 }
            actions.append(.settled(lapsed.visit, isSure ? .unseen : .unknown))
        }
        actions += changeMode(at: now)
        judge(at: now)
        return actions + alarms.tell(at: now).map { .report($0) }
    }

    private mutating func changeMode(at now: Instant) -> [DoorAction] {
        if case .free(let until) = order, now >= until { order = .none }
        // Free passage that the schedule does not renew ends; a lock-down ends when the schedule says so.
        if schedule.mode == .free, now >= schedule.until { schedule.mode = .normal }
        let inForce = modeInForce
        if inForce != (mode, cause) { since = inForce.0 == .normal ? nil : now }
        (mode, cause) = inForce
        guard mode != told else { return [] }
        // A door that was opened during free passage raises no alarm, but it must be shut in time from now on.
        if told == .free { openedAt = now }
        if told == .free { mayOpenUntil = max(mayOpenUntil, now.advanced(by: settings.wait)) }
        told = mode
        return [.note(.doorMode(mode, by: cause), nil)]
    }

    private var modeInForce: (DoorMode, DoorCause) {
        let canBeFree = settings.hasFreeOutput
        switch order {
        case .lock: return (.locked, .order)
        case .free where canBeFree && !(hasFire && settings.fireOpens): return (.free, .order)
        default: break
        }
        if hasFire, settings.fireOpens, canBeFree { return (.free, .fire) }
        switch schedule.mode {
        case .locked: return (.locked, .schedule)
        case .free where canBeFree: return (.free, .schedule)
        default: return (.normal, .none)
        }
    }

    private func lapse(of entitlement: Entitlement) -> Instant {
        entitlement.until.advanced(by: Self.grace)
    }
}
