package import GateService
package import Kiosk
import Simulation

/// Makes an observer for a process that must end at the first violation of the kiosk's rules.
package enum Oracle {
    /// Returns an observer of ``Gatekeeper`` that ends the process at a violation, before the turn is carried out, with
    /// a description of the violated rule.
    package static func asserting(_ settings: KioskSettings) -> Gatekeeper.TurnObserver {
        KioskWatch(settings) { fatalError("the kiosk violated a rule: \($0)") }.turn
    }
}
