/// A battery-backed clock (RTC), as the kernel describes it.
package struct BatteryClock: Hashable, Sendable {
    /// The name of the device, for example `rtc0`.
    package var name: String
    /// Whether the kernel set the system's date from this clock at boot.
    package var isUsed: Bool
    /// The time that the clock shows, in seconds since 1970; nil if the clock cannot be read.
    package var seconds: Int64?
    /// The voltage of the battery in microvolts; nil if it cannot be read.
    package var battery: Int?

    /// Creates the description of a clock.
    package init(name: String, isUsed: Bool, seconds: Int64?, battery: Int? = nil) {
        (self.name, self.isUsed, self.seconds, self.battery) = (name, isUsed, seconds, battery)
    }

    /// Returns all battery-backed clocks of the machine, ordered by their names. Blocks while the bus of a clock
    /// hangs.
    ///
    /// - Parameter root: The prefix of the path /sys; empty: this machine.
    package static func all(root: String = "") -> [BatteryClock] {
        let folder = root + "/sys/class/rtc"
        return Directory.names(in: folder).map { name in
            func line(_ file: String) -> String? { FileBytes.line("\(folder)/\(name)/\(file)") }
            return BatteryClock(
                name: name, isUsed: line("hctosys") == "1", seconds: line("since_epoch").flatMap { Int64($0) },
                battery: line("battery_voltage").flatMap { Int($0) })
        }
    }
}
