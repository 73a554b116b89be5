import CLinuxShims
package import Encoding
import Glibc

/// The two clocks of the machine: the monotonic clock, which drives the cores, and the wall clock, with its
/// state of synchronisation.
package enum SystemClock {
    /// Returns the time of `CLOCK_BOOTTIME`: monotonic, continues during suspend, unaffected by changes of
    /// the wall clock.
    package static func now() -> Instant { Instant(nanoseconds: nanoseconds(of: CLOCK_BOOTTIME)) }

    /// Converts a time of `CLOCK_MONOTONIC` in nanoseconds to the scale of ``now()``. The kernel stamps
    /// events with `CLOCK_MONOTONIC`, which stops during suspend.
    static func instant(ofMonotonic stamp: UInt64) -> Instant {
        let now = now()
        let age = max(0, nanoseconds(of: CLOCK_MONOTONIC) - Int64(clamping: stamp))
        return now.advanced(by: .nanoseconds(-age))
    }

    /// Returns the time of the wall clock, right or wrong.
    package static func utc() -> Timestamp {
        let total = nanoseconds(of: CLOCK_REALTIME)
        return Timestamp(seconds: total / 1_000_000_000, nanoseconds: Int32(total % 1_000_000_000))
    }

    /// Reads both clocks together. They are read within 100 ms of each other unless the machine is stuck, so
    /// that a step of the wall clock can be detected.
    package static func look() -> (utc: Timestamp, monotonic: Instant, isSynchronised: Bool) {
        let isSynchronised = self.isSynchronised()
        var (before, date) = (now(), utc())
        for _ in 0..<3 where before.duration(to: now()) > .milliseconds(100) { (before, date) = (now(), utc()) }
        return (date, before, isSynchronised)
    }

    /// Whether the kernel's clock is synchronised. Where a sandbox forbids the system call, systemd-timedated
    /// is asked.
    private static func isSynchronised() -> Bool {
        let answer = clinux_clock_synchronised()
        return answer == -EPERM ? TimeDaemon.isSynchronised : answer == 1
    }

    /// Waits until systemd-timedated has answered once whether the clock is synchronised, at most for
    /// `limit`. Does not wait if the kernel can be asked directly. Before the first answer, ``look()`` cannot
    /// report a synchronised clock.
    package static func awaitTimeServer(within limit: Duration) {
        if clinux_clock_synchronised() == -EPERM { TimeDaemon.awaitAnswer(within: limit) }
    }

    private static func nanoseconds(of clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

/// The kernel's random bytes.
package enum SystemRandom {
    /// Returns `count` bytes of getrandom(2), suitable for keys. Throws only on a kernel without it.
    package static func bytes(_ count: Int) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: max(0, count))
        let result = clinux_random(&bytes, bytes.count)
        guard result == 0 else { throw SystemError("reading random bytes", code: -result) }
        return bytes
    }
}
