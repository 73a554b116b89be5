import Encoding
import Kiosk
import Ledger
import Reasons
import Simulation
import Testing
import Tuvali

/// The radio fails in every way, at every moment, and recovers.
@Suite struct RadioTests {
    /// Notes that mark the stages of a visit; the verification is slow, so that each stage lasts.
    static let moments = [
        "radio.ready", "advertising", "phone.connected", "phone.mtu", "phone.identified", "transfer.started",
        "transfer.progress", "transfer.received", "verdict", "visit.ended",
    ]

    private func failures(_ gate: TestGate) -> [(reason: RadioFailure, retryIn: Duration)] {
        gate.kioskNotes.compactMap {
            if case .radioFailed(let reason, let wait) = $0 { (reason, wait) } else { nil }
        }
    }

    @Test(arguments: moments) func theTransportClosesAndTheNextVisitorIsLetIn(_ moment: String) throws {
        let gate = try TestGate(visits: [.test(record: MisbehaviourTests.incompressible), .test()])
        gate.verificationTime = .seconds(1)
        #expect(gate.run(untilNote: moment))
        gate.inject(.transportClosed(.transport(.radioGone, "the dongle was pulled out")))
        #expect(failures(gate).map(\.reason) == [.transport(.radioGone, "the dongle was pulled out")])
        #expect(gate.patterns.last == .fault)
        #expect(gate.run())
        #expect(gate.phoneOutcomes[1] == .accepted)
        #expect(gate.outcomes.last?.outcome.result == .accepted)
        #expect(gate.counters.radioFailures == 1)
        #expect(gate.breaches == [])
        #expect(gate.violations == [])
    }

    @Test func aHardwareErrorInTheMidstOfATransfer() throws {
        let calm = try TestGate(visits: [.test(record: MisbehaviourTests.incompressible)])
        #expect(calm.run(untilNote: "transfer.progress"))
        var controller = ControllerTraits()
        controller.hardwareError = (calm.now, 0x42)
        let gate = try TestGate(
            visits: [.test(record: MisbehaviourTests.incompressible), .test()], controller: controller)
        #expect(gate.run())
        #expect(failures(gate).count == 1)
        #expect(gate.outcomes.map(\.outcome.result) == [.failed, .accepted])
        #expect(gate.outcomes.first?.outcome.reasons.map(\.code) == ["transfer.disconnected", "transfer.radio-lost"])
        #expect(gate.phoneOutcomes[1] == .accepted)
        #expect(gate.breaches == [])
    }

