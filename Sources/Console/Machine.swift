package import Clocks

/// The real clocks and the real task spawner. Commands pass them to the code that they run.
package enum Machine {
    /// The clocks of this machine.
    package static let clock = Clock.system
    /// Starts tasks on the threads of this process.
    package static let spawner = Spawner.system
}
