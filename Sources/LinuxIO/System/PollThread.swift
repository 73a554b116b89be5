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
    /// The events to wait for on a descriptor. Hang-up and errors are always reported.
    package struct Interest: OptionSet, Hashable, Sendable {
        /// The set as bits; required by `OptionSet`.
        package let rawValue: UInt8
        /// Creates a set of conditions from its bits.
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The thread waits until data or the end of the stream can be read.
        package static let readable = Interest(rawValue: 1)
        /// A write would not block.
        package static let writable = Interest(rawValue: 2)
        /// The peer is gone or the descriptor is in error. This is only reported and cannot be requested.
        package static let hangUp = Interest(rawValue: 4)
    }

    /// A one-shot timer whose handler runs on the thread. Arming it again replaces the time.
    package struct Timer: Sendable {
        fileprivate let loop: PollLoop
        fileprivate let id: UInt64

        /// Makes the handler run once at `deadline` of ``SystemClock/now()``, or at once if that has passed; nil:
        /// never. The `deadline` of a core is accepted unchanged.
        package func set(_ deadline: Instant?) { loop.arm(id, at: deadline) }
    }

    private let loop: PollLoop

    /// Starts the thread. `name` has at most 15 bytes and is shown by ps. Throws when the system has no
    /// descriptor or thread left.
    package init(name: String = "gatehouse-radio") throws(SystemError) {
        loop = try PollLoop(name: name)
        try loop.start()
    }

    deinit { loop.finish() }

    /// Queues a job of an actor; called by Swift's runtime.
    package func enqueue(_ job: UnownedJob) {
        // The queue keeps the executor alive while one of its jobs waits or runs.
        loop.enqueue(job, for: self)
    }

    /// Traps when not called on this thread; called by Swift's runtime.
    package func checkIsolated() { precondition(loop.isCurrent, "not on the poll thread") }

    /// Whether the caller runs on this thread; called by Swift's runtime.
    package func isIsolatingCurrentContext() -> Bool? { loop.isCurrent }

    /// Calls `handler` on the thread whenever the descriptor is ready for `interest`; replaces an earlier
    /// handler.
    ///
    /// The caller keeps the descriptor, and must unwatch it before closing it.
    package func watch(_ descriptor: Int32, for interest: Interest, handler: @escaping @Sendable (Interest) -> Void) {
        loop.watch(descriptor, interest, handler)
    }

    /// Changes the events for which the thread waits on a watched descriptor. Does nothing if the descriptor
    /// is not watched.
    package func update(_ descriptor: Int32, for interest: Interest) { loop.update(descriptor, interest) }

    /// Stops watching a descriptor. When called on the thread itself, the handler is not called again.
    package func unwatch(_ descriptor: Int32) { loop.unwatch(descriptor) }

    /// Creates a timer whose `handler` runs on the thread. ``stop()`` removes it.
    package func makeTimer(_ handler: @escaping @Sendable () -> Void) -> Timer {
        Timer(loop: loop, id: loop.addTimer(handler))
    }

    /// Removes all descriptors and timers. Jobs of actors still run, so that no task that awaits the actor
    /// hangs.
    package func stop() { loop.stop() }
}
