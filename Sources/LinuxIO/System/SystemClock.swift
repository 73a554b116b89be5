import CLinuxShims
package import Clocks
package import Encoding
import Glibc

/// The machine's clocks, for the threads of this module.
package enum SystemClock {
    /// Returns the monotonic time of ``Clock/system``.
    package static func now() -> Instant { Clock.system.now() }

    /// Converts a kernel's time stamp in nanoseconds of `CLOCK_MONOTONIC`, which stops during suspend, to the scale
    /// of ``now()``.
    static func instant(ofMonotonic stamp: UInt64) -> Instant {
        let now = now()
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        let age = max(0, Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec) - Int64(clamping: stamp))
        return now.advanced(by: .nanoseconds(-age))
    }

    /// Returns the date of ``Clock/system``. It may be wrong.
    package static func utc() -> Timestamp { Clock.system.utc() }
}

extension Clock {
    /// Reads both clocks and whether the kernel's clock is synchronised. The two readings are less than 100 ms apart
    /// unless the machine hangs, so that a step of the wall clock can be detected.
    package func look() -> (utc: Timestamp, monotonic: Instant, isSynchronised: Bool) {
        let isSynchronised = TimeServer.isHeard
        var (before, date) = (now(), utc())
        for _ in 0..<3 where before.duration(to: now()) > .milliseconds(100) { (before, date) = (now(), utc()) }
        return (date, before, isSynchronised)
    }
}

/// Whether a time server sets the machine's clock.
package enum TimeServer {
    /// Whether the kernel's clock is synchronised. If a sandbox forbids the system call, the answer comes from
    /// systemd-timedated.
    fileprivate static var isHeard: Bool {
        let answer = clinux_clock_synchronised()
        return answer == -EPERM ? TimeDaemon.isSynchronised : answer == 1
    }

    /// Waits until systemd-timedated has answered once whether the clock is synchronised, for at most `limit`. Until
    /// then ``Clock/look()`` reports an unsynchronised clock. Does not wait if the kernel itself can be asked.
    package static func awaitAnswer(within limit: Duration) {
        if clinux_clock_synchronised() == -EPERM { TimeDaemon.awaitAnswer(within: limit) }
    }
}

/// The kernel's random bytes.
package enum SystemRandom {
    /// Returns `count` bytes of getrandom(2), which are suitable for keys. Throws only if the kernel lacks that call.
    package static func bytes(_ count: Int) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: max(0, count))
        let result = clinux_random(&bytes, bytes.count)
        guard result == 0 else { throw SystemError("reading random bytes", code: -result) }
        return bytes
    }
}
