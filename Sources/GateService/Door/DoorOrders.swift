package import Clocks
package import Encoding
package import Kiosk
package import LinuxIO
import Reasons
import Synchronization

/// The operator's newest order for the door, and its storage for the next start. An order takes effect before it is
/// stored.
///
/// A separate thread writes orders, so a disk that hangs delays none. The thread writes only the newest order.
package final class DoorOrders: Sendable {
    /// How long a write of an order may take before it is reported as a fault.
    package static let limit: Duration = .seconds(1)

    private struct State {
        /// The order that the file should contain; nil if the file could not be read and no order was given since.
        var wanted: DoorOrderFile.Kept?
        /// The number of the newest order.
        var wantedNumber = 0
        /// The order that the file contains; nil if its content is unknown.
        var kept: DoorOrderFile.Kept?
        /// The number of the newest order that has been stored.
        var keptNumber = 0
        /// The instant since which an order is being written; nil while no order is being written.
        var writingSince: Instant?
    }

    private let file: DoorOrderFile
    private let perform: @Sendable (_ work: @escaping @Sendable () -> Void) -> Void
    private let clock: Clock
    private let wallTime: @Sendable () -> WallTime
    private let report: HealthReporter
    private let state = Mutex(State())

    /// Creates an object that stores orders in `file`, on a separate thread. Throws if the thread cannot be created.
    package convenience init(
        _ file: DoorOrderFile, clock: Clock, wallTime: @escaping @Sendable () -> WallTime,
        report: @escaping HealthReporter
    ) throws(SystemError) {
        let thread = try BackgroundThread(name: "gatehouse-order", limit: 2)
        self.init(file, clock: clock, wallTime: wallTime, report: report) { thread.run($0) }
    }

    /// Creates an object that stores orders in `file`. `perform` runs each write; a simulation runs it at once.
    init(
        _ file: DoorOrderFile, clock: Clock, wallTime: @escaping @Sendable () -> WallTime,
        report: @escaping HealthReporter,
        perform: @escaping @Sendable (_ work: @escaping @Sendable () -> Void) -> Void
    ) {
        (self.file, self.clock, self.wallTime, self.report, self.perform) = (file, clock, wallTime, report, perform)
    }

    /// How far the present date may lie before the date of a stored order. A date that lies further before it proves
    /// that the clock is wrong.
    private static let tolerance: Duration = .seconds(60)

    /// Returns the order that was stored before this start of the program. A file that cannot be read counts as a
    /// lock-down. Free passage is restored only if the date has at least the provenance `minimum` and lies between
    /// the date of the order and its end. If the date is uncertain, both its earliest and its latest value must lie
    /// there. Restored free passage never lasts longer than the order specified.
    package func restored(at now: Instant, minimum: WallTime.Provenance) -> DoorOrder {
        let kept = file.read()
        state.withLock { $0 = State(wanted: kept, kept: kept) }
        let time = wallTime()
        switch kept {
        case nil:
            report(.present(.doorOrder, detail: "\(file.path) cannot be read"))
            return .lock
        case .lock?: return .lock
        case .free(let from, let until)?:
            guard time.provenance >= minimum, time.latest < until,
                from <= time.earliest.advanced(by: Self.tolerance)
            else {
                set(.none)
                return .none
            }
            let left = until.seconds.subtractingReportingOverflow(time.latest.seconds)
            let span = until.seconds.subtractingReportingOverflow(from.seconds)
            guard !left.overflow, !span.overflow else { return .none }
            let rest = Duration.seconds(min(left.partialValue, span.partialValue))
            return .free(until: now.advanced(by: min(rest, DoorSettings.longestFree)))
        case DoorOrderFile.Kept.none?: return .none
        }
    }

    /// Stores an order that is already in force. Returns at once, with the number of the order for ``hasKept(_:)``.
    /// If the write fails, ``turn(at:)`` repeats it.
    @discardableResult package func set(_ order: DoorOrderFile.Kept) -> Int {
        let number = state.withLock { state in
            state.wanted = order
            state.wantedNumber += 1
            return state.wantedNumber
        }
        write()
        return number
    }

    /// Returns whether the order with the number `number`, or a later order, has been stored.
    package func hasKept(_ number: Int) -> Bool { state.withLock { $0.keptNumber >= number } }

    /// Repeats a failed write of the newest order, and reports a fault if a write takes longer than ``limit``.
    package func turn(at now: Instant) {
        state.withLock { state in
            guard let since = state.writingSince, now >= since.advanced(by: Self.limit) else { return }
            report(.present(.doorOrder, detail: "writing \(file.path) takes longer than \(Self.limit)"))
        }
        write()
    }

    private func write() {
        let isDue = state.withLock { state in
            guard state.writingSince == nil, let wanted = state.wanted else { return false }
            guard wanted != state.kept else {
                state.keptNumber = state.wantedNumber
                return false
            }
            state.writingSince = clock.now()
            return true
        }
        guard isDue else { return }
        perform { [self] in
            let (wanted, number) = state.withLock { ($0.wanted, $0.wantedNumber) }
            guard let wanted else { return }
            var failure: SystemError?
            do throws(SystemError) { try file.keep(wanted) } catch { failure = error }
            state.withLock { state in
                // After a failed write the file may contain the old or the new order.
                (state.kept, state.writingSince) = (failure == nil ? wanted : nil, nil)
                if failure == nil { state.keptNumber = number }
                // Report the result inside the lock. Otherwise ``turn(at:)`` could report this write as too slow
                // after it has ended.
                report(failure.map { .present(.doorOrder, detail: "\($0)") } ?? .over(.doorOrder))
            }
            if failure == nil { write() }
        }
    }
}
