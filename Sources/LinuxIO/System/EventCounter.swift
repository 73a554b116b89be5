import CLinuxShims
import Encoding
import Glibc

/// What wakes a thread of the system that has nothing to do: a counter of the kernel, eventfd(2), of which only is asked whether it
/// is 0.
final class EventCounter: Sendable {
    /// Readable since somebody rang.
    let descriptor: Int32

    /// A counter that nobody has rung. Throws when the process may open no more descriptors.
    init() throws(SystemError) {
        descriptor = clinux_eventfd()
        guard descriptor >= 0 else { throw SystemError("creating an event counter", code: -descriptor) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Wakes who waits, or the next one who will. Never blocks: it fails only when the counter is full, and then somebody rang.
    func ring() {
        var one: UInt64 = 1
        _ = write(descriptor, &one, 8)
    }

    /// Waits until somebody rings, or until then; nil: for as long as nobody does.
    func wait(until instant: Instant? = nil) {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let limit = instant.map { max(0, SystemClock.now().duration(to: $0).nanoseconds) } ?? -1
        if clinux_poll(&entry, 1, limit) > 0 { clear() }
    }

    /// Forgets that somebody rang.
    func clear() {
        var count: UInt64 = 0
        _ = read(descriptor, &count, 8)
    }
}
