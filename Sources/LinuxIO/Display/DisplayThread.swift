package import Encoding
import Glibc
import Synchronization

/// A thread that keeps one display at the newest scene: a device that is slow skips what has passed, one that fails is tried
/// again, and one that hangs holds up nobody.
package final class DisplayThread: Sendable {
    /// Waits before a device that failed is tried again: doubled from the first to the last.
    package static let retries: ClosedRange<Duration> = .seconds(1)...(.seconds(30))
    /// A device that takes longer over one picture hangs; a whole refresh of e-paper takes some seconds.
    package static let stallLimit: Duration = .seconds(15)

    /// The part that the thread itself holds, so that the thread ends when the last owner goes.
    private final class Slot: Sendable {
        struct State {
            var wanted: DisplayScene?
            /// Counts the scenes that were asked for, and says up to which of them the display is.
            var (asked, shown) = (0, 0)
            var busySince: Instant?
            var isFinished = false
        }

        let state = Mutex(State())
        let wake: EventCounter

        init() throws(SystemError) { wake = try EventCounter() }
    }

    private let slot: Slot

    /// Starts; nothing is shown before the first scene.
    ///
    /// - Parameters:
    ///   - retries: See ``retries``.
    ///   - make: Makes the device, on the thread, which is its only user.
    ///   - told: Hears on the thread how each attempt ended: nil when the scene was shown.
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

    /// Has the scene shown, in place of any that still waits. Never blocks.
    package func show(_ scene: DisplayScene) {
        let isNew = slot.state.withLock { state in
            guard state.wanted != scene else { return false }
            state.wanted = scene
            state.asked += 1
            return true
        }
        if isNew { slot.wake.ring() }
    }

    /// Since when the device has been busy with one picture; nil: it is not.
    package var busySince: Instant? { slot.state.withLock { $0.busySince } }

    /// Waits until the newest scene is shown, at most for `limit`; whether it is.
    package func flush(within limit: Duration) -> Bool {
        let end = SystemClock.now().advanced(by: limit)
        while !slot.state.withLock({ $0.asked == $0.shown }) {
            if SystemClock.now() >= end { return false }
            usleep(1000)
        }
        return true
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
                    // Nobody knows what it shows now.
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
