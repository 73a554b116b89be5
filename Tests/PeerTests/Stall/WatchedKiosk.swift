import Encoding
import Foundation
import Testing

/// The real program with lines that can be watched and calls that can be held up, and its phones.
final class WatchedKiosk {
    /// The time for which its relay is energised.
    let pulse: Duration
    let place: Workplace
    let stall: Stall
    let process: KioskProcess
    private let site: StallSite
    private var lastURI: String?
    private var visits = 0

    /// Prepares a program and does not start it. `sections` of its configuration and words of its
    /// `environment` are added to the usual ones; `held` and `point`: see ``Stall``.
    init(
        _ site: StallSite, _ held: Stall.Held? = nil, at point: String? = nil, pulse: Duration = .milliseconds(300),
        sections: [String: String] = [:], environment: [String] = []
    ) throws {
        (self.site, self.pulse) = (site, pulse)
        place = try Workplace("stall", isInMemory: true)
        stall = try Stall(place, library: site.library, held, at: point)
        // Phones find it fast enough at this interval, and many of them share one processor with their radio.
        let radio = """
            transport = "tcp"
            host = "127.0.0.1"
            port = \(site.air.port)
            advertisingInterval = "100ms"
            """
        var all = Stall.sections
        (all["gate"], all["radio"]) = (Stall.gate(pulse: pulse), radio)
        process = try KioskProcess(
            place, radioPort: site.air.port, trust: site.credential.trust, prefix: stall.prefix + environment,
            sections: all.merging(sections) { $1 })
    }

    /// Sends a phone with a valid credential, as soon as an invitation for it exists; returns the phone's
    /// name.
    func sendPhone(leaving stage: String? = nil, choosesSlowly: Bool = false) async throws -> String {
        let uri = try await stall.invitation(otherThan: lastURI)
        lastURI = uri
        visits += 1
        let id = "\(place.folder.lastPathComponent) \(visits)"
        // At the pace of a quick person.
        let visit = Air.Visit(
            uri: uri, payload: site.credential.genuine, settle: 0.05, choosesSlowly: choosesSlowly, choosing: 0.4,
            leave: stage)
        try site.air.send(visit, id: id)
        return id
    }

    /// Waits until that phone receives the verdict that admits its visitor.
    func expectVerdict(of phone: String) async throws {
        try await site.air.wait("verdict", of: phone)
        #expect(site.air.seen(by: phone).status == [0], "\(phone)")
    }

    /// Plays a whole visit, with its pulse; returns the phone's outcome. With `isRecorded` the person chooses
    /// only once the ledger has the intent.
    func visit(isRecorded: Bool = false) async throws -> Text? {
        let before = stall.pulses.count
        let phone = try await sendPhone(choosesSlowly: isRecorded)
        if isRecorded {
            try await site.air.wait("identified", of: phone)
            let until = ContinuousClock.now + .seconds(20)
            while try await !process.records().contains(where: { $0.result == nil }) {
                guard ContinuousClock.now < until else { throw PeerFailure("no intent of \(phone)") }
                try await Task.sleep(for: .milliseconds(20))
            }
            // The witness is notified after the database.
            try await Task.sleep(for: .milliseconds(200))
            try site.air.choose(phone)
        }
        let outcome = try await site.air.result(of: phone).outcome
        if outcome == "accepted" { try await stall.relay(isActive: false, times: before + 1) }
        return outcome
    }

    /// Returns the excess of a pulse over the configured length, without the delay that the machine causes;
    /// it must not exceed 20 ms.
    func excess(_ pulse: Stall.Pulse) -> Duration {
        .nanoseconds((pulse.length ?? .max / 2) - pulse.late) - self.pulse
    }

    /// Expects that every pulse has the configured length. The decision fixes the pulse's end, so a delay of
    /// its start by the machine shortens the pulse.
    func expectPulses(_ count: Int, _ what: Comment) {
        let pulses = stall.pulses
        #expect(pulses.count == count, what)
        for pulse in pulses {
            #expect(excess(pulse) <= .milliseconds(20), "\(what): \(pulse)")
            #expect((pulse.length ?? 0) + pulse.delay >= Int(self.pulse / 2 / .nanoseconds(1)), "\(what): \(pulse)")
        }
    }

    /// Expects that no held call was on a thread that visitors depend on.
    func expectPanelFree(_ what: Comment) {
        let forbidden: Set<Text> = ["gatehouse-radio", "gatehouse-relay", "gatehouse-lamps"]
        #expect(stall.heldThreads.isDisjoint(with: forbidden), "\(what): \(stall.heldThreads)")
    }

    /// Expects an end within its own limit, 1.8 s, and the delay that the machine caused meanwhile.
    static func expectPrompt(_ end: Duration, owed: Duration, _ what: Comment = "") {
        #expect(end <= .seconds(2) + owed, what)
    }

    /// Ends the program. Returns the time that took, and the part of it that the machine caused. Everything
    /// must be off then.
    func end(
        _ what: Comment, as expected: Child.End? = .exit(0), by signal: Int32 = SIGTERM
    ) async throws -> (time: Duration, owed: Duration) {
        let (end, time, owed) = try await process.end(by: signal)
        Self.expectPrompt(time, owed: owed, what)
        if let expected { #expect(end == expected, what) }
        #expect(stall.pulses.allSatisfy { $0.length != nil }, "\(what): the relay is left on")
        #expect(stall.lastLamps.isEmpty, what)
        return (time, owed)
    }
}
