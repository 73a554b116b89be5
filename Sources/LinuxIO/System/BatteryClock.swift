/// A battery-backed clock, as the kernel shows it.
package struct BatteryClock: Hashable, Sendable {
    /// `rtc0`
    package var name: String
    /// Whether the kernel set the system's date from it at the start.
    package var isUsed: Bool
    /// Seconds since 1970 that it shows; nil: it does not tell.
    package var seconds: Int64?
    /// Its battery in microvolts; nil: it does not tell.
    package var battery: Int?

    /// A clock that shows this.
    package init(name: String, isUsed: Bool, seconds: Int64?, battery: Int? = nil) {
        (self.name, self.isUsed, self.seconds, self.battery) = (name, isUsed, seconds, battery)
    }

    /// All of the machine, in byte order of their names. One on a bus that hangs keeps its caller waiting.
    ///
    /// - Parameter root: What stands before /sys; empty: this machine.
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
