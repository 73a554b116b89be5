package import GateService
package import Kiosk
import Simulation

/// An observer for a process that must end at the first violation of the kiosk's rules.
package enum Oracle {
    /// Returns an observer of ``Gatekeeper`` that ends the process with a description of the violated rule,
    /// before the turn is carried out.
    package static func asserting(_ settings: KioskSettings) -> Gatekeeper.TurnObserver {
        KioskWatch(settings) { fatalError("the kiosk violated a rule: \($0)") }.turn
    }
}
