import CLinuxShims
package import Encoding
import Glibc

/// A wake-up signal for a thread that waits in the kernel: an eventfd(2) counter, of which only zero or not
/// zero matters.
package final class EventCounter: Sendable {
    /// The counter's descriptor; readable after ``ring()``.
    let descriptor: Int32

    /// Creates a counter that has not been rung. Throws when the process may open no more descriptors.
    package init() throws(SystemError) {
        descriptor = clinux_eventfd()
        guard descriptor >= 0 else { throw SystemError("creating an event counter", code: -descriptor) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Wakes the waiting thread, or the next thread that waits. Never blocks: it fails only when the counter
    /// is full, and then it has been rung already.
    package func ring() {
        var one: UInt64 = 1
        _ = write(descriptor, &one, 8)
    }

    /// Waits until ``ring()`` is called, or until `instant`; nil: without a limit.
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
