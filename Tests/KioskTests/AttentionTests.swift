import Encoding
import Kiosk
import Ledger
import Reasons
import Simulation
import Testing
import Tuvali

/// Health as people at the gate see it: the lamps and notes of a whole kiosk.
@Suite struct AttentionTests {
    private func faults(_ gate: TestGate) -> [String] {
        gate.kioskNotes.compactMap { note in
            guard case .fault(let code, let isPresent, let count, _) = note else { return nil }
            return "\(isPresent ? "+" : "-")\(code) \(count)"
        }
    }

    @Test func theLightAsksForAttentionWhileItServes() throws {
        let gate = try TestGate(visits: [.test(arrival: .at(.seconds(20)))])
        #expect(gate.run(untilNote: "advertising"))
        gate.inject(.health(.present(.logDropped, count: 3)))
        #expect(gate.patterns == [.off, .ready, .attention])
        #expect(gate.run())
        #expect(gate.phoneOutcomes == [0: .accepted])
        gate.run(for: .seconds(5))
        #expect(gate.patterns.contains(.connected) && gate.patterns.contains(.accepted))
        #expect(gate.patterns.last == .attention && gate.patterns.count { $0 == .ready } == 1)
        gate.inject(.health(.over(.logDropped)))
        #expect(gate.patterns.last == .ready)
        #expect(faults(gate) == ["+fault.log-dropped 3", "-fault.log-dropped 3"])
        #expect(gate.breaches == [])
    }

    @Test func aVerdictIsShownToItsEnd() throws {
        let gate = try TestGate(visits: [.test()])
        #expect(gate.run(untilNote: "verdict"))
        #expect(gate.patterns.last == .accepted)
        gate.inject(.health(.present(.agentUnreachable)))
        #expect(gate.patterns.last == .accepted)
        #expect(gate.run())
        gate.run(for: .seconds(5))
        #expect(gate.patterns.last == .attention && !gate.patterns.drop { $0 != .accepted }.contains(.ready))
    }

    @Test func aGateThatIsStuckIsOutOfOrderThoughTheRadioWorks() throws {
        let gate = try TestGate(visits: [])
        #expect(gate.run(untilNote: "advertising"))
        gate.inject(.health(.present(.gateStuck)))
        #expect(gate.patterns.last == .fault)
        gate.inject(.transportClosed(.transport(.radioGone, "gone")))
        gate.inject(.health(.over(.gateStuck)))
        #expect(gate.patterns.last == .fault, "the radio is still down")
        #expect(gate.run(untilNote: "advertising"))
        #expect(gate.patterns.last == .ready)
    }

    @Test func noGreenLightForAGateThatCannotOpen() throws {
        let gate = try TestGate(visits: [.test(), .test(arrival: .at(.seconds(60)))])
        #expect(gate.run(untilNote: "advertising"))
        gate.inject(.health(.present(.gateUnavailable, detail: "no chip")))
        #expect(gate.patterns.last == .fault)
        gate.run(for: .seconds(30))
        #expect(gate.phoneOutcomes == [0: .rejected] && Set(gate.statusBytes) == [1])
        #expect(gate.gateChanges.isEmpty && !gate.patterns.contains(.accepted) && gate.patterns.contains(.rejected))
        let outcome = try #require(gate.outcomes.first?.outcome)
        #expect(outcome.result == .rejected && outcome.gate == .shut)
        #expect(outcome.reasons.map(\.code) == [Text(ReasonCode.gateUnavailable.text)])
        gate.inject(.health(.over(.gateUnavailable)))
        #expect(gate.run() && gate.phoneOutcomes[1] == .accepted && gate.gateChanges.count == 2)
        #expect(gate.breaches == [])
    }

