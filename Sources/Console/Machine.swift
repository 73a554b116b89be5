package import Clocks

/// The real time and the real tasks. The commands take both from here, and hand them to everything that they run.
package enum Machine {
    /// The clocks of this machine.
    package static let clock = Clock.system
    /// Starts tasks on the threads of this process.
    package static let spawner = Spawner.system
}
