package import Encoding
import Glibc

/// Days as the clocks on the wall have them (TZ, or /etc/localtime).
package enum LocalDay {
    /// The midnight with which the day of a date began.
    package static func begin(of date: Timestamp) -> Timestamp {
        var parts = self.parts(of: date)
        (parts.tm_hour, parts.tm_min, parts.tm_sec, parts.tm_isdst) = (0, 0, 0, -1)
        return Timestamp(seconds: Int64(mktime(&parts)))
    }

    /// Seconds east of UTC at a date.
    package static func offset(at date: Timestamp) -> Int { parts(of: date).tm_gmtoff }

    private static func parts(of date: Timestamp) -> tm {
        var (time, parts) = (time_t(date.seconds), tm())
        // localtime_r may leave that to others (localtime(3)).
        tzset()
        localtime_r(&time, &parts)
        return parts
    }
}
