package import Encoding
import Glibc

/// Days in the local time zone (TZ, or /etc/localtime).
package enum LocalDay {
    /// Returns the local midnight at which the day of `date` began.
    package static func begin(of date: Timestamp) -> Timestamp {
        var parts = self.parts(of: date)
        (parts.tm_hour, parts.tm_min, parts.tm_sec, parts.tm_isdst) = (0, 0, 0, -1)
        return Timestamp(seconds: Int64(mktime(&parts)))
    }

    /// Returns the difference of local time from UTC at `date` in seconds, positive to the east.
    package static func offset(at date: Timestamp) -> Int { parts(of: date).tm_gmtoff }

    private static func parts(of date: Timestamp) -> tm {
        var (time, parts) = (time_t(date.seconds), tm())
        // Read the time zone here, because localtime_r is not required to do it (localtime(3)).
        tzset()
        localtime_r(&time, &parts)
        return parts
    }
}
