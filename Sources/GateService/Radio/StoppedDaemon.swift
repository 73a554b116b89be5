import Encoding
import Glibc
package import LinuxIO
import Settings

/// The marker that the systemd unit has stopped bluetoothd for the gate (`ExecStartPre=` of
/// `deploy/gatehouse.service`). The marker is an empty folder in the service's runtime folder. It is a folder for two
/// reasons: a symbolic link that the service's user made cannot redirect root when it creates a folder, and the
/// service can remove the folder.
package enum StoppedDaemon {
    /// If the marker exists in `folder`, removes it and logs that bluetoothd was stopped.
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
