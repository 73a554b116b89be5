package import Encoding
package import Features
package import Kiosk
package import LinuxIO
package import Observation
package import Reasons

/// The facts about a machine, which ``MachineProbe`` collects and ``Doctor`` evaluates.
package struct MachineFacts: Sendable {
    /// The name of the service's unit, without `.service`: `gatehouse`, or `gatehouse@NAME` for a further
    /// gate on the machine.
    package var unitName = "gatehouse"
    /// The unit of the service; nil if the unit is not installed.
    package var unit: UnitFile?
    /// The name of the user under whom the service runs.
    package var userName = "gatehouse"
    /// The account of the service's user; nil if the machine has no user of this name.
    package var account: Account?
    /// The names of groups in the unit that do not exist on the machine.
    package var missingGroups: [String] = []
    /// The path of the configuration file; nil if the path is not known.
    package var configurationFile: String?
    /// The files below the trust directory, as paths. Empty if the gate accepts only signed bundles.
    package var trustFiles: [String] = []
    /// What exists at the paths that the configuration names, by path. Paths that this program may not examine are
    /// absent.
    package var places: [String: Place] = [:]
    /// The number of paths that are absent from ``places`` because this program may not examine them.
    package var unseen = 0
    /// The files and disks to which the kernel swaps memory, without compressed memory (zram).
    package var swaps: [String] = []
    /// Whether the kernel counts the memory of each unit. If it does not, the memory limits of a unit have no effect.
    package var countsMemory = true
    /// The file system with the ledger; nil if its figures could not be read.
    package var disk: Disk?
    /// The facts about Bluetooth on the machine.
    package var radio = Radio()
    /// The name and version of libgpiod, or the error if libgpiod cannot be loaded; nil on another machine.
    package var gpioLibrary: Result<String, GPIOError>?
    /// The GPIO chips, and the device nodes that this program may not open; nil on another machine, whose chips cannot
    /// be examined.
    package var chips: (chips: [GPIOChips.Chip], forbidden: [String])?
    /// Whether all relay threads on this machine have real-time priority; nil if this program sees no relay thread.
    /// runs, or if this program cannot see any.
    package var relaysRunFirst: Bool?
    /// Whether the kernel of this board keeps driving a line after a program has released it.
    package var keepsLinesDriven = false
    /// The facts about the machine's clocks.
    package var clock = Clock()
    /// The trust data; nil if this program may not read them.
    package var trust: Trust?
    /// The policy; nil if the gate has no policy.
    package var policy: Policy?
    /// The expiry dates of trust data, policy and other parts.
    package var expiries: [Expiry] = []
    /// The faults of the files that `[agent]` and `[agency]` name.
    package var agents: [Trouble] = []
    /// The problem of each feature that has one.
    package var features: [FeatureCheck: FeatureProblem] = [:]
    /// The answer of the running service; nil if the service was not asked.
    package var service: Service?
    /// The version of this program.
    package var version = ""
    /// The names and versions of the board, the system and the kernel, as texts.
    package var dependencies: [String] = []

    /// The name of the opener's unit, which opens the adapter for the service, without `.socket`.
    package var openerName: String { "gatehouse-radio" + unitName.dropFirst("gatehouse".count) }

    /// Creates the facts about a machine of which nothing is known yet.
    package init() {}

    /// A fault of an agent's file, with texts for a person.
    package struct Trouble: Hashable, Sendable {
        /// The reason code of the fault.
        package var code: ReasonCode
        /// The fault, in plain words.
        package var detail: String
        /// The remedy of the fault.
        package var remedy: String

        /// Creates a fault.
        package init(_ code: ReasonCode, _ detail: String, _ remedy: String) {
            (self.code, self.detail, self.remedy) = (code, detail, remedy)
        }
    }

    /// The file system with the ledger.
    package struct Disk: Hashable, Sendable {
        /// The free space, in bytes, that any user may still use.
        package var free: Int
        /// Whether new files can be created on the file system.
        package var takesFiles: Bool
        /// Whether the file system is mounted read-only.
        package var isReadOnly: Bool
        /// The size of the ledger's database, in bytes.
        package var used: Int

        /// Creates the facts of a file system with `free` bytes of free space.
        package init(free: Int, takesFiles: Bool = true, isReadOnly: Bool = false, used: Int = 0) {
            (self.free, self.takesFiles, self.isReadOnly, self.used) = (free, takesFiles, isReadOnly, used)
        }
    }

    /// The facts about Bluetooth.
    package struct Radio: Hashable, Sendable {
        /// The adapters; nil if the kernel has no Bluetooth.
        package var adapters: [Adapters.Adapter]?
        /// The kernel's name of the configured adapter, such as `hci0`; nil if the configuration names an address that
        /// no adapter has.
        package var name: String?
        /// Whether bluetoothd is running.
        package var isDaemonRunning = false
        /// Whether bluetoothd may start by itself: its unit is enabled, and lacks the drop-in that prevents its start.
        package var mayDaemonStart = false
        /// Whether the opener's socket unit is installed and not masked.
        package var hasOpener = false

        /// Creates the facts of a machine without Bluetooth.
        package init() {}
    }

    /// The facts about clocks.
    package struct Clock: Hashable, Sendable {
        /// The present date of the system.
        package var utc = Timestamp(seconds: 0)
        /// The time since the start of the machine.
        package var uptime = Duration.zero
        /// Whether a time server keeps the system's date correct.
        package var isSynchronised = false
        /// The battery-backed clocks, in byte order of their names.
        package var hardware: [BatteryClock] = []
        /// The names of the servers that chrony uses with Network Time Security.
        package var authenticated: [String] = []
        /// The dates that programs of the machine have saved in order to restore them at the next start. A restored
        /// date is old, but looks like a valid one.
        package var saved: [SavedDate] = []
        /// The day on which this version of the program was made. An earlier date of the machine is wrong.
        package var made = Timestamp(seconds: 0)

        /// Creates facts about clocks of which nothing is known yet.
        package init() {}
    }

    /// The facts about the trust data.
    package enum Trust: Hashable, Sendable {
        /// The trust data cannot be used; the text is the reason.
        case unusable(String)
        /// The trust data can be used. `version`: its version. `issuers`: the number of issuers. `lack`: the
        /// reason why the trust data admits no visitor at all; nil if it admits some. `bundle`: the reason
        /// why the bundle is not in force; nil if it is in force, or if the gate uses no bundle. `findings`:
        /// the current faults other than expired data.
        case usable(version: String, issuers: Int, lack: String?, bundle: String?, findings: [String])
    }

    /// The facts about the gate's policy.
    package enum Policy: Hashable, Sendable {
        /// This program may not read the policy.
        case unseen
        /// The policy is part of the trust data, which cannot be used.
        case unread
        /// The policy cannot be used; the text is the reason.
        case unusable(String)
        /// The policy can be used. `name`: its name. `origin`: a text that says where it is stored. `tests`: the number
        /// of its test cases. `failed`: the names of the test cases that failed. `unknownGroups`: the groups that it
        /// names and that no issuer has.
        case usable(name: String, origin: String, tests: Int, failed: [String], unknownGroups: [String])
    }

    /// The state of the service.
    package enum Service: Sendable {
        /// No process listens at the service's control socket.
        case absent
        /// The service may not be asked or does not answer; the text is the reason.
        case silent(String)
        /// The service is running; the value is its status report.
        case running(StatusReport)
    }
}
