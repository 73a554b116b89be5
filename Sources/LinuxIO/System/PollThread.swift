import CLinuxShims
package import Encoding
import Glibc
import Synchronization

/// One thread that waits in poll(2) and is an actor's executor: descriptors, timers and the actor's jobs take turns on it.
///
/// An actor that owns a descriptor (the radio) names it as its executor, so that reading a packet, handling it and
/// answering happen without a change of thread and without a queue that could overflow: what is not read yet waits in
/// the kernel's buffer.
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
/// The thread lives as long as the last reference to this object. Handlers are kept until their descriptor is unwatched
/// or ``stop()`` is called: let them hold the actor weakly.
package final class PollThread: SerialExecutor {
    /// What to wait for on a descriptor. Hang-up and errors are always reported.
    package struct Interest: OptionSet, Hashable, Sendable {
        /// The set as bits; only for the option set itself.
        package let rawValue: UInt8
        /// A set of these bits.
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// There is something to read, or the end.
        package static let readable = Interest(rawValue: 1)
        /// A write would not block.
        package static let writable = Interest(rawValue: 2)
        /// The other side is gone or the descriptor is in error; only ever reported, never asked for.
        package static let hangUp = Interest(rawValue: 4)
    }

    /// A one-shot timer on the thread; its handler runs there. Arming it again moves it.
    package struct Timer: Sendable {
        fileprivate let loop: PollLoop
        fileprivate let id: UInt64

        /// Lets the handler run once at `instant` of ``SystemClock/now()``, or at once when that is past.
        package func arm(at instant: Instant) { loop.arm(id, at: instant) }

        /// Forgets the time that was set.
        package func disarm() { loop.arm(id, at: nil) }

        /// ``arm(at:)`` or, for nil, ``disarm()``: takes the `deadline` of a core as it is.
        package func set(_ deadline: Instant?) { loop.arm(id, at: deadline) }
    }

    private let loop: PollLoop

    /// Starts the thread. `name`: at most 15 bytes, shown by ps. Throws when the system has no descriptor or thread left.
    package init(name: String = "gatehouse-radio") throws(SystemError) {
        loop = try PollLoop(name: name)
        try loop.start()
    }

    deinit { loop.finish() }

    /// Takes a job of an actor; for Swift's runtime.
    package func enqueue(_ job: UnownedJob) {
        // The queue keeps the executor alive while one of its jobs waits or runs.
        loop.enqueue(job, for: self)
    }

    /// Traps when not called on this thread; for Swift's runtime.
    package func checkIsolated() { precondition(loop.isCurrent, "not on the poll thread") }

    /// Whether the caller runs on this thread; for Swift's runtime.
    package func isIsolatingCurrentContext() -> Bool? { loop.isCurrent }

    /// Calls `handler` on the thread whenever the descriptor is ready for what is asked; replaces an earlier handler.
    ///
    /// The descriptor stays the caller's: unwatch it before closing it.
    package func watch(_ descriptor: Int32, for interest: Interest, handler: @escaping @Sendable (Interest) -> Void) {
        loop.watch(descriptor, interest, handler)
    }

    /// Changes what a watched descriptor is waited for; nothing happens when it is not watched.
    package func update(_ descriptor: Int32, for interest: Interest) { loop.update(descriptor, interest) }

    /// Forgets a descriptor. When called on the thread itself, its handler does not run any more from here on.
    package func unwatch(_ descriptor: Int32) { loop.unwatch(descriptor) }

    /// A timer whose `handler` runs on the thread. It is forgotten with ``stop()``.
    package func makeTimer(_ handler: @escaping @Sendable () -> Void) -> Timer {
        Timer(loop: loop, id: loop.addTimer(handler))
    }

    /// Forgets all descriptors and timers. Jobs of actors still run, so nothing that awaits the actor hangs.
    package func stop() { loop.stop() }
}
