import Encoding
package import LinuxIO
import Synchronization

/// A thread that shows the newest scene on one display. A slow device skips outdated scenes, a failed device
/// is retried, and a device that hangs delays no other part of the program.
package final class DisplayThread: Sendable {
    /// The pause before a failed device is retried. The pause doubles from the lower bound to the upper bound.
    package static let retries: ClosedRange<Duration> = .seconds(1)...(.seconds(30))
    /// A device that takes longer than this for one picture counts as hanging. A full refresh of e-paper
    /// takes some seconds.
    package static let stallLimit: Duration = .seconds(15)

    /// The state that the thread itself holds. It is a separate object so that the thread ends when the last
    /// reference to the owner is released.
    private final class Slot: Sendable {
        struct State {
            var wanted: DisplayScene?
            /// The number of scenes that were requested, and the number of the scene that is shown.
            var (asked, shown) = (0, 0)
            var busySince: Instant?
            var isFinished = false
        }

        let state = Mutex(State())
        let wake: EventCounter

        init() throws(SystemError) { wake = try EventCounter() }
    }

    private let slot: Slot

    /// Starts the thread. The display shows nothing before the first scene.
    ///
    /// - Parameters:
    ///   - retries: See ``retries``.
    ///   - make: Creates the device on the thread, which is its only user.
    ///   - told: Called on the thread with the result of each attempt; nil: the scene was shown.
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

    /// Requests that a scene be shown. The new scene replaces a scene that still waits. Never blocks.
    package func show(_ scene: DisplayScene) {
        let isNew = slot.state.withLock { state in
            guard state.wanted != scene else { return false }
            state.wanted = scene
            state.asked += 1
            return true
        }
        if isNew { slot.wake.ring() }
    }

    /// The instant since which the device has been busy with one picture; nil if it is idle.
    var busySince: Instant? { slot.state.withLock { $0.busySince } }
    /// Whether the device has been drawing for at least ``stallLimit``.
    package var isStalled: Bool { busySince.map { $0.duration(to: SystemClock.now()) >= Self.stallLimit } ?? false }

    /// Waits until the newest scene is shown, at most for `limit`. Returns whether it is.
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
                    // After a failure the content of the device is unknown.
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
