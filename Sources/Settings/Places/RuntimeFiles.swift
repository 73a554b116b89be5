/// The names of files in the service's runtime folder by which the service, or a unit that runs as root, informs the
/// other. No key of the configuration may name one of these files.
package enum RuntimeFiles {
    /// The file by which the service requests a reset of the Bluetooth adapter.
    package static let adapterReset = "reset-radio"
    /// The marker that the unit has stopped bluetoothd: an empty folder.
    package static let stoppedDaemon = "bluetoothd-stopped"
    /// The file with the history of crashes. It exists while the program runs.
    package static let crashes = "running"
}
