import CLinuxShims
package import Encoding
import Glibc

/// A wake-up signal for a thread that waits in the kernel. It is an eventfd(2) counter, of which only zero or not
/// zero matters.
package final class EventCounter: Sendable {
    /// The counter's descriptor. It is readable from ``ring()`` until ``clear()``.
    let descriptor: Int32

    /// Creates a counter with the value zero. Throws if the process may open no more descriptors.
    package init() throws(SystemError) {
        descriptor = clinux_eventfd()
        guard descriptor >= 0 else { throw SystemError("creating an event counter", code: -descriptor) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Wakes the waiting thread or, if no thread waits, the next one that waits. Never blocks. The write fails only
    /// if the counter is full, and then the signal has already been given.
    package func ring() {
        var one: UInt64 = 1
        _ = write(descriptor, &one, 8)
    }

    /// Waits until ``ring()`` is called, or until `instant`; nil: without a time limit.
    package func wait(until instant: Instant? = nil) {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let limit = instant.map { max(0, SystemClock.now().duration(to: $0).nanoseconds) } ?? -1
        if clinux_poll(&entry, 1, limit) > 0 { clear() }
    }

    /// Resets the counter to zero.
    func clear() {
        var count: UInt64 = 0
        _ = read(descriptor, &count, 8)
    }
}
