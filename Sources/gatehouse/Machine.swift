import Clocks

/// The real time and the real tasks. The commands take both from here, and hand them to everything that they run.
enum Machine {
    /// The clocks of this machine.
    static let clock = Clock.system
    /// Starts tasks on the threads of this process.
    static let spawner = Spawner.system
}
