import Credentials
package import Encoding
package import Kiosk
package import LinuxIO
import Synchronization

/// What an operator has ordered at the gate: in force at once, and kept for the next start as soon as the disk takes it.
///
/// A disk that does not answer delays no order: what is to be kept is written by a thread of its own, the newest order only.
package final class DoorOrders: Sendable {
    /// How long the disk may take for an order before that is told as a fault.
    package static let limit: Duration = .seconds(1)

    private struct State {
        /// What is to be kept; nil: nobody has said anything since what was kept could not be read.
        var wanted: DoorOrderFile.Kept?
        /// Counts what was wanted.
        var wantedNumber = 0
        /// What is in the file; nil: nobody knows.
        var kept: DoorOrderFile.Kept?
        /// The newest of what was wanted that is kept, or was before something newer.
        var keptNumber = 0
        /// Since when it is being written; nil: nothing is.
        var writingSince: Instant?
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

    /// How far a date may lie before that of the order without showing that the clock was moved.
    private static let tolerance: Duration = .seconds(60)

    /// What was ordered before this start. Free passage only by a date that is worth something, that is not before the order, and no
    /// longer than it was meant to last; where two dates may be right by both.
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

    /// Has an order kept, which is in force already. Returns at once, with the number by which ``hasKept(_:)`` knows it; what fails is tried
    /// again by ``turn(at:)``.
    @discardableResult package func set(_ order: DoorOrderFile.Kept) -> Int {
        let number = state.withLock { state in
            state.wanted = order
            state.wantedNumber += 1
            return state.wantedNumber
        }
        write()
        return number
    }

    /// Whether that one is on the disk, or one that came after it.
    package func hasKept(_ number: Int) -> Bool { state.withLock { $0.keptNumber >= number } }

    /// Tries again what is not kept yet, and tells of a disk that hangs.
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
            state.writingSince = SystemClock.now()
            return true
        }
        guard isDue else { return }
        thread.run { [self] in
            let (wanted, number) = state.withLock { ($0.wanted, $0.wantedNumber) }
            guard let wanted else { return }
            var failure: SystemError?
            do throws(SystemError) { try file.keep(wanted) } catch { failure = error }
            state.withLock { state in
                // What failed may have reached the file, or may not.
                (state.kept, state.writingSince) = (failure == nil ? wanted : nil, nil)
                if failure == nil { state.keptNumber = number }
                // Under the lock: nobody who found it late before says so afterwards.
                report(failure.map { .present(.doorOrder, detail: "\($0)") } ?? .over(.doorOrder))
            }
            if failure == nil { write() }
        }
    }
}