    @Test func theWaitDoublesToItsBoundAndBeginsAnewAfterASuccess() throws {
        var controller = ControllerTraits()
        controller.responseTime = .milliseconds(10)
        let gate = try TestGate(visits: [], controller: controller) {
            $0.radioBackoff = .milliseconds(100)...(.seconds(3))
        }
        gate.run(for: .zero)
        for _ in 0..<8 {
            gate.inject(.transportClosed(.transport(.radioGone, "no device")))
            gate.inject(.transportClosed(.transport(.radioGone, "told twice")))
            gate.run(for: try #require(failures(gate).last).retryIn)  // until the transport is opened again
        }
        #expect(failures(gate).map { Int($0.retryIn.milliseconds) } == [100, 200, 400, 800, 1600, 3000, 3000, 3000])
        #expect(gate.run(untilNote: "radio.ready"))
        gate.run(for: .seconds(10))
        gate.inject(.transportClosed(.transport(.radioGone, "again")))
        #expect(failures(gate).last?.retryIn == .milliseconds(100))
        #expect(gate.counters.radioFailures == 9)
    }

    /// Formerly a stick that failed as soon as it was up was opened ten times a second, which logged 20 lines
    /// a second permanently.
    @Test func oneThatFailsAsSoonAsItIsUpIsNotHurried() throws {
        let gate = try TestGate(visits: [], controller: ControllerTraits()) { $0.radioReminder = .seconds(60) }
        gate.run(for: .zero)
        var opened = 0
        while gate.now < Instant.zero.advanced(by: .seconds(60)) {
            if gate.run(untilNote: "radio.ready") { gate.inject(.transportClosed(.transport(.radioGone, "gone"))) }
            opened += 1
        }
        #expect(opened <= 64)
        #expect(failures(gate).count <= 5, "told seldom")
        #expect(gate.breaches == [])
    }

    @Test func aSilentControllerIsOpenedAnew() throws {
        var controller = ControllerTraits()
        controller.silentCommands = [.reset]
        let gate = try TestGate(visits: [], controller: controller)
        gate.run(for: .seconds(300))
        let waits = failures(gate).map { Int($0.retryIn.milliseconds) }
        #expect(waits.starts(with: [100, 200, 400, 800, 1000, 1000, 1000]))
        #expect(gate.invitations.isEmpty)
        #expect(gate.patterns == [.off, .fault])
        #expect(gate.breaches == [])
    }

    @Test func aControllerThatIsTooSlowToStartIsOpenedAnew() throws {
        var controller = ControllerTraits()
        controller.responseTime = .milliseconds(950)
        let gate = try TestGate(visits: [], controller: controller) { $0.radioStartLimit = .seconds(10) }
        gate.run(for: .seconds(10))
        #expect(failures(gate).map(\.reason) == [.notUpInTime])
    }

    @Test func aTransportThatNeverAnswersIsOpenedAnew() throws {
        var kiosk = Kiosk(
            settings: KioskSettings(name: try Identifier("TestGate"), softwareVersion: "test"), at: .zero)
        func opens(_ actions: [KioskAction]) -> Bool { actions.contains(.openTransport) }
        let first = kiosk.handle(.start, at: .zero)
        #expect(opens(first))
        let limit = Instant.zero.advanced(by: .seconds(20))
        #expect(kiosk.deadline(after: .zero) == limit)
        let actions = kiosk.handle(.timer, at: limit)
        #expect(actions.contains(.closeTransport))
        let again = kiosk.handle(.timer, at: limit.advanced(by: .milliseconds(100)))
        #expect(opens(again))
    }

    @Test func anAdapterThatDoesNotAdvertiseIsAFault() throws {
        var controller = ControllerTraits()
        controller.unknownCommands = [.leSetAdvertisingEnable]
        let gate = try TestGate(visits: [.test()], controller: controller)
        gate.run(for: .seconds(20))
        #expect(failures(gate).count > 3)
        #expect(failures(gate).first?.reason.description.contains("refused to advertise") == true)
        #expect(gate.patterns.last == .fault)
        #expect(gate.breaches == [])
    }

    @Test(arguments: ["Raspberry Pi 4", "Zero 2 W", "whole PDUs", "slow"]) func anyControllerWillDo(_ name: String)
        throws
    {
        var wholePDUs = ControllerTraits()
        wholePDUs.deliversWholePDUs = true
        var slow = ControllerTraits()
        slow.responseTime = .milliseconds(30)
        let controllers = [
            "Raspberry Pi 4": ControllerTraits.raspberryPi4, "Zero 2 W": .zero2W, "whole PDUs": wholePDUs, "slow": slow,
        ]
        let visits = [PhoneTraits.android14, .iPhone].map {
            Simulation.Visit.test($0, record: MisbehaviourTests.incompressible)
        }
        let gate = try TestGate(visits: visits, controller: try #require(controllers[name]))
        #expect(gate.run())
        #expect(gate.phoneOutcomes == [0: .accepted, 1: .accepted])
        #expect(gate.counters.radioFailures == 0)
        #expect(gate.breaches == [])
        #expect(gate.violations == [])
    }

    // MARK: - Keys on the air

    @Test func keyAndAddressChangeBetweenVisits() throws {
        let gate = try TestGate(visits: [.test(arrival: .at(.seconds(605)))])
        gate.run(for: .seconds(600))
        #expect(gate.invitations.count == 10 || gate.invitations.count == 11)
        #expect(Set(gate.invitations).count == gate.invitations.count)
        #expect(Set(gate.addresses).count == gate.invitations.count)
        #expect(gate.counters.radioFailures == 0)
        #expect(gate.run())
        #expect(gate.phoneOutcomes == [0: .accepted])
    }

    /// A phone that has the old code and connects while the advertisement changes is served with the old key.
    @Test func aPhoneThatConnectsDuringTheChangeIsLetIn() throws {
        var controller = ControllerTraits()
        controller.responseTime = .milliseconds(20)
        let calm = try TestGate(visits: [.test()], controller: controller)
        #expect(calm.run(untilNote: "advertising"))
        let advertised = calm.now
        #expect(calm.run(untilNote: "phone.connected"))
        let wait = advertised.duration(to: calm.now)
        var served = 0
        for step in -30...15 {
            let gate = try TestGate(visits: [.test()], controller: controller) {
                $0.keyRotation = wait + .milliseconds(step * 2)
            }
            #expect(gate.run())
            #expect(gate.phoneOutcomes == [0: .accepted], "change \(step * 2) ms after the connection")
            #expect(gate.breaches == [])
            // A visitor with the newest code uses it up.
            let identified = gate.seen.first { if case .kiosk(.identified) = $0.what { true } else { false } }
            let isRenewed = gate.seen.contains { entry in
                if case .kiosk(.advertising) = entry.what { entry.at == identified?.at } else { false }
            }
            if !isRenewed { served += 1 }
        }
        #expect(served > 0)  // the change did happen during the connection
    }
}
