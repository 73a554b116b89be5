import Kiosk
import Reasons
import TestKit
import Testing

@testable import GateService
@testable import LinuxIO

/// The reports of several outputs that fail at the same time.
@Suite struct GateFaultsTests {
    private static let gate = [OutputRole.gateRelay]
    private static let free = [OutputRole.freeRelay]

    private func trouble(_ what: String = "gate", stuck: Bool = false, lasting: Bool = false) -> LineThread.Trouble {
        LineThread.Trouble(error: .active([what]), isStuck: stuck, isLasting: lasting)
    }

    /// Returns the faults that are present after these changes, as a receiver of the reports sees them.
    private func told(_ changes: [([OutputRole], LineThread.Trouble?)]) -> [ReasonCode: String] {
        var faults = GateFaults()
        var present: [ReasonCode: String] = [:]
        for report in changes.flatMap({ faults.changed($0, $1) }) {
            present[report.code] = report.isPresent ? report.detail ?? "" : nil
        }
        return present
    }

    @Test func aShortFaultOfAnotherOutputClearsNoFaultOfTheRelay() {
        for other in OutputRole.groups.dropFirst() {
            let broken: [([OutputRole], LineThread.Trouble?)] = [
                (Self.gate, trouble()), (Self.gate, trouble(lasting: true)), (other, trouble()), (other, nil),
            ]
            #expect(Set(told(broken).keys) == [.gpioFailed, .gateUnavailable], "\(other)")
            let stuck: [([OutputRole], LineThread.Trouble?)] = [
                (Self.gate, trouble(stuck: true)), (other, trouble(stuck: true)), (other, nil),
            ]
            #expect(Set(told(stuck).keys) == [.gateStuck], "\(other)")
            #expect(told(broken + [(Self.gate, nil)]).isEmpty && told(stuck + [(Self.gate, nil)]).isEmpty)
        }
    }

    @Test func withoutFreePassageOrLampsVisitorsAreLetIn() {
        #expect(Set(told([(Self.free, trouble(lasting: true))]).keys) == [.gpioFailed])
        #expect(Set(told([(OutputRole.signals, trouble(lasting: true))]).keys) == [.gpioFailed])
        #expect(Set(told([(OutputRole.wires, trouble(lasting: true))]).keys) == [.gpioFailed, .gateUnavailable])
        #expect(
            Set(told([(Self.gate, trouble(lasting: true)), (Self.free, trouble()), (Self.gate, nil)]).keys) == [
                .gpioFailed
            ])
    }

    /// A free passage that does not end is a gate that stays open.
    @Test func anOutputThatDoesNotShutIsReported() {
        #expect(Set(told([(Self.free, trouble(stuck: true, lasting: true))]).keys) == [.gateStuck])
        #expect(told([(Self.free, trouble(stuck: true)), (Self.free, trouble())]).keys.contains(.gateStuck) == false)
    }

    @Test func theDetailNamesTheRemainingFault() {
        let both: [([OutputRole], LineThread.Trouble?)] = [
            (Self.gate, trouble("relay")), (Self.free, trouble("free")),
        ]
        #expect(told(both)[.gpioFailed]?.contains("free") == true)
        #expect(told(both + [(Self.free, nil)])[.gpioFailed]?.contains("relay") == true)
        #expect(told(both + [(Self.gate, nil)])[.gpioFailed]?.contains("free") == true)
    }

    /// A thread that hung while its lines were requested again.
    @Test func abandonedLinesReportNothing() {
        let reports = Reports()
        let faults = OutputFaults(report: reports.report)
        let first = faults.begin()
        first(Self.gate, trouble())
        #expect(reports.present == [.gpioFailed])
        let second = faults.begin()
        second(Self.gate, trouble())
        first(Self.gate, trouble(lasting: true))
        first(Self.gate, nil)
        #expect(reports.present == [.gpioFailed])
        second(Self.gate, nil)
        #expect(reports.present.isEmpty)
    }
}
