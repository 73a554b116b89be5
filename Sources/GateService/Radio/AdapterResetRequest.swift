package import Clocks
import Encoding
import Foundation
package import LinuxIO
import Settings

/// Requests a reset of the Bluetooth adapter. The service itself has no permission to reset it.
///
/// The request is a file. A systemd path unit waits for that file and then starts, as root, the program that switches
/// the adapter off and on. Without such a unit the request has no effect, but the service still reopens the radio
/// repeatedly.
package enum AdapterResetRequest {
    /// Creates the file of the request in the folder `folder`, in a separate task. Logs a failure.
    package static func ask(_ log: LogSink, in folder: String, spawner: Spawner) {
        let path = folder + "/" + RuntimeFiles.adapterReset
        spawner.start("the request for a reset of the adapter") {
            guard !FileManager.default.createFile(atPath: path, contents: Data()) else { return }
            log.log(.warning, "radio.adapter-reset", ["file": .text(path), "failed": .bool(true)])
        }
    }
}
