import Encoding
import Glibc
import LinuxIO

/// Word of a bluetoothd that the unit has stopped for the gate (`ExecStartPre=` of `deploy/gatehouse.service`): an empty folder in the
/// service's runtime folder. No link of the service's user leads root elsewhere when it makes one, and the service can take it away.
enum StoppedDaemon {
    /// The folder's name.
    static let name = "bluetoothd-stopped"

    /// Says in the log that one was stopped, once for each time.
    static func tell(_ log: LogSink, in folder: String) {
        guard rmdir(folder + "/" + name) == 0 else { return }
        log.log(
            .warning, "radio.bluetoothd-stopped",
            [
                "text": "bluetoothd was running and was stopped: the adapter belongs to the gate",
                "remedy":
                    "nothing, where gatehouse doctor finds that it does not start again; else: systemctl disable --now bluetooth",
            ])
    }
}
