import Credentials
package import Encoding
package import Kiosk
package import LinuxIO
import Synchronization

/// What an operator has ordered at the gate: in force at once, and kept for the next start as soon as the disk takes it.
///
/// A disk that does not answer delays no order: what is to be kept is written by a thread of its own, the newest order only.
package final class DoorOrders: Sendable {
    /// How long an operator waits to hear that the order is kept.
    package static let limit: Duration = .seconds(1)

    private struct State {
        /// What is to be kept; nil: nobody has said anything since what was kept could not be read.
        var wanted: DoorOrderFile.Kept?
        var kept: DoorOrderFile.Kept?
        var isWriting = false
    }

    private let file: DoorOrderFile
    private let thread: SideThread
    private let wallTime: @Sendable () -> WallTime
    private let report: HealthReporter
    private let state = Mutex(State())

    /// The orders that are kept in that file.
    package init(
        _ file: DoorOrderFile, wallTime: @escaping @Sendable () -> WallTime, report: @escaping HealthReporter
    ) throws(SystemError) {
        (self.file, self.wallTime, self.report) = (file, wallTime, report)
        thread = try SideThread(name: "gatehouse-order", limit: 2)
    }

    /// What was ordered before this start. Free passage only by a date that is worth something, and no longer than it was meant to be.
    package func restored(at now: Instant, minimum: WallTime.Provenance) -> DoorOrder {
        let kept = file.read()
        state.withLock { $0 = State(wanted: kept, kept: kept) }
        let time = wallTime()
        switch kept {
        case nil:
            report(.present(.doorOrder, detail: "\(file.path) cannot be read"))
            return .lock
        case .lock?: return .lock
        case .free(let until)?:
            let left = until.seconds.subtractingReportingOverflow(time.utc.seconds)
            guard time.provenance >= minimum, !left.overflow, left.partialValue > 0 else {
                set(.none)
                return .none
            }
            return .free(until: now.advanced(by: min(.seconds(left.partialValue), DoorSettings.longestFree)))
        case DoorOrderFile.Kept.none?: return .none
        }
    }

    /// Has an order kept, which is in force already. Returns whether that was done within ``limit``; it is tried again by ``turn()``.
    package func keep(_ order: DoorOrderFile.Kept) async -> Bool {
        set(order)
        let last = SystemClock.now().advanced(by: Self.limit)
        while SystemClock.now() < last {
            if state.withLock({ $0.kept == order && !$0.isWriting }) { return true }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return false
    }

    /// Tries again what is not kept yet.
    package func turn() { write() }

    private func set(_ order: DoorOrderFile.Kept) {
        state.withLock { $0.wanted = order }
        write()
    }

    private func write() {
        let isDue = state.withLock { state in
            guard !state.isWriting, let wanted = state.wanted, wanted != state.kept else { return false }
            state.isWriting = true
            return true
        }
        guard isDue else { return }
        thread.run { [self] in
            guard let order = state.withLock({ $0.wanted }) else { return }
            do throws(SystemError) {
                try file.keep(order)
                report(.over(.doorOrder))
                state.withLock { ($0.kept, $0.isWriting) = (order, false) }
            } catch {
                report(.present(.doorOrder, detail: "\(error)"))
                state.withLock { $0.isWriting = false }
                return
            }
            write()
        }
    }
}
