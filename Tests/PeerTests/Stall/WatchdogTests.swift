import Encoding
import Foundation
import TestKit
import Testing

/// systemd is notified when the service is ready, and receives watchdog messages only while everything that a
/// visit needs works.
@Suite(.timeLimit(.minutes(3)), .tags(.realTime)) struct WatchdogTests {
    /// The longest time for which the service may be silent; it sends a message twice as often.
    private let watchdog = Duration.milliseconds(600)
    /// The same where it must not be silent for so long: a machine that stalls for half of that is no fault
    /// of the service.
    private let patience = Duration.seconds(3)

    @Test func itSaysThatItServesAndThatItEnds() async throws {
        guard let site = try await StallSite("watchdog") else { return }
        let (kiosk, notify) = try await start(site, patience)
        let ready = try await notify.wait("READY=1")
        #expect(ready.message.lines.contains { $0.hasPrefix("STATUS=waiting for a phone") }, "\(ready.message.lines)")
        try await expectSigns(6, notify) {
            let outcome = try await kiosk.visit()
            #expect(outcome == "accepted")
        }
        let before = notify.messages.count
        try await site.air.stop()
        try await notify.wait("STATUS=", from: before)
        _ = try await kiosk.end("nothing hangs")
        try await notify.wait("STOPPING=1")
        #expect(notify.messages.count { $0.lines.contains("READY=1") } == 1)
        notify.stop()
        kiosk.place.remove()
        site.place.remove()
    }

    /// The radio's thread hangs, or verifications hang.
    @Test(arguments: [Stall.Held.radio, .clock]) func whileSomethingHangsItIsSilent(_ held: Stall.Held)
        async throws
    {
        guard let site = try await StallSite("watchdog") else { return }
        let (kiosk, notify) = try await start(site, watchdog)
        try await notify.wait("READY=1")
        try await notify.wait("WATCHDOG=1")
        try await hang(kiosk, held)
        try await expectSilence(notify, "\(held)")

        try kiosk.stall.release(held)
        let position = notify.messages.count
        try await notify.signs(2, from: position)

        try await hang(kiosk, held)
        try await expectSilence(notify, "\(held), again")
        let (end, time, owed) = try await kiosk.process.end()
        print("\(held) hangs: ended \(time) after SIGTERM as \(end.map { "\($0)" } ?? "-")")
        WatchedKiosk.expectPrompt(time, owed: owed)
        #expect(end == .exit(1))
        try await notify.wait("STOPPING=1")
        #expect(kiosk.stall.pulses.allSatisfy { $0.length != nil } && kiosk.stall.lastLamps.isEmpty)
        notify.stop()
        kiosk.place.remove()
        try await site.close()
    }

    /// A hanging disk is no reason to restart: everything that waits for the disk would be lost, and the gate
    /// follows `whenLedgerFails`. The end loses it nevertheless, and reports the loss.
    @Test func aDiskThatHangsIsNoReasonToBeginAnew() async throws {
        guard let site = try await StallSite("watchdog") else { return }
        let (kiosk, notify) = try await start(site, patience)
        try await notify.wait("READY=1")
        let position = kiosk.stall.timeline.position
        try kiosk.stall.hold(.ledger)
        // Something is waiting to be written: an intent, or the outcome of a phone that left.
        _ = try await kiosk.sendPhone()
        try await kiosk.stall.timeline.wait("visit.ended", from: position)
        try await kiosk.stall.timeline.wait("held", from: position)
        try await expectSigns(4, notify)
        let (end, time, owed) = try await kiosk.process.end()
        WatchedKiosk.expectPrompt(time, owed: owed)
        #expect(end == .exit(1))
        try await notify.wait("STOPPING=1")
        #expect(kiosk.stall.pulses.allSatisfy { $0.length != nil } && kiosk.stall.lastLamps.isEmpty)
        notify.stop()
        kiosk.place.remove()
        try await site.close()
    }

    private func start(_ site: StallSite, _ watchdog: Duration) async throws -> (WatchedKiosk, NotifySocket) {
        let notify = try NotifySocket(site.place)
        let kiosk = try WatchedKiosk(site, environment: notify.environment(watchdog: watchdog))
        try kiosk.process.start()
        return (kiosk, notify)
    }

    private func hang(_ kiosk: WatchedKiosk, _ held: Stall.Held) async throws {
        let position = kiosk.stall.timeline.position
        try kiosk.stall.hold(held)
        try await kiosk.stall.timeline.wait("held", from: position)
    }

    /// Expects `count` watchdog messages from now on, while `body` runs and after it, each in time apart from
    /// the delay that the machine causes.
    private func expectSigns(
        _ count: Int, _ notify: NotifySocket, while body: () async throws -> Void = {}
    ) async throws {
        let canary = Canary()
        defer { canary.end() }
        let began = notify.messages.count
        try await body()
        let signs = try await notify.signs(count, from: began)
        let gaps = zip(signs, signs.dropFirst()).map { $1 - $0 }
        let limit = patience + canary.sum
        #expect(gaps.allSatisfy { $0 < limit }, "\(gaps)")
    }

    /// Expects no watchdog message for twice the time for which the service may be silent: four were due.
    private func expectSilence(_ notify: NotifySocket, _ what: Comment) async throws {
        try await Task.sleep(for: watchdog * 2)  // for messages that were on their way
        var (signs, isSilent) = (notify.signs.count, false)
        // One message whose checks were answered before may be that late, however long it takes. A second one
        // does not exist.
        for _ in 0..<2 where !isSilent {
            try await Task.sleep(for: watchdog * 2)
            let now = notify.signs.count
            (signs, isSilent) = (now, now == signs)
        }
        #expect(isSilent, what)
    }
}
