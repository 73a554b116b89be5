import Encoding
import Glibc

extension Clock {
    /// The clock that reads the machine's clocks. The monotonic time is that of `CLOCK_BOOTTIME`, which continues while
    /// the machine is suspended and does not depend on the wall clock.
    package static let system = Clock(
        now: { Instant(nanoseconds: nanoseconds(of: CLOCK_BOOTTIME)) },
        utc: {
            let total = nanoseconds(of: CLOCK_REALTIME)
            return Timestamp(seconds: total / 1_000_000_000, nanoseconds: Int32(total % 1_000_000_000))
        },
        sleep: { deadline throws(CancellationError) in
            let now = Instant(nanoseconds: nanoseconds(of: CLOCK_BOOTTIME))
            do { try await Task.sleep(for: max(.zero, now.duration(to: deadline))) } catch { throw CancellationError() }
        })

    private static func nanoseconds(of clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
