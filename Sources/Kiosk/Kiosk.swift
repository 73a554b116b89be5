import BluetoothHost
package import Encoding
import Ledger
import Reasons
import Tuvali

/// The appliance as one state machine: radio, invitation, visits, light and gate.
///
/// The extensions in the order of a visit: the radio starts (`Kiosk+Radio`), and an invitation is advertised
/// (`Kiosk+Offers`) while the controller has free links (`Kiosk+Links`). A phone connects and gets a ``Visit`` of its
/// own (`Kiosk+Visits`). The verdict arrives (`Kiosk+Verification`) and is shown in its verdict turn
/// (`Kiosk+Verdicts`), the gate opens (`Kiosk+Door`), and the visit is recorded (`Kiosk+Records`), and its data are
/// dropped (`Kiosk+Visits`). The kiosk is pure: the driver executes the returned actions in order.
package struct Kiosk: Sendable {
    enum Radio {
        case down(retryAt: Instant?)
        case starting(since: Instant)
        case up
        case stopped
    }

    /// The numbers of visits and other events since the start.
    package internal(set) var counters = Counters()
    let settings: KioskSettings

    var radio = Radio.down(retryAt: nil)
    var supervisor: RadioSupervisor
    /// Whether advertising sets are used if the controller has them. The value becomes false when the sets have failed.
    var usesAdvertisingSets = true
    /// The instants at which the controller was found not to advertise although it should have, the oldest first.
    var lapses: [Instant] = []
    var host: Host
    var controller: String?
    /// The number of links with which the controller accepts no further phone: the number that it declares or, until
    /// all links have ended, a smaller number with which it refused to advertise or ran short of data buffers.
    var capacity = Int.max
    /// The number of links that the controller declares: 1 if it cannot advertise while a link exists, else `Int.max`.
    var declaredCapacity = Int.max
    /// The capacity that was last reported to the log; `Int.max`: none.
    var reportedCapacity = Int.max

    /// The present faults of the radio, each with the instant at which it counts as over unless it is reported again.
    var troubles: [(code: ReasonCode, until: Instant)] = []

    var offers = Offers()
    /// The sessions in which the printed key was used, so that none is accepted twice. They are kept when offers end
    /// and when the radio fails.
    var used: UsedSessions
    /// The visits of the connected phones, in the order of their connections.
    var visits: [Visit] = []

    var turns = VerdictTurns()
    var indicator: Indicator
    /// When the light last showed a failed transfer; nil: never.
    var failureShown: Instant?
    var gate = Gate()
    private var shown: (signal: Signal, pattern: IndicatorPattern, verdict: Instant?)?
    private var gateShown = Gate.Command.shut
    /// The last command to each held output (``OutputRole/Kind/held(_:)``).
    var held: [OutputRole: Gate.Command] = [:]
    /// The state of the door: its mode, its sensors and its alarms.
    var door: Door
    /// Whether a person inside has requested to exit and the request is still pending.
    var wantsExit = false
    /// Whether the gate has opened for an exit since the last verdict. If so, a waiting verdict is shown before the
    /// next exit.
    var exitWaiting = false
    /// The door's actions that the openings of the present turn caused and that are not performed yet.
    var doorActions: [DoorAction] = []

    /// The outcomes of accepted visits that are not recorded yet: a record states the length of the pulse and whether
    /// the person passed.
    var unrecorded: [Unrecorded] = []
    /// The intents of visits that ended without a record, the oldest first. The next phones use these intents.
    var spares: [SpareIntent] = []
    /// When a spare intent was last closed; nil: never.
    var spareClosed: Instant?
    /// The visits that ended while their payload was being checked.
    var unchecked: [Unchecked] = []
    /// The visits without an opening that are counted and not recorded yet.
    var tally = RecordTally()
    var refusedSessions = RefusedSessions()
    var health = Health()

    /// Creates a kiosk that does nothing until ``KioskEvent/start``. `used`: the earlier sessions of the printed key.
    package init(settings: KioskSettings, used: UsedSessions = UsedSessions(), at now: Instant) {
        (self.settings, self.used) = (settings, used)
        supervisor = RadioSupervisor(settings)
        host = Host(configuration: settings.hostConfiguration, services: settings.services)
        indicator = Indicator(.off, rhythms: settings.rhythms, tones: settings.tones, at: now)
        door = Door(settings: settings.door)
    }

    /// Returns when the driver must send ``KioskEvent/timer`` next; nil: no timer is needed.
    package func deadline(after now: Instant) -> Instant? {
        let parts = [
            radioDeadline, linkDeadline(after: now), offerDeadline, roomDeadline(after: now), turnDeadline,
            gate.deadline, indicator.nextChange(after: now), isStopped ? nil : spareDeadline, uncheckedDeadline,
            isStopped ? nil : health.deadline,
        ]
        let doors = isStopped ? [] : [door.deadline, holdDeadline, exitDeadline]
        return (parts + doors + visits.indices.map { visits[$0].deadline }).compactMap { $0 }.min()
    }

    /// Returns the kiosk's state at the instant `now`.
    package func status(at now: Instant) -> KioskStatus {
        let radio: KioskStatus.Radio =
            switch radio {
            case .down: .down
            case .starting: .starting
            case .up: .up
            case .stopped: .stopped
            }
        var counters = counters
        counters.ignoredPackets += host.ignoredPackets
        counters.droppedPDUs += host.droppedPDUs
        return KioskStatus(
            at: now, radio: radio, controller: controller, light: indicator.pattern, isGateOpen: gate.isOpen,
            door: door.status, phones: visits.count, counters: counters, health: health)
    }

    /// Handles one event and returns the actions to execute, in order. The commands to relay and light come first, so
    /// that no other action delays them.
    package mutating func handle(_ event: KioskEvent, at now: Instant) -> [KioskAction] {
        let wasStopped = isStopped
        var reaction = react(to: event, at: now)
        gate.advance(to: now)
        if !isStopped { reaction += goOn(at: now) }
        var actions: [KioskAction] = []
        let hasMoved = gate.command != gateShown
        if hasMoved {
            gateShown = gate.command
            actions.append(.gate(gateShown))
            if case .open(let until) = gateShown, gate.visit != nil { actions.append(.admit(until: until)) }
        }
        if !isStopped { indicator.rest(in: restingLight, at: now) }
        let signal = indicator.signal(at: now)
        // Begin a new light for each verdict, even after one of the same colour.
        let verdict = indicator.pattern.end == nil ? nil : indicator.since
        if signal != shown?.signal || indicator.pattern != shown?.pattern || verdict != shown?.verdict {
            shown = (signal, indicator.pattern, verdict)
            actions.append(.signal(signal, indicator.pattern, indicator.visit))
        }
        actions += holdOutputs(at: now)
        if hasMoved, gate.isOpen, let record = gate.visit.flatMap({ decided($0, at: now) }) {
            actions.append(.decided(record))
        }
        actions += reaction
        if !isStopped {
            actions += health.tell(at: now).map {
                .note(.fault($0.code, isPresent: $0.isPresent, count: $0.count, detail: $0.detail), nil)
            }
        }
        if hasMoved { actions.append(.note(.gate(open: gate.isOpen), gate.visit)) }
        actions += recordPulses()
        if case .stop = event, !wasStopped { actions += [.note(.stopped, nil), .stopped] }
        for case .note(let note, let visit) in actions { counters.count(note, of: visit, at: now) }
        return actions
    }

    var isStopped: Bool { if case .stopped = radio { true } else { false } }

    private mutating func react(to event: KioskEvent, at now: Instant) -> [KioskAction] {
        if isStopped { return [] }
        switch event {
        case .start:
            guard case .down = radio else { return [] }
            return openRadio(at: now)
        case .transportOpened:
            guard case .starting = radio else { return [] }
            return drive(.start, at: now)
        case .transportClosed(let failure):
            return radioFailed(failure, at: now)
        case .received(let packet):
            return drive(.received(packet), at: now)
        case .timer:
            return tick(at: now)
        case .sessionMaterial(let material):
            return invite(material, at: now)
        case .printedKey(let isInForce):
            if isInForce { offers.wantsNew = true } else { offers.endPrinted() }
            return []
        case .intentDurable(let id):
            return intentSettled(id, failure: nil, at: now)
        case .intentFailed(let id, let failure):
            return intentSettled(id, failure: failure, at: now)
        case .verified(let id, let verdict):
            return verified(id, verdict, at: now)
        case .sessionKept(let id, let failure):
            return change(id, at: now) { $0.sessionKept(failure: failure, at: now) }
        case .health(let report):
            health.take(report, at: now)
            gateChanged(at: now)
            return []
        case .door(let event):
            return doorHandles(event, at: now)
        case .pulseDelayed(let delay):
            gate.delay(by: delay)
            gateShown = gate.command  // The outputs already follow this command.
            if let end = gate.deadline { turns.wait(for: now.duration(to: end), at: now) }
            return []
        case .stop:
            return stop(at: now)
        }
    }

    /// Performs all actions that follow from the present state, whatever event led to it: verdict turns begin, places
    /// are freed, and the advertisements and the light match the present visits.
    private mutating func goOn(at now: Instant) -> [KioskAction] {
        var actions = advanceDoor(at: now)
        giveExit(at: now)
        actions += giveTurns(at: now) + takeDoorActions(at: now) + freePlaces(at: now)
        actions += clearLinks(at: now) + air(at: now)
        showProgress(at: now)
        return actions
    }

    private mutating func tick(at now: Instant) -> [KioskAction] {
        var actions: [KioskAction] = []
        switch radio {
        case .down(let retryAt?) where now >= retryAt: actions += openRadio(at: now)
        case .starting(let since) where now >= since.advanced(by: settings.radioStartLimit):
            actions += radioFailed(.notUpInTime, at: now)
        default: break
        }
        if let deadline = host.deadline, now >= deadline { actions += drive(.timer, at: now) }
        let due = visits.indices.filter { visits[$0].deadline.map { now >= $0 } ?? false }
        for link in due.map({ visits[$0].connection }) {
            actions += session(.timer, on: link, at: now)
        }
        actions += giveUpUnchecked(at: now)
        if let spareDeadline, now >= spareDeadline { actions += closeSpare(at: now) }
        return actions
    }

    private mutating func stop(at now: Instant) -> [KioskAction] {
        let links = visits.map(\.connection)
        var actions = links.flatMap { drive(.disconnect($0, .userTerminated), at: now) }
        actions += drive(.advertise([]), at: now)
        actions += abandonVisits(.stop, at: now)
        actions += closeSpares(at: now)
        radio = .stopped
        turns = VerdictTurns()
        (doorActions, wantsExit) = ([], false)
        gate.shut(at: now)
        indicator.show(.off, at: now)
        return actions + [.showInvitation(nil), .closeTransport]
    }
}
