/// The names of the files in the service's runtime folder that pass information to the program or to a unit that runs
/// as root. No key of the configuration may name one of these files.
package enum RuntimeFiles {
    /// The file by which the service requests a reset of the Bluetooth adapter.
    package static let adapterReset = "reset-radio"
    /// The marker that the unit has stopped bluetoothd: an empty folder.
    package static let stoppedDaemon = "bluetoothd-stopped"
    /// The file with the history of crashes. It exists while the program runs.
    package static let crashes = "running"
}
