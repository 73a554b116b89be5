import Encoding
import Foundation
import Testing

/// The parts that may stall while a visitor is at the gate.
enum Stalled: String, Sendable {
    case standardError, journal, logFile, terminal, display, ledger, control, agent, resolver

    /// The calls that are held up; nil where a real peer stops instead.
    var held: Stall.Held? {
        switch self {
        case .logFile: .logFile
        case .display: .display
        case .ledger: .ledger
        case .control: .control
        case .resolver: .resolver
        case .standardError, .journal, .terminal, .agent: nil
        }
    }

    /// Returns the configuration in which the program uses the part that stalls.
    func sections(_ place: Workplace, _ agent: MuteAgent?) throws -> [String: String] {
        switch self {
        // The log stalls, so the display provides the invitation.
        case .standardError, .journal: ["log": "level = \"info\"", "display": "kind = \"terminal\""]
        case .logFile: ["display": "kind = \"terminal\""]
        case .terminal: ["display": "kind = \"terminal\""]
        case .display: ["display": "kind = \"file\"\nfile = \"\(place.path("invitation.png"))\""]
        case .ledger, .control: [:]
        case .agent, .resolver:
            [
                "agent": """
                invitations = ["\(try place.write(
                        "invitation", agent?.invitation(host: self == .agent ? "127.0.0.1" : "agent.test") ?? ""))"]
                allowPlainHTTP = true
                retryFirst = "100ms"
                retryLast = "1s"
                timeout = "2s"
                """
            ]
        }
    }
}

/// A process in which something stalls at one point of a visit, until the process has ended.
struct StalledVisit {
    /// The notes of the kiosk that divide a visit.
    static let points = [
        "radio.ready", "advertising", "phone.connected", "phone.identified", "transfer.started", "transfer.received",
        "verdict", "visit.ended", "gate",
    ]

    /// The measurements.
    struct Figures: Sendable {
        var visits = 0
        var pulses = 0
        /// The longest excess of a pulse over the configured length: with the delay that the machine causes,
        /// and without it.
        var longest = Duration.seconds(-1)
        var excess = Duration.seconds(-1)
        /// The time from SIGTERM to the end.
        var end = Duration.zero

        mutating func add(_ other: Figures) {
            visits += other.visits
            pulses += other.pulses
            longest = max(longest, other.longest)
            excess = max(excess, other.excess)
            end = max(end, other.end)
        }
    }

    let site: StallSite
    let stalled: Stalled
    let point: String
    /// The duration of the stall.
    let length: Duration

    /// Starts the process, sends phones before and during the stall, and ends the process.
    func run() async throws -> Figures {
        let what: Comment = "\(stalled.rawValue) stalled at \(point)"
        let tap =
            try [.standardError, .journal, .terminal].contains(stalled) ? Tap(isSocket: stalled == .journal) : nil
        let agent = try [.agent, .resolver].contains(stalled) ? MuteAgent() : nil
        defer { agent?.stop() }
        let place = try Workplace("for-stall", isInMemory: true)
        let kiosk = try WatchedKiosk(
            site, stalled.held, at: point, sections: stalled.sections(place, agent),
            environment: stalled == .journal ? ["JOURNAL_STREAM=\(tap?.identity ?? "")"] : [])
        let errors = stalled == .terminal ? nil : tap?.writer
        try kiosk.process.start(output: stalled == .terminal ? tap?.writer : nil, errors: errors)
        let (timeline, control) = (kiosk.stall.timeline, kiosk.place.path("control.sock"))
        let beginning = Task {
            try await timeline.wait("reached", within: .seconds(60))
            tap?.shut()
            agent?.fallSilent()
            return (at: ContinuousClock.now, clients: stalled == .control ? Self.ask(control) : [])
        }
        // After these points the first visit's intent is on the disk before the disk hangs.
        let isRecorded = stalled == .ledger && reached > identified
        var outcomes = [try await kiosk.visit(isRecorded: isRecorded)]
        let (began, clients) = try await beginning.value
        defer { for client in clients { close(client) } }
        // Visitors arrive as long as the stall lasts; at least one arrives.
        repeat {
            try await Task.sleep(for: length / 6)
            outcomes.append(try await kiosk.visit())
        } while ContinuousClock.now + .seconds(1) < began + length
        try await Task.sleep(until: began + length, clock: .continuous)
        for (number, outcome) in outcomes.enumerated() {
            #expect(expected(number).contains(outcome), "\(what), visit \(number + 1): \(outcome ?? "-")")
        }
        let accepted = outcomes.count { $0 == "accepted" }
        // A reader that never resumes loses log lines but does not prevent an orderly end; a hanging disk
        // loses the records.
        let (time, _) = try await kiosk.end(what, as: stalled == .ledger ? .exit(1) : .exit(0))
        kiosk.expectPulses(accepted, what)
        kiosk.expectPanelFree(what)
        expectLight(kiosk, outcomes, what)
        try await expectRecords(kiosk, accepted, what)
        kiosk.place.remove()
        place.remove()
        var figures = Figures(visits: outcomes.count, pulses: accepted, end: time)
        for pulse in kiosk.stall.pulses {
            figures.excess = max(figures.excess, kiosk.excess(pulse))
            figures.longest = max(figures.longest, kiosk.excess(pulse) + .nanoseconds(pulse.late))
        }
        return figures
    }

