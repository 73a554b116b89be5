import Encoding
import Ledger
import Reasons

/// The kiosk's part in the door: requests to exit, passages, lock-down and free passage.
extension Kiosk {
    /// The time for which one command energises a held output (``OutputRole/Kind/held(_:)``). The output drops after
    /// this time unless the kiosk has renewed the command.
    static let lease = Gate.hardLimit

    /// The reason why no visitor can be admitted at present; nil if the gate can be opened.
    var barrier: ReasonCode? {
        if door.mode == .locked { return .gateLockedDown }
        return health.isInForce(.gateUnavailable) ? .gateUnavailable : nil
    }

    /// Returns the commands to the held outputs that have changed or that need to be renewed. A command is renewed
    /// when half of its ``lease`` is over.
    mutating func holdOutputs(at now: Instant) -> [KioskAction] {
        var actions: [KioskAction] = []
        for (role, mode) in OutputRole.held {
            let last = held[role] ?? .shut
            let next = isStopped || door.mode != mode ? .shut : Self.renewed(last, at: now)
            guard next != last else { continue }
            held[role] = next
            actions.append(.hold(role, next))
        }
        return actions
    }

    private static func renewed(_ last: Gate.Command, at now: Instant) -> Gate.Command {
        if let renewal = renewal(of: last), now < renewal { return last }
        return .open(until: now.advanced(by: lease))
    }

    /// Returns when a command to a held output is to be renewed; nil: never.
    private static func renewal(of command: Gate.Command) -> Instant? {
        guard case .open(let until) = command else { return nil }
        return until.advanced(by: .zero - lease / 2)
    }

    /// When the next command to a held output is to be renewed; nil: none is energised.
    var holdDeadline: Instant? { held.values.compactMap { Self.renewal(of: $0) }.min() }

    /// When the gate may open for a person inside who requested to exit; nil if no exit is requested or if a verdict
    /// comes first. The opening waits for the end of another person's pulse. It also waits for the end of a red light,
    /// because otherwise the rejected visitor could walk in. After one exit, a verdict that is ready comes before a
    /// second exit, because otherwise a button that is pressed all the time would delay all visitors.
    var exitDeadline: Instant? {
        guard wantsExit else { return nil }
        let exit = max(gate.deadline ?? gate.readyAt, indicator.rejectedUntil ?? .zero)
        if exitWaiting, let turn = turnMayBegin, turn <= exit { return nil }
        return exit
    }

    mutating func doorHandles(_ event: DoorEvent, at now: Instant) -> [KioskAction] {
        perform(door.handle(event, at: now), at: now)
    }

    /// Lets the door handle its deadline if the deadline has passed.
    mutating func advanceDoor(at now: Instant) -> [KioskAction] {
        guard let deadline = door.deadline, now >= deadline else { return [] }
        return perform(door.advance(to: now), at: now)
    }

    private mutating func perform(_ actions: [DoorAction], at now: Instant) -> [KioskAction] {
        var wanted: [KioskAction] = []
        for action in actions {
            switch action {
            case .open: wantsExit = true
            case .settled(let visit, let passage): wanted += settled(visit, passage, at: now)
            case .report(let report): health.take(report, at: now)
            case .note(let note, let visit): wanted.append(.note(note, visit))
            }
        }
        gateChanged(at: now)
        return wanted
    }

    /// Handles the end of the wait for a passage: stores the result for the record of `visit`, and shuts a gate that
    /// was open until the passage. `visit`: the person's visit; nil: a person who exits.
    private mutating func settled(_ visit: VisitID?, _ passage: Passage, at now: Instant) -> [KioskAction] {
        // An opening of the kind `level` ends with the passage. This also applies if the gate opened for an exit and a
        // visitor passed. Without a passage, the opening ends when its time is over.
        let isTheirs = gate.visit == nil || gate.visit == visit
        if settings.door.opening == .level, gate.isOpen, passage == .seen, isTheirs { gate.shut(at: now) }
        guard let visit else { return [] }
        if let index = unrecorded.firstIndex(where: { $0.record.visit == visit }) {
            unrecorded[index].passage = passage
        }
        guard passage == .unseen else { return [] }
        return [.note(.notPassed, visit)] + (settings.door.whenUnused == .release ? [.unused(visit)] : [])
    }

    /// Energises the relay for one person. `visit`: the person's visit; nil: a person who exits.
    mutating func open(for visit: VisitID?, at now: Instant) {
        gate.pulse(settings.door.length(of: settings.gatePulse), for: visit, at: now)
        guard gate.isOpen, let until = gate.deadline else { return }
        doorActions += door.handle(.opened(visit, until: until), at: now)
    }

    /// Performs the actions in ``doorActions``, which openings caused.
    mutating func takeDoorActions(at now: Instant) -> [KioskAction] {
        defer { doorActions = [] }
        return perform(doorActions, at: now)
    }

    /// Opens the gate for a person who requested to exit, once ``exitDeadline`` has come; drops the request if the
    /// gate cannot be opened. Until then no verdict is shown, so that a queue of visitors outside does not lock a
    /// person in.
    mutating func giveExit(at now: Instant) {
        guard let exitDeadline, !gate.isOpen, now >= exitDeadline else { return }
        wantsExit = false
        switch barrier {
        case nil: break
        case .gateLockedDown where settings.door.exitsWhileLocked && !health.isInForce(.gateUnavailable): break
        default: return
        }
        open(for: nil, at: now)
        exitWaiting = true
        turns.wait(for: settings.door.length(of: settings.gatePulse), at: now)
    }
}
