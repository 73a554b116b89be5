package import Encoding
import Glibc

/// The date that a machine without a battery-backed clock wrote down for its next start: its clock then shows that date and the time
/// since the start, and nobody knows how long it was off.
package struct SavedDate: Hashable, Sendable {
    /// Who writes it down.
    package enum Keeper: String, CaseIterable, Sendable {
        /// Debian's fake-hwclock: a line `2026-11-01 06:17:01` in UTC.
        case fakeHardwareClock = "fake-hwclock"
        /// systemd-timesyncd: when a file was changed last.
        case timesyncd = "systemd-timesyncd"

        fileprivate var path: String {
            switch self {
            case .fakeHardwareClock: "/etc/fake-hwclock.data"
            case .timesyncd: "/var/lib/systemd/timesync/clock"
            }
        }
    }

    /// Who wrote it down.
    package let keeper: Keeper
    /// The date.
    package let date: Timestamp

    /// A date that was written down.
    package init(_ keeper: Keeper, _ date: Timestamp) { (self.keeper, self.date) = (keeper, date) }

    /// What is written down on the machine.
    ///
    /// - Parameter root: What stands before /etc and /var; empty: this machine.
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
                var status = stat()
                guard stat(path, &status) == 0 else { return nil }
                return SavedDate(keeper, Timestamp(seconds: Int64(status.st_mtim.tv_sec)))
            }
        }
    }

    /// A service that sets the date starts that much behind the kernel, at most.
    private static let latest: Duration = .seconds(120)

    /// Whether a clock that shows `utc` so long after the start of the machine may show this date, carried on since then.
    package func explains(_ utc: Timestamp, uptime: Duration) -> Bool {
        date <= utc.advanced(by: .seconds(2)) && utc <= date.advanced(by: uptime + Self.latest)
    }
}