    /// The index of the note at which the stall begins, and of the note at which the intent is handed to the ledger.
    private var reached: Int { Self.points.firstIndex(of: point) ?? 0 }
    private var identified: Int { Self.points.firstIndex(of: "phone.identified") ?? 0 }
    private var connected: Int { Self.points.firstIndex(of: "phone.connected") ?? 0 }

    /// Returns the verdicts that the phone of that visit may receive: with a hanging disk, the gate admits
    /// only visitors whose intent is already on the disk. The log is written concurrently with the visit:
    /// when it reports that a phone has arrived, the intent may already be on the disk.
    private func expected(_ number: Int) -> Set<Text?> {
        guard stalled == .ledger else { return ["accepted"] }
        if number > 0 || reached < connected { return ["rejected"] }
        return reached <= identified ? ["accepted", "rejected"] : ["accepted"]
    }

    /// Expects the green lamp with every pulse, the red lamp for every rejected visitor, and no other red.
    private func expectLight(_ kiosk: WatchedKiosk, _ outcomes: [Text?], _ what: Comment) {
        for pulse in kiosk.stall.pulses {
            let lamps = kiosk.stall.lamps(at: pulse.began + 20_000_000 + pulse.late)
            #expect(lamps.contains("GREEN") && !lamps.contains("RED"), "\(what): \(lamps)")
        }
        let shown = kiosk.stall.timeline.events("lamps").map { Set(($0["lit"]?.array ?? []).compactMap(\.string)) }
        #expect(shown.contains { $0.contains("RED") } == outcomes.contains("rejected"), what)
        #expect(shown.contains { $0.contains("GREEN") } == outcomes.contains("accepted"), what)
    }

    /// Expects that the ledger knows every visitor who was admitted.
    private func expectRecords(_ kiosk: WatchedKiosk, _ accepted: Int, _ what: Comment) async throws {
        guard stalled == .ledger else { return }
        let records = try await kiosk.process.records()
        #expect(records.count >= accepted, what)
        #expect(records.allSatisfy { $0.result == nil || $0.result == "accepted" }, "\(what): \(records)")
        #expect(try await kiosk.process.verifyLedger().intact, what)
    }

    /// Connects to the control socket and asks for the status.
    private static func ask(_ path: String) -> [Int32] {
        (0..<4).compactMap { _ in
            let client = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            // The socket may not exist yet, or have no room: other connections then ask.
            for _ in 0..<10 {
                if withUnixAddress(path, { connect(client, $0, $1) }) == 0 { break }
                usleep(10_000)
            }
            let request = Array("{\"request\":\"status\"}\n".utf8)
            _ = send(client, request, request.count, Int32(MSG_NOSIGNAL))
            return client
        }
    }
}
