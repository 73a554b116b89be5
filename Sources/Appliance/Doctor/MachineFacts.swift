package import Credentials
package import Encoding
package import Kiosk
package import LinuxIO

/// What was seen of a machine, before anybody judges it: ``MachineLook`` gathers it, ``Doctor`` tells what it means.
package struct MachineFacts: Sendable {
    /// The name of the service's unit, without `.service`: `gatehouse`, for a further gate on the box `gatehouse@NAME`.
    package var unitName = "gatehouse"
    /// The unit of the service; nil: it is not installed.
    package var unit: UnitFile?
    /// The name of the user as whom the service runs.
    package var userName = "gatehouse"
    /// That user; nil: there is none of that name.
    package var account: Account?
    /// Groups that the unit names beside the user's own, and that there are not.
    package var missingGroups: [String] = []
    /// The configuration file; nil: it is not known which.
    package var configurationFile: String?
    /// The files below the trust directory.
    package var trustFiles: [String] = []
    /// What is at the paths that the configuration names, and at device nodes.
    package var places: [String: Place] = [:]
    /// How many of these paths this program may not look at.
    package var unseen = 0
    /// Files and disks to which the kernel writes memory that is in short supply; not those that are in memory (zram).
    package var swaps: [String] = []
    /// Whether the kernel counts the memory of each unit, without which its limits have no effect.
    package var countsMemory = true
    /// The file system of the records; nil: it could not be asked.
    package var disk: Disk?
    /// Bluetooth.
    package var radio = Radio()
    /// The name and version of libgpiod, or why there is none; nil: it was not looked for.
    package var gpioLibrary: Result<String, GPIOError>?
    /// The GPIO chips, and the nodes that could not be opened; nil: they could not be looked for.
    package var chips: (chips: [GPIOChips.Chip], forbidden: [String])?
    /// Whether the threads of relays that run here have real-time priority; nil: none runs, or none can be seen.
    package var relaysRunFirst: Bool?
    /// Whether this is a board whose kernel keeps driving a line that was given back.
    package var keepsLinesDriven = false
    /// The clocks.
    package var clock = Clock()
    /// The trust data; nil: they were not looked at.
    package var trust: Trust?
    /// The rules; nil: there are none.
    package var policy: Policy?
    /// What ends some day, of trust data, rules and everything else.
    package var expiries: [Expiry] = []
    /// What is wrong with the files of the configuration's `[agent]` and `[agency]`.
    package var agents: [Trouble] = []
    /// What is wrong with the printed code.
    package var sticker: Trouble?
    /// Why the program that says verdicts cannot be run; nil: it can, or none is wanted.
    package var voice: String?
    /// What the service answers; nil: it was not asked.
    package var service: Service?
    /// The version of this program.
    package var version = ""
    /// Names and versions of what it runs on.
    package var surroundings: [String] = []

    /// The name of the unit that takes the adapter for it, without `.socket`.
    package var openerName: String { "gatehouse-radio" + unitName.dropFirst("gatehouse".count) }

    /// Nothing is known yet.
    package init() {}

    /// A thing that is wrong, in words that its part has for it.
    package struct Trouble: Hashable, Sendable {
        /// Its code.
        package var code: ReasonCode
        /// What is wrong.
        package var detail: String
        /// What to do about it.
        package var remedy: String

        /// A thing that is wrong.
        package init(_ code: ReasonCode, _ detail: String, _ remedy: String) {
            (self.code, self.detail, self.remedy) = (code, detail, remedy)
        }
    }

    /// A file system.
    package struct Disk: Hashable, Sendable {
        /// Bytes that are free for everybody.
        package var free: Int
        /// Whether it still takes new files.
        package var takesFiles: Bool
        /// Whether it is mounted read-only.
        package var isReadOnly: Bool
        /// Bytes of the database.
        package var used: Int

        /// A file system with so much room.
        package init(free: Int, takesFiles: Bool = true, isReadOnly: Bool = false, used: Int = 0) {
            (self.free, self.takesFiles, self.isReadOnly, self.used) = (free, takesFiles, isReadOnly, used)
        }
    }

    /// Bluetooth on this machine.
    package struct Radio: Hashable, Sendable {
        /// The adapters; nil: the kernel has no Bluetooth.
        package var adapters: [Adapters.Adapter]?
        /// The kernel's name of the configured adapter; nil: no adapter has its address.
        package var name: String?
        /// Whether bluetoothd runs.
        package var isDaemonRunning = false
        /// Whether its unit is installed, and the drop-in that keeps it from starting is not.
        package var mayDaemonStart = false
        /// Whether the opener's socket is installed, and not masked.
        package var hasOpener = false

        /// A machine without Bluetooth.
        package init() {}
    }

    /// The clocks of this machine.
    package struct Clock: Hashable, Sendable {
        /// The system's date.
        package var utc = Timestamp(seconds: 0)
        /// How long the machine has been running.
        package var uptime = Duration.zero
        /// Whether a time server keeps it right.
        package var isSynchronised = false
        /// Battery-backed clocks, in byte order of their names.
        package var hardware: [BatteryClock] = []
        /// The time servers that chrony asks with Network Time Security.
        package var authenticated: [String] = []
        /// What the machine wrote down for its next start, which makes an old date look like one.
        package var saved: [SavedDate] = []
        /// The day on which this version was made: no date before it is right.
        package var made = Timestamp(seconds: 0)

        /// Clocks that say nothing.
        package init() {}
    }

    /// The trust data.
    package enum Trust: Hashable, Sendable {
        /// They cannot be used, for that reason.
        case unusable(String)
        /// They can: how they are called, how many issuers there are, why nobody at all can be let in by them, why the bundle is not
        /// in force, and what is not in order now besides what has ended.
        case usable(version: String, issuers: Int, lack: String?, bundle: String?, findings: [String])
    }

    /// The rules.
    package enum Policy: Hashable, Sendable {
        /// This program may not look at them.
        case unseen
        /// They come with the trust data, which cannot be used.
        case unread
        /// They cannot be used, for that reason.
        case unusable(String)
        /// They can: their name, where they come from, how many test cases were run and which failed, and groups without
        /// an issuer.
        case usable(name: String, origin: String, tests: Int, failed: [String], unknownGroups: [String])
    }

    /// The running service.
    package enum Service: Sendable {
        /// It does not run, or has no socket.
        case absent
        /// It may not be asked, or does not answer: why.
        case silent(String)
        /// What it tells of itself (``StatusDesk``).
        case running(JSON)
    }
}
