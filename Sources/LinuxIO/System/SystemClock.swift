import CLinuxShims
package import Encoding
import Glibc

/// The two clocks of the machine: the monotonic one that cores are driven by, and the date with what is known about it.
package enum SystemClock {
    /// Now on `CLOCK_BOOTTIME`: monotonic, counts during suspend, untouched by changes of the date.
    package static func now() -> Instant { Instant(nanoseconds: nanoseconds(of: CLOCK_BOOTTIME)) }

    /// The same instant as one of `CLOCK_MONOTONIC`, in nanoseconds, by which the kernel stamps events: that clock stands still
    /// during suspend.
    static func instant(ofMonotonic stamp: UInt64) -> Instant {
        let now = now()
        let age = max(0, nanoseconds(of: CLOCK_MONOTONIC) - Int64(clamping: stamp))
        return now.advanced(by: .nanoseconds(-age))
    }

    /// The system's date, whatever it is worth.
    package static func utc() -> Timestamp {
        let total = nanoseconds(of: CLOCK_REALTIME)
        return Timestamp(seconds: total / 1_000_000_000, nanoseconds: Int32(total % 1_000_000_000))
    }

    /// One look at both clocks. They are read within 100 ms of each other unless the machine is stuck, so that a step of one
    /// against the other shows.
    package static func look() -> (utc: Timestamp, monotonic: Instant, isSynchronised: Bool) {
        let isSynchronised = self.isSynchronised()
        var (before, date) = (now(), utc())
        for _ in 0..<3 where before.duration(to: now()) > .milliseconds(100) { (before, date) = (now(), utc()) }
        return (date, before, isSynchronised)
    }

    /// Whether the kernel holds its clock for synchronised; asked of systemd-timedated where a sandbox forbids the call.
    private static func isSynchronised() -> Bool {
        let answer = clinux_clock_synchronised()
        return answer == -EPERM ? TimeDaemon.isSynchronised : answer == 1
    }

    /// Waits until systemd-timedated has been asked once whether the clock is synchronised, at most for `limit`; not at all where the
    /// kernel says so itself. Before that ``look()`` cannot know of a time server.
    package static func awaitTimeServer(within limit: Duration) {
        if clinux_clock_synchronised() == -EPERM { TimeDaemon.awaitAnswer(within: limit) }
    }

    private static func nanoseconds(of clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

/// Random bytes of the kernel.
package enum SystemRandom {
    /// `count` bytes from getrandom(2), fit for keys. Throws only on a kernel without it.
    package static func bytes(_ count: Int) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: max(0, count))
        let result = clinux_random(&bytes, bytes.count)
        guard result == 0 else { throw SystemError("reading random bytes", code: -result) }
        return bytes
    }
}
