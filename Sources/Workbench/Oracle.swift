package import GateService
package import Kiosk
import Simulation

/// Creates an observer for a process that must end at the first violation of the kiosk's rules.
package enum Oracle {
    /// Returns an observer of ``Gatekeeper``. At a violation of a rule, the observer ends the process with a
    /// description of that rule, before the actions of the turn are carried out.
    package static func asserting(_ settings: KioskSettings) -> Gatekeeper.TurnObserver {
        KioskWatch(settings) { fatalError("the kiosk violated a rule: \($0)") }.turn
    }
}
