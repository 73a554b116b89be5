package import Appliance
package import Kiosk
import Simulation

/// The oracle of a process that shall end where the kiosk would do what its rules forbid.
package enum Oracle {
    /// An observer of ``Gatekeeper`` that ends the process with the broken rule in words, before the turn is carried out.
    package static func asserting(_ settings: KioskSettings) -> Gatekeeper.TurnObserver {
        KioskWatch(settings) { fatalError("the kiosk broke a rule: \($0)") }.turn
    }
}
