import Encoding
package import LinuxIO
import Synchronization

/// A thread that shows the newest scene on one display. If the device is slow, outdated scenes are skipped. If the
/// device fails, the thread retries. If the device hangs, it delays no other part of the program.
package final class DisplayThread: Sendable {
    /// The time before a failed device is retried. It begins at the lower bound and doubles after each failure, up to
    /// the upper bound.
    package static let retries: ClosedRange<Duration> = .seconds(1)...(.seconds(30))
    /// The time after which a device that draws one picture counts as hanging. A full refresh of e-paper takes some
    /// seconds.
    package static let stallLimit: Duration = .seconds(15)

    /// The part that the thread refers to. It is a separate object, so that the last reference to the
    /// ``DisplayThread`` can be released while the thread runs; the thread then ends.
    private final class Slot: Sendable {
        struct State {
            var wanted: DisplayScene?
            /// The number of scenes that were requested (`asked`), and the number of the scene that is shown
            /// (`shown`).
            var (asked, shown) = (0, 0)
            var busySince: Instant?
            var isFinished = false
        }

        let state = Mutex(State())
        let wake: EventCounter

        init() throws(SystemError) { wake = try EventCounter() }
    }

    private let slot: Slot

    /// Starts the thread. The display shows nothing before the first scene. Throws if the thread cannot be created.
    ///
    /// - Parameters:
    ///   - retries: The times before a failed device is retried; see ``retries``.
    ///   - make: Creates the device. Called on the thread, which alone uses the device.
    ///   - told: Called on the thread with the result of each attempt to show a scene; nil: the scene was shown.
    package init(
        retries: ClosedRange<Duration> = DisplayThread.retries, make: @escaping @Sendable () -> any DisplayDevice,
        told: @escaping @Sendable (DisplayFailure?) -> Void
    ) throws(SystemError) {
        slot = try Slot()
        try Threads.start("gatehouse-show") { [slot] in Self.run(slot, make(), retries, told) }
    }

    deinit {
        slot.state.withLock { $0.isFinished = true }
        slot.wake.ring()
    }

    /// Requests that the scene is shown. Replaces a requested scene that has not been shown yet. Never blocks.
    package func show(_ scene: DisplayScene) {
        let isNew = slot.state.withLock { state in
            guard state.wanted != scene else { return false }
            state.wanted = scene
            state.asked += 1
            return true
        }
        if isNew { slot.wake.ring() }
    }

    /// The instant at which the device began to draw the present picture; nil while it draws none.
    var busySince: Instant? { slot.state.withLock { $0.busySince } }
    /// Whether the device has been drawing one picture for at least ``stallLimit``.
    package var isStalled: Bool { busySince.map { $0.duration(to: SystemClock.now()) >= Self.stallLimit } ?? false }

    /// Waits until the newest scene is shown, for at most `limit`. Returns whether it is shown.
    package func flush(within limit: Duration) -> Bool {
        Threads.wait(within: limit) { slot.state.withLock { $0.asked == $0.shown } }
    }

    private static func run(
        _ slot: Slot, _ device: any DisplayDevice, _ retries: ClosedRange<Duration>, _ told: (DisplayFailure?) -> Void
    ) {
        var wait = retries.lowerBound
        var retryAt: Instant?
        var shown: DisplayScene?
        while true {
            let now = SystemClock.now()
            let isDue = retryAt.map { now >= $0 } ?? true
            let (scene, number, isFinished) = slot.state.withLock { state in
                (state.asked == state.shown ? nil : state.wanted.map(device.detail.of), state.asked, state.isFinished)
            }
            if isDue, let scene {
                guard scene != shown else {
                    slot.state.withLock { $0.shown = number }
                    continue
                }
                slot.state.withLock { $0.busySince = now }
                do throws(DisplayFailure) {
                    try device.show(scene)
                    (shown, wait, retryAt) = (scene, retries.lowerBound, nil)
                    slot.state.withLock { ($0.shown, $0.busySince) = (number, nil) }
                    told(nil)
                } catch {
                    device.close()
                    // After a failure, the picture on the device is unknown.
                    (shown, retryAt) = (nil, SystemClock.now().advanced(by: wait))
                    wait = min(wait * 2, retries.upperBound)
                    slot.state.withLock { $0.busySince = nil }
                    told(error)
                }
            } else if isFinished {
                return device.close()
            } else {
                slot.wake.wait(until: scene == nil ? nil : retryAt)
            }
        }
    }
}