    /// A relay's failure is known only when the gate is to open. Even then no green light is shown at a shut
    /// gate.
    @Test(arguments: [true, false]) func aRelayThatFailsTakesTheGreenLightBack(isOpen: Bool) throws {
        let gate = try TestGate(visits: [.test()]) { $0.gatePulse = .seconds(3) }
        gate.verificationTime = .milliseconds(200)
        #expect(gate.run(untilNote: isOpen ? "gate" : "transfer.started"))
        if !isOpen { gate.run(for: .milliseconds(100)) }
        gate.inject(.health(.present(.gateUnavailable)))
        if isOpen { #expect(gate.patterns.last == .fault && gate.gateChanges.last?.open == false) }
        gate.run(for: .seconds(30))
        let outcome = try #require(gate.outcomes.first?.outcome)
        #expect(outcome.result == (isOpen ? .accepted : .rejected) && gate.outcomes.count == 1)
        #expect(outcome.reasons.last?.code == Text(ReasonCode.gateUnavailable.text))
        #expect(gate.breaches == [])
    }

    @Test func aRadioThatFailsIsAFaultUntilItIsBack() throws {
        let gate = try TestGate(visits: [])
        #expect(gate.run(untilNote: "advertising"))
        gate.run(for: .seconds(30))
        for _ in 0..<5 { gate.inject(.transportClosed(.transport(.radioGone, "gone"))) }
        #expect(gate.patterns.last == .fault)
        #expect(faults(gate) == ["+fault.radio 1"])
        #expect(gate.run(untilNote: "advertising"))
        gate.run(for: .seconds(6))
        #expect(faults(gate) == ["+fault.radio 1", "-fault.radio 1"])
        #expect(gate.patterns.last == .ready)
        #expect(gate.breaches == [])
    }

    @Test func aLedgerThatRefusesIsAFaultUntilItTakesARecord() throws {
        let gate = try TestGate(visits: [.test(), .test(arrival: .at(.seconds(60)))])
        gate.intentFailure = .database("disk full")
        #expect(gate.run(untilNote: "visit.ended"))
        gate.run(for: .seconds(10))
        #expect(faults(gate) == ["+ledger.unavailable 1"])
        #expect(gate.patterns.last == .attention)
        gate.intentFailure = nil
        #expect(gate.run())
        gate.run(for: .seconds(10))
        #expect(faults(gate) == ["+ledger.unavailable 1", "-ledger.unavailable 1"])
        #expect(gate.patterns.last == .ready)
    }

    /// For any period of a flapping fault, the log stays readable and no lamp flashes more than twice a
    /// second.
    @Test(arguments: [1, 7, 40, 250, 333, 500, 990, 1100, 1450, 2000]) func aFaultThatFlapsIsNoFlicker(_ period: Int)
        throws
    {
        let gate = try TestGate(visits: [])
        #expect(gate.run(untilNote: "advertising"))
        let turns = min(2000, 30_000 / period)
        for turn in 0..<turns {
            gate.inject(.health(turn % 2 == 0 ? .present(.gpioFailed) : .over(.gpioFailed)))
            gate.run(for: .milliseconds(period))
        }
        let told = faults(gate).count
        #expect(told <= 2 + turns * period / 5000, "\(told) notes")
        var lit: Set<Lamp> = []
        var rises: [Lamp: [Instant]] = [:]
        for case (let at, .signal(let signal, _)) in gate.seen {
            for lamp in signal.lamps.subtracting(lit) { rises[lamp, default: []].append(at) }
            lit = signal.lamps
        }
        for (lamp, rises) in rises {
            for (first, third) in zip(rises, rises.dropFirst(2)) {
                #expect(first.duration(to: third) > .seconds(1), "\(lamp) at \(period) ms")
            }
        }
    }

    @Test func theStatusReportsEvents() throws {
        var kiosk = Kiosk(settings: try .named("TestGate"), at: .zero)
        #expect(kiosk.status(at: .zero).radio == .down)
        _ = kiosk.handle(.start, at: .zero)
        #expect(kiosk.status(at: .zero).radio == .starting)
        _ = kiosk.handle(.transportClosed(.transport(.radioNotFound, "no adapter")), at: .zero)
        let later = Instant.zero.advanced(by: .seconds(1))
        let status = kiosk.status(at: later)
        #expect(status.radio == .down && status.light == .fault && !status.isGateOpen && status.phones == 0)
        #expect(status.health.faults.map(\.code) == [.radioFailed])
        #expect(status.health.faults.first?.detail == "radio.not-found: no adapter" && status.at == later)
        #expect(status.counters.radioFailures == 1)
        _ = kiosk.handle(.stop, at: later)
        #expect(kiosk.status(at: later).radio == .stopped)
        #expect(kiosk.deadline(after: later) == nil, "nothing is told after the end")
    }
}

extension KioskSettings {
    /// Returns settings for a kiosk with the given name.
    fileprivate static func named(_ name: String) throws -> KioskSettings {
        KioskSettings(name: try .init(name), softwareVersion: "test")
    }
}
