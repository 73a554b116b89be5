package import Encoding
package import Features
package import Kiosk
package import LinuxIO
package import Observation
package import Reasons

/// The facts of a machine. ``MachineProbe`` collects the facts; ``Doctor`` makes findings from them.
package struct MachineFacts: Sendable {
    /// The name of the service's unit, without `.service`: `gatehouse`, or `gatehouse@NAME` for a further
    /// gate on the machine.
    package var unitName = "gatehouse"
    /// The unit of the service; nil if it is not installed.
    package var unit: UnitFile?
    /// The name of the user as whom the service runs.
    package var userName = "gatehouse"
    /// The account of the service's user; nil if no user of that name exists.
    package var account: Account?
    /// The groups that the unit names and that do not exist.
    package var missingGroups: [String] = []
    /// The path of the configuration file; nil if it is not known.
    package var configurationFile: String?
    /// The files below the trust directory.
    package var trustFiles: [String] = []
    /// The files, folders and device nodes at the paths that the configuration names.
    package var places: [String: Place] = [:]
    /// The number of paths that this program may not examine.
    package var unseen = 0
    /// The files and disks to which the kernel swaps memory, without those that are in memory (zram).
    package var swaps: [String] = []
    /// Whether the kernel counts the memory of each unit; without that, the limits of a unit have no effect.
    package var countsMemory = true
    /// The file system of the records; nil if it could not be queried.
    package var disk: Disk?
    /// The facts about Bluetooth.
    package var radio = Radio()
    /// The name and version of libgpiod, or the error if it cannot be loaded; nil if it was not looked for.
    package var gpioLibrary: Result<String, GPIOError>?
    /// The GPIO chips, and the nodes that could not be opened; nil if they could not be looked for.
    package var chips: (chips: [GPIOChips.Chip], forbidden: [String])?
    /// Whether the relay threads that run on this machine have real-time priority; nil if no relay thread
    /// runs, or if this program cannot see any.
    package var relaysRunFirst: Bool?
    /// Whether the kernel of this board keeps driving a line after a program gives it back.
    package var keepsLinesDriven = false
    /// The facts of the machine's clocks.
    package var clock = Clock()
    /// The trust data; nil if it was not looked at.
    package var trust: Trust?
    /// The facts of the rules; nil if the gate has no rules.
    package var policy: Policy?
    /// All expiry dates: of trust data, of rules and of other parts.
    package var expiries: [Expiry] = []
    /// The faults of the files of `[agent]` and `[agency]`.
    package var agents: [Trouble] = []
    /// The problems of features.
    package var features: [FeatureCheck: FeatureProblem] = [:]
    /// The answer of the running service; nil if it was not queried.
    package var service: Service?
    /// The version of this program.
    package var version = ""
    /// The names and versions of the board, the system and the kernel.
    package var dependencies: [String] = []

    /// The name of the unit that takes the adapter for the service, without `.socket`.
    package var openerName: String { "gatehouse-radio" + unitName.dropFirst("gatehouse".count) }

    /// Creates the facts of a machine of which nothing is known yet.
    package init() {}

    /// A fault of a part, with the text of that part.
    package struct Trouble: Hashable, Sendable {
        /// The reason code of the fault.
        package var code: ReasonCode
        /// The fault, in plain words.
        package var detail: String
        /// The remedy.
        package var remedy: String

        /// Creates a fault.
        package init(_ code: ReasonCode, _ detail: String, _ remedy: String) {
            (self.code, self.detail, self.remedy) = (code, detail, remedy)
        }
    }

    /// A file system.
    package struct Disk: Hashable, Sendable {
        /// The bytes that any user may still use.
        package var free: Int
        /// Whether the file system still has room for new files.
        package var takesFiles: Bool
        /// Whether the file system is mounted read-only.
        package var isReadOnly: Bool
        /// The size of the database in bytes.
        package var used: Int

        /// Creates the facts of a file system with `free` bytes of free space.
        package init(free: Int, takesFiles: Bool = true, isReadOnly: Bool = false, used: Int = 0) {
            (self.free, self.takesFiles, self.isReadOnly, self.used) = (free, takesFiles, isReadOnly, used)
        }
    }

    /// Bluetooth on this machine.
    package struct Radio: Hashable, Sendable {
        /// The adapters; nil if the kernel has no Bluetooth.
        package var adapters: [Adapters.Adapter]?
        /// The kernel's name of the configured adapter; nil if no adapter has its address.
        package var name: String?
        /// Whether bluetoothd runs.
        package var isDaemonRunning = false
        /// Whether the unit of bluetoothd is enabled, and lacks the drop-in that keeps it from starting.
        package var mayDaemonStart = false
        /// Whether the opener's socket is installed, and not masked.
        package var hasOpener = false

        /// Creates the facts of a machine without Bluetooth.
        package init() {}
    }

    /// The clocks of this machine.
    package struct Clock: Hashable, Sendable {
        /// The system's date.
        package var utc = Timestamp(seconds: 0)
        /// How long the machine has been running.
        package var uptime = Duration.zero
        /// Whether a time server keeps the system's date right.
        package var isSynchronised = false
        /// Battery-backed clocks, in byte order of their names.
        package var hardware: [BatteryClock] = []
        /// The time servers that chrony asks with Network Time Security.
        package var authenticated: [String] = []
        /// The dates that the machine saved for its next start. An old date that was saved looks like a valid one.
        package var saved: [SavedDate] = []
        /// The day on which this version was made: any earlier date is wrong.
        package var made = Timestamp(seconds: 0)

        /// Creates the facts of clocks of which nothing is known yet.
        package init() {}
    }

    /// The trust data.
    package enum Trust: Hashable, Sendable {
        /// The trust data cannot be used; the text is the reason.
        case unusable(String)
        /// The trust data can be used. `version`: its version. `issuers`: the number of issuers. `lack`: the
        /// reason why the trust data admits no visitor at all; nil if it admits some. `bundle`: the reason
        /// why the bundle is not in force; nil if it is in force, or if the gate uses no bundle. `findings`:
        /// the current faults other than expired data.
        case usable(version: String, issuers: Int, lack: String?, bundle: String?, findings: [String])
    }

    /// The facts about the rules.
    package enum Policy: Hashable, Sendable {
        /// This program may not read the rules.
        case unseen
        /// The rules are part of the trust data, which cannot be used.
        case unread
        /// The rules cannot be used; the text is the reason.
        case unusable(String)
        /// The rules can be used. `name`: their name. `origin`: where they come from. `tests`: the number of
        /// test cases. `failed`: the test cases that failed. The last value: groups without an issuer.
        case usable(name: String, origin: String, tests: Int, failed: [String], unknownGroups: [String])
    }

    /// The running service.
    package enum Service: Sendable {
        /// The service does not run, or has no socket.
        case absent
        /// The service may not be queried or does not respond; the text is the reason.
        case silent(String)
        /// The service runs; the payload is its status report.
        case running(StatusReport)
    }
}
