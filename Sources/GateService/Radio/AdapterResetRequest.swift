package import Clocks
import Encoding
import Foundation
package import LinuxIO
import Settings

/// Requests a reset of the Bluetooth adapter, for which the service itself has no permission.
///
/// A systemd path unit waits for a file and then starts, as root, the program that switches the adapter off
/// and on. Without such a unit the request has no effect: the service reopens the radio repeatedly in any
/// case.
package enum AdapterResetRequest {
    /// Creates the file in that folder, without blocking the calling thread. A failure is logged.
    package static func ask(_ log: LogSink, in folder: String, spawner: Spawner) {
        let path = folder + "/" + RuntimeFiles.adapterReset
        spawner.start("the request for a reset of the adapter") {
            guard !FileManager.default.createFile(atPath: path, contents: Data()) else { return }
            log.log(.warning, "radio.adapter-reset", ["file": .text(path), "failed": .bool(true)])
        }
    }
}
