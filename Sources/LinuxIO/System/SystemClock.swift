import CLinuxShims
package import Clocks
package import Encoding
import Glibc

/// The machine's clocks, for the threads of this module.
package enum SystemClock {
    /// Returns the monotonic time of ``Clock/system``.
    package static func now() -> Instant { Clock.system.now() }

    /// Converts a time of `CLOCK_MONOTONIC` in nanoseconds to the scale of ``now()``. The kernel stamps
    /// events with `CLOCK_MONOTONIC`, which stops during suspend.
    static func instant(ofMonotonic stamp: UInt64) -> Instant {
        let now = now()
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        let age = max(0, Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec) - Int64(clamping: stamp))
        return now.advanced(by: .nanoseconds(-age))
    }

    /// Returns the date of ``Clock/system``, right or wrong.
    package static func utc() -> Timestamp { Clock.system.utc() }
}

extension Clock {
    /// Reads both clocks together, and whether the kernel's clock is synchronised. The clocks are read within 100 ms
    /// of each other unless the machine is stuck, so that a step of the wall clock can be detected.
    package func look() -> (utc: Timestamp, monotonic: Instant, isSynchronised: Bool) {
        let isSynchronised = TimeServer.isHeard
        var (before, date) = (now(), utc())
        for _ in 0..<3 where before.duration(to: now()) > .milliseconds(100) { (before, date) = (now(), utc()) }
        return (date, before, isSynchronised)
    }
}

/// The time server of the machine.
package enum TimeServer {
    /// Whether the kernel's clock is synchronised. Where a sandbox forbids the system call, systemd-timedated
    /// is asked.
    fileprivate static var isHeard: Bool {
        let answer = clinux_clock_synchronised()
        return answer == -EPERM ? TimeDaemon.isSynchronised : answer == 1
    }

    /// Waits until systemd-timedated has answered once whether the clock is synchronised, at most for
    /// `limit`. Does not wait if the kernel can be asked directly. Before the first answer, ``Clock/look()`` cannot
    /// report a synchronised clock.
    package static func awaitAnswer(within limit: Duration) {
        if clinux_clock_synchronised() == -EPERM { TimeDaemon.awaitAnswer(within: limit) }
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
