/// The names of the files in the service's runtime folder that carry messages to the program, or to a unit
/// that runs as root. No key of the configuration may name one of them.
package enum RuntimeFiles {
    /// The request for a reset of the Bluetooth adapter.
    package static let adapterReset = "reset-radio"
    /// The sign that the unit has stopped bluetoothd: an empty folder.
    package static let stoppedDaemon = "bluetoothd-stopped"
    /// The history of crashes, which exists while the program runs.
    package static let crashes = "running"
}
