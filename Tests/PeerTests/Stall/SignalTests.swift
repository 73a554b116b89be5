import Encoding
import Foundation
import LinuxIO
import TestKit
import Testing

/// Signals while a visitor is admitted: each signal that a program can catch leaves the gate shut.
@Suite(.timeLimit(.minutes(3)), .tags(.realTime)) struct SignalTests {
    /// Signals that ask the program to end, from systemd, from a closed terminal, and from a person at a
    /// terminal.
    @Test(arguments: [SIGTERM, SIGINT, SIGHUP, SIGQUIT]) func signalsThatEndIt(_ number: Int32) async throws {
        try await inAPulse(of: .seconds(5)) { kiosk in
            let asked = SystemClock.now()
            let (_, owed) = try await kiosk.end("signal \(number)", by: number)
            #expect(kiosk.stall.pulses.count == 1)
            try expectShut(kiosk, behind: asked, owed: owed)
        }
    }

    /// Signals whose default action ends a program and that mean nothing to this one: one program receives
    /// each in a pulse of its own, and still admits the next visitor.
    @Test func signalsThatAreIgnored() async throws {
        let numbers = [SIGPIPE, SIGALRM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGIO]
        try await inAPulse(of: .milliseconds(500)) { kiosk in
            for (count, number) in zip(1..., numbers) {
                kiosk.process.signal(number)
                try await kiosk.stall.relay(isActive: false, times: count)
                #expect(kiosk.process.isRunning, "signal \(number)")
                try await letIn(kiosk, times: count + 1)
            }
            try await kiosk.stall.relay(isActive: false, times: numbers.count + 1)
            kiosk.expectPulses(numbers.count + 1, "signals \(numbers)")
            _ = try await kiosk.end("signals \(numbers)")
        }
    }

    /// Signals of a crash.
    @Test(arguments: [SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGTRAP]) func signalsOfACrash(_ number: Int32) async throws {
        try await inAPulse(of: .seconds(5)) { kiosk in
            let asked = SystemClock.now()
            let (end, time, owed) = try await kiosk.process.end(by: number)
            #expect(end == .signal(number))
            WatchedKiosk.expectPrompt(time, owed: owed)
            try expectShut(kiosk, behind: asked, owed: owed)
        }
    }

    /// Expects that the relay was released at once, before the end of the pulse.
    private func expectShut(_ kiosk: WatchedKiosk, behind signal: Instant, owed: Duration) throws {
        let pulse = try #require(kiosk.stall.pulses.first)
        let length = try #require(pulse.length, "the relay is left on")
        let time = Duration.nanoseconds(Int64(pulse.began + length) - signal.nanoseconds)
        #expect(time < .seconds(2) + owed, "\(pulse)")
    }

    /// Admits a visitor and runs `body` while the relay is energised.
    private func inAPulse(of pulse: Duration, _ body: (WatchedKiosk) async throws -> Void) async throws {
        guard let site = try await StallSite("signal") else { return }
        let kiosk = try WatchedKiosk(site, pulse: pulse)
        try kiosk.process.start()
        try await letIn(kiosk, times: 1)
        try await body(kiosk)
        kiosk.place.remove()
        try await site.close()
    }

    /// Admits a visitor. Waits until the relay was energised `count` times and the phone has the verdict.
    private func letIn(_ kiosk: WatchedKiosk, times count: Int) async throws {
        let phone = try await kiosk.sendPhone()
        try await kiosk.stall.relay(isActive: true, times: count)
        try await kiosk.expectVerdict(of: phone)
    }
}
