package import Encoding

/// The date that a machine without a battery-backed clock saves for its next boot. After the boot, its clock begins
/// with the saved date, because the time for which the machine was off is unknown.
package struct SavedDate: Hashable, Sendable {
    /// The service that saves the date.
    package enum Keeper: String, CaseIterable, Sendable {
        /// Debian's fake-hwclock, which saves the date as a line `2026-11-01 06:17:01` in UTC.
        case fakeHardwareClock = "fake-hwclock"
        /// systemd-timesyncd, which saves the date as the modification time of a file.
        case timesyncd = "systemd-timesyncd"

        fileprivate var path: String {
            switch self {
            case .fakeHardwareClock: "/etc/fake-hwclock.data"
            case .timesyncd: "/var/lib/systemd/timesync/clock"
            }
        }
    }

    /// The service that saved the date.
    package let keeper: Keeper
    /// The saved date.
    package let date: Timestamp

    /// Creates the value for the date `date`, which the service `keeper` saved.
    package init(_ keeper: Keeper, _ date: Timestamp) { (self.keeper, self.date) = (keeper, date) }

    /// Returns the dates that are saved on the machine.
    ///
    /// - Parameter root: The prefix of the paths /etc and /var; empty: this machine.
    package static func all(root: String = "") -> [SavedDate] {
        Keeper.allCases.compactMap { keeper in
            let path = root + keeper.path
            guard FileBytes.isFile(path) else { return nil }
            switch keeper {
            case .fakeHardwareClock:
                guard let line = FileBytes.line(path) else { return nil }
                let parts = line.split(separator: " ")
                guard parts.count == 2 else { return nil }
                return Timestamp(rfc3339: "\(parts[0])T\(parts[1])Z").map { SavedDate(keeper, $0) }
            case .timesyncd:
                guard let status = try? FileStatus(path, links: .followed) else { return nil }
                return SavedDate(keeper, Timestamp(seconds: status.modified))
            }
        }
    }

    /// The maximum time from the start of the kernel until a service sets the clock to the saved date.
    private static let latest: Duration = .seconds(120)

    /// Returns whether the clock, which shows `utc` at `uptime` after the boot, may have been set to this saved date
    /// during the boot.
    package func explains(_ utc: Timestamp, uptime: Duration) -> Bool {
        date <= utc.advanced(by: .seconds(2)) && utc <= date.advanced(by: uptime + Self.latest)
    }
}
