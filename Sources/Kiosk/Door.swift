package import Encoding

/// What a gate has besides its relay: who passed, who asks to go out, how the door stands, and whether the gate is locked down or free.
///
/// A value without a clock: it is told edges with their times and orders, and says what follows. An opening *entitles* one person to
/// pass until the wait is over. A passage uses the oldest entitlement of a visitor, else one of the way out; one without any is somebody
/// who slipped in. Nobody counts as not passed where a passage would have gone unseen. An input that cannot be read entitles nobody and
/// raises no alarm of its own: then it is said that nobody looks. Every alarm ends when its cause does, or after ``alarm``.
package struct Door: Sendable {
    /// How long an alarm of a moment stays in force.
    package static let alarm: Duration = .seconds(10)
    /// How much later than its time an edge may arrive: debouncing, and a thread that is busy.
    package static let grace: Duration = .milliseconds(300)
    /// What changes so soon after the inputs were taken was so before anybody looked.
    package static let settling: Duration = .milliseconds(100)
    /// A button or a passage that is active for longer is stuck.
    package static let stuck: Duration = .seconds(60)
    /// More edges of one input in a second are no contact's and no finger's: twelve presses. Behind debouncing of 20 ms a loose wire
    /// makes at most twice as many.
    package static let edges = 24
    /// Openings that wait for their passage at most.
    static let entitlements = 16

    struct Entitlement: Sendable {
        let visit: VisitID?
        let until: Instant
        /// Whether a passage would have been seen at all times since the opening.
        var isWatched: Bool
    }

    let settings: DoorSettings
    /// The wired inputs; empty while they cannot be read.
    var lines: [DoorInput: Debounce] = [:]
    /// When they were taken.
    var takenAt = Instant.zero
    /// Since when an input is active without a break.
    var activeSince: [DoorInput: Instant] = [:]
    var chatter = Chatter()
    var entitled: [Entitlement] = []
    /// Until when the door may be opened.
    var mayOpenUntil = Instant.zero
    /// When somebody was last let through, or free passage ended.
    var openedAt = Instant.zero
    var counters = DoorStatus.Counters()
    var alarms = DoorAlarms()
    private var order = DoorOrder.none
    private var schedule: (mode: DoorMode, until: Instant) = (.normal, .zero)
    private var told = DoorMode.normal
    /// Whether the fire panel's last word was a fire; nobody but itself takes that back.
    var hasFire = false

    /// A door whose inputs have not been read yet.
    package init(settings: DoorSettings) { self.settings = settings }

    // MARK: - How it stands

    /// The mode in force: a person's word before the fire panel's, and both before the schedule's. A lock-down that a person ordered
    /// stands against everything.
    package private(set) var mode = DoorMode.normal
    private(set) var cause = DoorCause.none
    /// Since when that mode holds by that cause; nil: it is the normal one.
    private var since: Instant?

    /// When time alone changes something; nil: never.
    package var deadline: Instant? {
        let parts = [
            lines.values.compactMap(\.deadline).min(), entitled.map { lapse(of: $0) }.min(), alarms.deadline,
            heldDeadline, stuckDeadline, chatter.deadline, modeEnd,
        ]
        return parts.compactMap { $0 }.min()
    }

    /// When the mode in force ends by itself, or may.
    private var modeEnd: Instant? {
        var ends: [Instant] = []
        if case .free(let until) = order { ends.append(until) }
        if schedule.mode == .free { ends.append(schedule.until) }
        return ends.min()
    }

    /// Until when the next verdict waits for a passage; in the past: it does not.
    var turnsWaitUntil: Instant {
        guard settings.oneByOne else { return .zero }
        return entitled.filter { $0.visit != nil }.map { lapse(of: $0) }.max() ?? .zero
    }

    /// Whether it is still to be seen that somebody passes for that visit.
    func awaits(_ visit: VisitID) -> Bool { entitled.contains { $0.visit == visit } }

    /// For whoever asks.
    package var status: DoorStatus {
        var inputs: [DoorInput: Bool?] = [:]
        for input in settings.inputs.keys { inputs.updateValue(lines[input]?.isActive, forKey: input) }
        let until: Instant? = if case (.order, .free(let until)) = (cause, order) { until } else { nil }
        return DoorStatus(
            mode: mode, cause: cause, since: since, until: until, inputs: inputs, counters: counters)
    }

    // MARK: - What happens

    /// Time has moved on to `now`.
    package mutating func advance(to now: Instant) -> [DoorAction] {
        var actions: [DoorAction] = []
        for input in DoorInput.allCases {
            for change in lines[input]?.advance(to: now) ?? [] { actions += changed(input, change, at: now) }
        }
        return actions + settle(at: now)
    }

    /// Takes what happened, and what time alone has changed until `now`.
    package mutating func handle(_ event: DoorEvent, at now: Instant) -> [DoorAction] {
        var actions = advance(to: now)
        switch event {
        case .lines(let levels): actions += begin(levels, at: now)
        case .edge(let input, let isActive, let instant):
            guard lines[input] != nil else { break }
            chatter.note(input, at: now)
            // Nobody's clock runs ahead, and nothing older than a moment is to be judged by what holds now. What was so before
            // anybody looked stays that, however late it is told.
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

    /// What holds now: entitlements that are over, the mode, and every alarm.
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
        // What is not said again opens nothing; a lock-down ends when the schedule says so.
        if schedule.mode == .free, now >= schedule.until { schedule.mode = .normal }
        let inForce = modeInForce
        if inForce != (mode, cause) { since = inForce.0 == .normal ? nil : now }
        (mode, cause) = inForce
        guard mode != told else { return [] }
        // What was open while passage was free is nobody's fault, but is to be shut from now on.
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
