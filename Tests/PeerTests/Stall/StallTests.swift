import Encoding
import Foundation
import TestKit
import Testing

/// Stalls of every kind, at every point of a visit: the gate opens for accepted visitors, shuts in time, the
/// light shows the true state, and the program ends on request.
///
/// The relay is watched from outside, at its line (`Tests/Peers/stall`). Each stall lasts 3 s, which is
/// longer than a visit from the first packet to the end of its pulse, or `GATEHOUSE_STALL` seconds.
@Suite(.timeLimit(.minutes(60)), .tags(.realTime)) struct StallTests {
    private static let length: Duration = .seconds(
        ProcessInfo.processInfo.environment["GATEHOUSE_STALL"].flatMap { Int($0) } ?? 3)

    @Test(arguments: [
        Stalled.standardError, .journal, .logFile, .terminal, .display, .ledger, .control, .agent,
    ])
    func atEveryPointOfAVisit(_ stalled: Stalled) async throws {
        try await run(stalled, at: StalledVisit.points)
    }

    /// An agent's host name that no name server answers for.
    @Test func aNameThatIsNeverResolved() async throws {
        try await run(.resolver, at: ["radio.ready", "phone.connected"])
    }

    /// A log in a pager that a person has stopped (`gatehouse run | less`).
    @Test func aLogWithAStoppedReader() async throws {
        guard let site = try await StallSite("stall") else { return }
        let kiosk = try WatchedKiosk(site, sections: ["log": "level = \"debug\"", "display": "kind = \"terminal\""])
        let pipe = try Tap(isSocket: false)
        let reader = try Child("cat", [], output: "/dev/null", descriptors: [0: pipe.reader])
        try kiosk.process.start(errors: pipe.writer)
        #expect(try await kiosk.visit() == "accepted")
        try await reader.pause()
        pipe.shut()
        for _ in 0..<3 { #expect(try await kiosk.visit() == "accepted") }
        kiosk.expectPulses(4, "behind a stopped reader")
        // Only the end of the first visit can have been written; the log continues where it was as soon as
        // the reader resumes.
        #expect(kiosk.stall.timeline.events("visit.ended").count <= 1)
        var ended = 0
        reader.signal(SIGCONT)
        try await kiosk.stall.timeline.wait(for: "end of the fourth visit") { line in
            ended += line["event"]?.string == "visit.ended" ? 1 : 0
            return ended == 4
        }
        _ = try await kiosk.end("behind a reader that goes on")
        try await finish(site, kiosk)
    }

    /// The controller is lost while a visitor is admitted, and reconnecting to it hangs.
    @Test(arguments: [Stall.Held.resolver, .connect]) func theRadioIsLostInAPulse(_ held: Stall.Held) async throws {
        guard let site = try await StallSite("stall") else { return }
        let kiosk = try WatchedKiosk(site, held, at: "gate", pulse: .seconds(1))
        try kiosk.process.start()
        _ = try await kiosk.sendPhone()
        try await kiosk.stall.relay(isActive: true)
        try await kiosk.stall.timeline.wait("reached")
        let position = kiosk.stall.timeline.position
        try await site.air.stop()
        try await kiosk.stall.timeline.wait("held")
        try await kiosk.stall.relay(isActive: false)
        kiosk.expectPulses(1, "a radio that does not come back")
        #expect(kiosk.stall.heldThreads == ["gatehouse-open"])
        // The light continues: out of order.
        try await kiosk.stall.timeline.wait(from: position, for: "the light of a fault") {
            $0["lit"]?.array?.contains("AMBER") == true
        }
        _ = try await kiosk.end("a radio that does not come back")
        kiosk.place.remove()
        site.place.remove()
    }

    /// The kernel's driver never returns from handing an adapter over.
    @Test func anAdapterThatHangs() async throws {
        guard let site = try await StallSite("stall") else { return }
        let notify = try NotifySocket(site.place)
        let kiosk = try WatchedKiosk(
            site, sections: ["radio": "transport = \"user-channel\"\ndevice = \"hci0\""],
            environment: notify.environment(watchdog: .seconds(1)))
        try kiosk.stall.hold(.adapter)
        try kiosk.process.start()
        try await kiosk.stall.timeline.wait("held")
        #expect(kiosk.stall.heldThreads == ["gatehouse-open"])
        try await notify.signs(2)  // everything else works
        let (_, status) = try await kiosk.process.status()
        #expect(status["silent"]?.array == [], "\(status)")
        _ = try await kiosk.end("an adapter that hangs")
        notify.stop()
        try await finish(site, kiosk)
    }

    /// The relay has a thread of its own: neither lamps nor radio delay it.
    @Test(arguments: [(Stall.Held.lamps, "transfer.received"), (.radio, "verdict"), (.radio, "transfer.received")])
    func noOtherThreadDelaysTheRelay(_ held: Stall.Held, _ point: String) async throws {
        guard let site = try await StallSite("stall") else { return }
        let kiosk = try WatchedKiosk(site, held, at: point)
        try kiosk.process.start()
        _ = try await kiosk.sendPhone()
        try await kiosk.stall.timeline.wait("held")
        // A radio thread that hangs before the verdict leaves the gate shut.
        let mayStayShut = point == "transfer.received" && held == .radio
        if mayStayShut { try await Task.sleep(for: .seconds(1)) }
        let isOpened = !mayStayShut || !kiosk.stall.pulses.isEmpty
        if isOpened { try await kiosk.stall.relay(isActive: false) }
        kiosk.expectPulses(isOpened ? 1 : 0, "\(held) held up at \(point)")
        let (_, time, owed) = try await kiosk.process.end()
        WatchedKiosk.expectPrompt(time, owed: owed)
        #expect(kiosk.stall.pulses.allSatisfy { $0.length != nil })
        if held == .radio { #expect(kiosk.stall.lastLamps.isEmpty) }
        try await finish(site, kiosk)
    }

    private func run(_ stalled: Stalled, at points: [String]) async throws {
        guard let site = try await StallSite("stall") else { return }
        var all = StalledVisit.Figures()
        try await withThrowingTaskGroup(of: StalledVisit.Figures.self) { group in
            for point in points {
                let visit = StalledVisit(site: site, stalled: stalled, point: point, length: Self.length)
                group.addTask { try await visit.run() }
            }
            for try await figures in group { all.add(figures) }
        }
        func milliseconds(_ time: Duration) -> String { String(format: "%.1f ms", time / .milliseconds(1)) }
        print(
            "\(stalled.rawValue) stalled for \(Self.length) at \(points.count) points: \(all.visits) visits, \(all.pulses)"
                + " pulses, at most \(milliseconds(all.longest)) longer than configured"
                + " (\(milliseconds(all.excess)) without what the machine owes), ended after \(milliseconds(all.end))")
        try await site.close()
    }

    private func finish(_ site: StallSite, _ kiosk: WatchedKiosk) async throws {
        kiosk.place.remove()
        try await site.close()
    }
}
