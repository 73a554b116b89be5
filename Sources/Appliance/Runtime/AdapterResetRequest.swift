import Encoding
import Foundation
package import LinuxIO

/// Asks for the reset of the Bluetooth adapter by somebody who has the right to it: the service itself has not.
///
/// A systemd path unit waits for a file and starts, as root, what switches the adapter off and on. Where there is no such unit
/// nothing happens: the radio is opened anew again and again in any case.
package enum AdapterResetRequest {
    /// The file that is waited for, in the service's runtime folder.
    static let name = "reset-radio"

    /// Makes the file in that folder, beside the calling thread. What goes wrong is logged.
    package static func ask(_ log: LogSink, in folder: String) {
        let path = folder + "/" + name
        Task.detached {
            guard !FileManager.default.createFile(atPath: path, contents: Data()) else { return }
            log.log(.warning, "radio.adapter-reset", ["file": .text(path), "failed": .bool(true)])
        }
    }
}
