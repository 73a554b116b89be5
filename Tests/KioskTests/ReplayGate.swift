import Encoding
import Kiosk
import Ledger
import Reasons
import Simulation
import Tuvali

/// A kiosk between recorded packets and a controller that answers every command at once. It is many times
/// faster than a virtual radio, and the test can mutate the packets that arrive.
struct ReplayGate {
    private(set) var kiosk: Kiosk
    private var rules: KioskRules
    /// The broken rules of ``KioskRules``.
    private(set) var breaches: [Violation] = []
    /// Status bytes that wallets received, in order; a test that sees none proves nothing.
    private(set) var statusBytes: [UInt8] = []
    private(set) var now = Instant.zero
    /// The results of recorded visits. A record that only counts other visits is not included.
    private(set) var results: [Outcome.Result] = []
    private var phones: Set<VisitID> = []
    private(set) var gateOpenings = 0
    /// The number of links that the kiosk asked the controller to end.
    private(set) var disconnections = 0
    /// The data packets that phones have received since the test emptied the list; collected only if it is
    /// not nil.
    var heard: [[UInt8]]?
    /// Forbidden behaviour other than breaches of ``KioskRules``.
    private(set) var troubles: [String] = []
    /// A mutation of each packet that the controller sends in answer to the kiosk.
    var spoil: (([UInt8]) -> [[UInt8]])?
    /// The recording whose keys the next session gets.
    var recording: RecordedVisit {
        didSet { hasFreshKeys = false }
    }
    private var hasFreshKeys = false
    private var isOnAir = false
    private var inbox: [KioskEvent] = []
    private var random: SplitMix64
    private let records: [[UInt8]]

    init(
        _ recordings: [RecordedVisit], seed: UInt64, name: String = "TestGate", generations: [Generation] = [.b]
    ) throws {
        var settings = KioskSettings(name: try Identifier(name), softwareVersion: "test")
        settings.generations = generations
        // The replayed phones use the newest keys, and new keys are available soon.
        (settings.previousKey, settings.keyRotation) = (.zero, .seconds(5))
        kiosk = Kiosk(settings: settings, at: now)
        rules = KioskRules(settings)
        recording = recordings[0]
        records = recordings.map(\.record)
        random = SplitMix64(seed: seed)
        give(.start)
    }

    /// Passes an event to the kiosk and processes all immediate consequences.
    mutating func give(_ event: KioskEvent) {
        inbox.append(event)
        var turns = 0
        while !inbox.isEmpty {
            let next = inbox.removeFirst()
            let actions = kiosk.handle(next, at: now)
            breaches += rules.watch(next, actions, deadline: kiosk.deadline(after: now), at: now)
            for action in actions { perform(action) }
            turns += 1
            if turns > 2000 {
                troubles.append("no end of answers")
                inbox = []
            }
        }
    }

    /// Advances the clock; the kiosk's timer fires whenever it is due.
    mutating func pass(_ duration: Duration) {
        let end = now.advanced(by: duration)
        var deadline = kiosk.deadline(after: now)
        while let due = deadline, due <= end {
            now = max(now, due)
            give(.timer)
            deadline = kiosk.deadline(after: now)
        }
        now = end
    }

    /// Advances the clock until all phones have left and the kiosk is on the air with keys of ``recording``;
    /// returns false if that takes longer than `limit`.
    mutating func passUntilReady(limit: Duration) -> Bool {
        let end = now.advanced(by: limit)
        while !(isOnAir && hasFreshKeys && kiosk.status(at: now).phones == 0) {
            guard let deadline = kiosk.deadline(after: now), deadline <= end else { return false }
            now = max(now, deadline)
            give(.timer)
        }
        return true
    }

    /// Plays packets at their times.
    mutating func play(_ packets: [(after: Duration, packet: [UInt8])]) {
        let began = now
        for (after, packet) in packets {
            let at = began.advanced(by: after)
            if at > now { pass(now.duration(to: at)) }
            give(.received(packet))
        }
    }

    private mutating func perform(_ action: KioskAction) {
        switch action {
        case .openTransport: inbox.append(.transportOpened)
        case .closeTransport: isOnAir = false
        case .send(let packet):
            if packet.first == 2 { heard?.append(packet) }
            if let byte = KioskRules.status(in: packet) { statusBytes.append(byte) }
            answer(packet)
        case .drawSessionMaterial:
            guard let material = recording.material(&random) else { return }
            inbox.append(.sessionMaterial(material))
            hasFreshKeys = true
        case .recordIntent(let id): inbox.append(.intentDurable(id))
        case .verify(let id, let payload):
            if !records.contains(payload) { troubles.append("a payload that nobody sent") }
            inbox.append(.verified(id, .test(.ok)))
        case .recordOutcome(let record): if phones.contains(record.visit) { results.append(record.outcome.result) }
        case .gate(let command): if command != .shut { gateOpenings += 1 }
        case .note(.phoneConnected, let visit):
            isOnAir = false
            if let visit { phones.insert(visit) }
        case .showInvitation, .signal, .dismissed, .keepSession, .admit, .decided, .unused, .hold, .resetAdapter, .note,
            .stopped:
            break
        }
    }

    /// Answers a packet as a controller does.
    private mutating func answer(_ packet: [UInt8]) {
        var answers: [[UInt8]] = []
        if packet.first == 1, packet.count > 3 {
            let opcode = UInt16(packet[1]) | UInt16(packet[2]) << 8
            if opcode == 0x0406, packet.count > 5 {
                disconnections += 1
                answers = [[4, 0x0F, 4, 0, 1, 0x06, 0x04], [4, 5, 4, 0, packet[4], packet[5], 0x16]]
            } else if opcode == 0x2005 {
                // The address cannot be changed while advertising is on (Core Specification Vol 4 Part E
                // 7.8.4).
                answers = [[4, 0x0E, 4, 1, packet[1], packet[2], isOnAir ? 0x0C : 0]]
            } else {
                answers = [recording.answers[opcode] ?? [4, 0x0E, 4, 1, packet[1], packet[2], 0x01]]
            }
            if opcode == 0x200A { isOnAir = packet.last == 1 }
            if opcode == 0x0C03 { isOnAir = false }
        } else if packet.first == 2, packet.count > 2 {
            answers = [[4, 0x13, 5, 1, packet[1], packet[2] & 0x0F, 1, 0]]
        }
        for answer in answers {
            for packet in spoil?(answer) ?? [answer] { inbox.append(.received(packet)) }
        }
    }
}
