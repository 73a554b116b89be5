import Encoding
import Kiosk
import Ledger

/// What must hold in every turn of a kiosk, whatever the phones, the radio and the disk do.
///
/// It sees events and actions only, as the driver does. A breach is a line in ``breaches``.
struct KioskRules {
    /// The value handle of the verification status: Generic Access takes 1 to 5, Generic Attribute 6 to 9, and in Tuvali's
    /// service each writable characteristic takes two handles, each indicated one three.
    static let statusHandle: [UInt8] = [29, 0]

    /// What was broken, in words with the time.
    private(set) var breaches: [String] = []
    /// Status bytes seen, in order; a checker that sees none checks nothing.
    private(set) var statusBytes: [UInt8] = []
    /// Addresses set for advertising, in order.
    private(set) var addresses: [[UInt8]] = []
    private let settings: KioskSettings
    private var visit: VisitID?
    private var intent = Intent.none
    /// The visits that have an outcome, and those that were let in and wait for the end of their pulse.
    private var recorded: Set<VisitID> = []
    private var letIn: Set<VisitID> = []
    private var shutSince: Instant?
    private var payloadAt: Instant?
    private var openSince: Instant?
    private var isDecided = false
    private var isAccepted = false
    private var timersAtOneInstant = 0
    private var last = Instant.zero
    private var isRunning = false

    private enum Intent {
        case none, asked, durable, failed
    }

    init(_ settings: KioskSettings) {
        self.settings = settings
    }

    mutating func check(_ event: KioskEvent, _ actions: [KioskAction], deadline: Instant?, at now: Instant) {
        if now < last { breach("time went back", now) }
        take(event, at: now)
        checkOrder(actions, at: now)
        // Gate and light stand first: what they are held against is in the same turn.
        for action in actions { if case .note = action { take(action, at: now) } }
        for action in actions { if case .note = action { continue } else { take(action, at: now) } }
        if actions.count > 400 { breach("\(actions.count) actions in one turn", now) }
        if isRunning, deadline == nil { breach("no deadline", now) }
        if let openSince, let deadline, deadline > openSince.advanced(by: Gate.hardLimit) {
            breach("nothing would shut the gate in time", now)
        }
        last = now
    }

    private mutating func take(_ event: KioskEvent, at now: Instant) {
        switch event {
        case .start: isRunning = true
        case .intentDurable(let id) where id == visit && intent == .asked: intent = .durable
        case .intentFailed(let id, _) where id == visit && intent == .asked: intent = .failed
        case .timer:
            timersAtOneInstant = now == last ? timersAtOneInstant + 1 : 0
            if timersAtOneInstant > 20 { breach("the timer does not move on", now) }
        default: break
        }
    }

    private mutating func take(_ action: KioskAction, at now: Instant) {
        switch action {
        case .note(.phoneConnected, let id):
            // An intent that served nobody goes on to the next phone, with its id.
            if id == nil || id != visit { (visit, intent) = (nil, .none) }
            if let id, recorded.contains(id) || letIn.contains(id) { breach("the id of an earlier visitor", now) }
            (payloadAt, isDecided, isAccepted) = (nil, false, false)
        case .note(.ledgerFailed, _): intent = .failed
        case .note(.decided(let accepted, _, _), let id):
            (isDecided, isAccepted) = (true, accepted)
            if id != visit { breach("the decision of another visit", now) }
            if accepted, let id { letIn.insert(id) }
        case .recordIntent(let id):
            if visit != nil { breach("two intents in one visit", now) }
            (visit, intent) = (id, .asked)
        case .verify(let id, _):
            if id != visit { breach("a payload of a visit without an intent", now) }
            payloadAt = now
        case .recordOutcome(let id, let outcome, _):
            if !recorded.insert(id).inserted { breach("two outcomes", now) }
            let wasLetIn = letIn.remove(id) != nil
            if wasLetIn != (outcome.result == .accepted) { breach("decision and outcome disagree", now) }
            if outcome.gate?.opened == true, !wasLetIn { breach("gate and result disagree", now) }
        case .gate(.open(let until)):
            if openSince != nil { breach("opened twice", now) }
            if let shutSince, shutSince.duration(to: now) < .milliseconds(100) { breach("two pulses touch", now) }
            if now.duration(to: until) > min(settings.gatePulse, Gate.hardLimit) { breach("too long a pulse", now) }
            openSince = now
            if !mayOpen { breach("the gate opened with the intent \(intent)", now) }
            if payloadAt == nil || !isAccepted { breach("the gate opened without an accepted credential", now) }
        case .gate(.shut):
            if let since = openSince, since.duration(to: now) > Gate.hardLimit { breach("open for too long", now) }
            (openSince, shutSince) = (nil, now)
        case .signal(let signal, let pattern):
            if pattern == .rejected, openSince != nil { breach("red before an open gate", now) }
            if signal.lamps.contains(.green), signal.lamps.contains(.red) { breach("green and red", now) }
        case .send(let packet): check(packet, at: now)
        case .stopped:
            if openSince != nil { breach("stopped with an open gate", now) }
            if !letIn.isEmpty { breach("stopped with an unrecorded visitor", now) }
            isRunning = false
        default: break
        }
    }

    /// Gate and light stand before everything else.
    private mutating func checkOrder(_ actions: [KioskAction], at now: Instant) {
        let urgent = actions.prefix { if case .gate = $0 { true } else if case .signal = $0 { true } else { false } }
        for case .gate in actions.dropFirst(urgent.count) { breach("the gate comes late", now) }
        for case .signal in actions.dropFirst(urgent.count) { breach("the light comes late", now) }
    }

    private var mayOpen: Bool { intent == .durable || intent == .failed && settings.whenLedgerFails == .open }

    private mutating func check(_ packet: [UInt8], at now: Instant) {
        if packet.starts(with: [1, 0x05, 0x20]) { addresses.append(Array(packet.dropFirst(4))) }
        // H4 ACL: type, handle (2), length (2); L2CAP: length (2), channel (2); ATT: opcode, handle (2), value.
        guard packet.count > 12, packet[0] == 2, packet[7...8] == [4, 0], packet[9] == 0x1B || packet[9] == 0x1D,
            Array(packet[10...11]) == Self.statusHandle
        else { return }
        statusBytes.append(packet[12])
        if !isDecided { breach("a status byte before the decision", now) }
        if (packet[12] == 0) != isAccepted { breach("the status byte is not the verdict", now) }
        if packet[12] == 0 ? !mayOpen : intent != .durable && intent != .failed {
            breach("a status byte with the intent \(intent)", now)
        }
    }

    private mutating func breach(_ words: String, _ now: Instant) {
        if breaches.count < 20 { breaches.append("\(now.nanoseconds / 1_000_000) ms: \(words)") }
    }
}
