import Credentials
import Encoding
import Ledger

/// What is at the gate besides the relay: requests to exit, passages, lock-down and free passage.
extension Kiosk {
    /// Free passage is a lease: the output is told an end that is never farther away, and drops there if nobody renews it.
    static let freeLease = Gate.hardLimit

    /// Why nobody can be let in at the moment; nil: the gate can be opened.
    var barrier: ReasonCode? {
        if door.mode == .locked { return .gateLockedDown }
        return health.isInForce(.gateUnavailable) ? .gateUnavailable : nil
    }

    /// What the output for free passage is told now. Renewed when half of the lease is over.
    mutating func freeCommand(at now: Instant) -> Gate.Command {
        guard door.mode == .free, !isStopped else { return .shut }
        if case .open(let until) = freeShown, now < until.advanced(by: .zero - Self.freeLease / 2) { return freeShown }
        return .open(until: now.advanced(by: Self.freeLease))
    }

    /// When the lease is to be renewed.
    var freeDeadline: Instant? {
        guard case .open(let until) = freeShown else { return nil }
        return until.advanced(by: .zero - Self.freeLease / 2)
    }

    /// When an opening that was asked for inside may begin; nil: none is asked for. Behind the pulse of somebody else, and not before
    /// whoever stands outside under a red light: he would walk in. Nor twice before a verdict that could be shown by then: a button that
    /// is pressed all the time would hold everybody up.
    var exitDeadline: Instant? {
        guard wantsExit else { return nil }
        let exit = max(gate.deadline ?? gate.readyAt, indicator.rejectedUntil ?? .zero)
        if owesTurn, let turn = turnMayBegin, turn <= exit { return nil }
        return exit
    }

    mutating func doorHandles(_ event: DoorEvent, at now: Instant) -> [KioskAction] {
        perform(door.handle(event, at: now), at: now)
    }

    /// Time alone has changed something.
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

    /// It is known whether somebody passed: the record may be written, and a relay that waited for it is released.
    private mutating func settled(_ visit: VisitID?, _ passage: Passage, at now: Instant) -> [KioskAction] {
        // A level ends with the passage, also one for the way out that a visitor has used. Without a passage it ends by itself.
        let isTheirs = gate.visit == nil || gate.visit == visit
        if settings.door.opening == .level, gate.isOpen, passage == .seen, isTheirs { gate.shut(at: now) }
        guard let visit else { return [] }
        if let index = unrecorded.firstIndex(where: { $0.record.visit == visit }) {
            unrecorded[index].passage = passage
        }
        guard passage == .unseen else { return [] }
        return [.note(.notPassed, visit)] + (settings.door.whenUnused == .release ? [.unused(visit)] : [])
    }

    /// Energises the relay for one person; nil: one who goes out.
    mutating func open(for visit: VisitID?, at now: Instant) {
        gate.pulse(settings.door.length(of: settings.gatePulse), for: visit, at: now)
        guard gate.isOpen, let until = gate.deadline else { return }
        openings += door.handle(.opened(visit, until: until), at: now)
    }

    /// What followed from openings.
    mutating func takeOpenings(at now: Instant) -> [KioskAction] {
        defer { openings = [] }
        return perform(openings, at: now)
    }

    /// Opens for whoever asked inside, as soon as that may be. Until then no visitor is told a verdict, so that a row of them outside locks
    /// nobody in.
    mutating func giveExit(at now: Instant) {
        guard let exitDeadline, !gate.isOpen, now >= exitDeadline else { return }
        wantsExit = false
        switch barrier {
        case nil: break
        case .gateLockedDown where settings.door.exitsWhileLocked && !health.isInForce(.gateUnavailable): break
        default: return
        }
        open(for: nil, at: now)
        owesTurn = true
        turns.wait(for: settings.door.length(of: settings.gatePulse), at: now)
    }
}
