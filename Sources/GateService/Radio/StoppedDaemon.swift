import Encoding
import Glibc
package import LinuxIO
import Settings

/// The marker that the unit has stopped bluetoothd for the gate (`ExecStartPre=` of
/// `deploy/gatehouse.service`): an empty folder in the service's runtime folder. The marker is a folder for
/// two reasons. Root makes it and cannot be misled by a symbolic link of the service's user. And the service
/// can remove it.
package enum StoppedDaemon {
    /// Logs that bluetoothd was stopped, once for each time that it was.
    package static func tell(_ log: LogSink, in folder: String) {
        guard rmdir(folder + "/" + RuntimeFiles.stoppedDaemon) == 0 else { return }
        log.log(
            .warning, "radio.bluetoothd-stopped",
            [
                "text": "a running bluetoothd was stopped: the gate uses the adapter",
                "remedy":
                    "nothing, unless gatehouse doctor finds it started again: systemctl disable --now bluetooth",
            ])
    }
}
