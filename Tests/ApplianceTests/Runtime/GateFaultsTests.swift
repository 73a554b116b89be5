import Kiosk
import Reasons
import TestKit
import Testing

@testable import GateService
@testable import LinuxIO

/// The reports of several outputs that fail at the same time.
@Suite struct GateFaultsTests {
    private func trouble(_ what: String = "gate", stuck: Bool = false, lasting: Bool = false) -> LineThread.Trouble {
        LineThread.Trouble(error: .active([what]), isStuck: stuck, isLasting: lasting)
    }

    /// Returns the faults that are present after these changes, as a receiver of the reports sees them.
    private func told(_ changes: [(GateFaults.Part, LineThread.Trouble?)]) -> [ReasonCode: String] {
        var faults = GateFaults()
        var present: [ReasonCode: String] = [:]
        for report in changes.flatMap({ faults.changed($0, $1) }) {
            present[report.code] = report.isPresent ? report.detail ?? "" : nil
        }
        return present
    }

    @Test func aBlipOfAnotherOutputClearsNothingOfTheRelay() {
        for other in [GateFaults.Part.free, .lamps, .controller] {
            let broken: [(GateFaults.Part, LineThread.Trouble?)] = [
                (.relay, trouble()), (.relay, trouble(lasting: true)), (other, trouble()), (other, nil),
            ]
            #expect(Set(told(broken).keys) == [.gpioFailed, .gateUnavailable], "\(other)")
            let stuck: [(GateFaults.Part, LineThread.Trouble?)] = [
                (.relay, trouble(stuck: true)), (other, trouble(stuck: true)), (other, nil),
            ]
            #expect(Set(told(stuck).keys) == [.gateStuck], "\(other)")
            #expect(told(broken + [(.relay, nil)]).isEmpty && told(stuck + [(.relay, nil)]).isEmpty)
        }
    }

    @Test func withoutFreePassageOrLampsVisitorsAreLetIn() {
        #expect(Set(told([(.free, trouble(lasting: true))]).keys) == [.gpioFailed])
        #expect(Set(told([(.lamps, trouble(lasting: true))]).keys) == [.gpioFailed])
        #expect(Set(told([(.controller, trouble(lasting: true))]).keys) == [.gpioFailed, .gateUnavailable])
        #expect(Set(told([(.relay, trouble(lasting: true)), (.free, trouble()), (.relay, nil)]).keys) == [.gpioFailed])
    }

    /// A free passage that does not end is a gate that stays open.
    @Test func anOutputThatDoesNotShutIsTold() {
        #expect(Set(told([(.free, trouble(stuck: true, lasting: true))]).keys) == [.gateStuck])
        #expect(told([(.free, trouble(stuck: true)), (.free, trouble())]).keys.contains(.gateStuck) == false)
    }

    @Test func theDetailIsOfWhatIsStillBroken() {
        let both: [(GateFaults.Part, LineThread.Trouble?)] = [
            (.relay, trouble("relay")), (.free, trouble("free")),
        ]
        #expect(told(both)[.gpioFailed]?.contains("free") == true)
        #expect(told(both + [(.free, nil)])[.gpioFailed]?.contains("relay") == true)
        #expect(told(both + [(.relay, nil)])[.gpioFailed]?.contains("free") == true)
    }

    /// A thread that hung while its lines were requested again.
    @Test func linesThatWereGivenUpTellNothing() {
        let reports = Reports()
        let faults = OutputFaults(report: reports.report)
        let first = faults.begin()
        first(.relay, trouble())
        #expect(reports.present == [.gpioFailed])
        let second = faults.begin()
        second(.relay, trouble())
        first(.relay, trouble(lasting: true))
        first(.relay, nil)
        #expect(reports.present == [.gpioFailed])
        second(.relay, nil)
        #expect(reports.present.isEmpty)
    }
}
