import CLinuxShims
package import Encoding
import Glibc
import Synchronization

/// A thread that waits in poll(2) and is an actor's executor: handlers of descriptors and timers and the
/// actor's jobs run on it, one after the other.
///
/// An actor that owns a descriptor (the radio) uses this thread as its executor. Reading a packet, handling
/// it and answering it then happen without a change of thread and without a queue that could overflow: unread
/// data waits in the kernel's buffer.
///
///     actor Radio {
///         nonisolated let thread: PollThread
///         nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }
///         private let transport: any HCITransport
///
///         func start() {
///             thread.watch(transport.descriptor, for: .readable) { [weak self] _ in
///                 self?.assumeIsolated { $0.turn() }     // already on the actor's thread: no hop
///             }
///         }
///
///         private func turn() {
///             for event in transport.receive() { … }
///             thread.update(transport.descriptor, for: transport.interest)
///         }
///     }
///
/// The thread lives as long as the last reference to this object. Handlers are retained until their
/// descriptor is unwatched or ``stop()`` is called; they should therefore reference the actor weakly.
package final class PollThread: SerialExecutor {
    /// The events for which poll(2) waits on a descriptor. Hang-up and errors are always reported.
    package struct Interest: OptionSet, Hashable, Sendable {
        /// The set as bits; required by `OptionSet`.
        package let rawValue: UInt8
        /// Creates a set of conditions from its bits.
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Data or the end of the stream can be read.
        package static let readable = Interest(rawValue: 1)
        /// A write does not block.
        package static let writable = Interest(rawValue: 2)
        /// The peer has closed the connection, or the descriptor has an error. This event is only reported; it cannot
        /// be requested.
        package static let hangUp = Interest(rawValue: 4)
    }

    /// A timer whose handler runs once on the thread. Setting the timer again replaces its instant.
    package struct Timer: Sendable {
        fileprivate let loop: PollLoop
        fileprivate let id: UInt64

        /// Makes the handler run once, at the instant `deadline` of ``SystemClock/now()`` or, if that has passed, at
        /// once. With nil, cancels the timer. The `deadline` property of a core can be passed unchanged.
        package func set(_ deadline: Instant?) { loop.arm(id, at: deadline) }
    }

    private let loop: PollLoop

    /// Starts the thread. `name` has at most 15 bytes, and ps shows it. Throws if the system has no descriptor or
    /// thread left.
    package init(name: String = "gatehouse-radio") throws(SystemError) {
        loop = try PollLoop(name: name)
        try loop.start()
    }

    deinit { loop.finish() }

    /// Queues a job of an actor. Swift's runtime calls this.
    package func enqueue(_ job: UnownedJob) {
        // The queue refers to the executor as long as one of its jobs waits or runs.
        loop.enqueue(job, for: self)
    }

    /// Traps if it is not called on this thread. Swift's runtime calls this.
    package func checkIsolated() { precondition(loop.isCurrent, "not on the poll thread") }

    /// Returns whether the caller runs on this thread. Swift's runtime calls this.
    package func isIsolatingCurrentContext() -> Bool? { loop.isCurrent }

    /// Calls `handler` on the thread whenever the descriptor is ready for `interest`. Replaces an earlier handler of
    /// the descriptor.
    ///
    /// The caller still owns the descriptor, and must call ``unwatch(_:)`` before it closes the descriptor.
    package func watch(_ descriptor: Int32, for interest: Interest, handler: @escaping @Sendable (Interest) -> Void) {
        loop.watch(descriptor, interest, handler)
    }

    /// Changes the events for which the thread waits on a watched descriptor. Does nothing if the descriptor
    /// is not watched.
    package func update(_ descriptor: Int32, for interest: Interest) { loop.update(descriptor, interest) }

    /// Stops watching a descriptor. If this is called on the thread itself, the handler is not called any more
    /// afterwards.
    package func unwatch(_ descriptor: Int32) { loop.unwatch(descriptor) }

    /// Creates a timer whose handler runs on the thread. ``stop()`` removes the timer.
    package func makeTimer(_ handler: @escaping @Sendable () -> Void) -> Timer {
        Timer(loop: loop, id: loop.addTimer(handler))
    }

    /// Removes all descriptors and timers. Jobs of actors still run, so that a task that awaits the actor does not
    /// hang.
    package func stop() { loop.stop() }
}
