import Clocks
import Encoding
import Kiosk
import Ledger
import LinuxIO
import Observation
import Store
import Synchronization

/// Keeps the ``DailyStatistics`` of the present day up to date. Reads the ledger's entries of the day in small
/// portions, then follows new entries. If the disk hangs, only this reader waits.
final class DailyStatisticsReader: Sendable {
    /// The number of entries that are read at once.
    private static let portion = 200
    /// The time between two checks for new entries.
    static let pause: Duration = .seconds(2)

    private let store: Store?
    private let times: Periodic
    private let date: @Sendable () -> Timestamp
    private let day: Mutex<DailyStatistics>

    /// Creates a reader of the ledger in `store`; nil: no ledger exists yet. `pause` is the time between two checks
    /// by `clock`. `date` returns the date.
    init(
        _ store: Store?, clock: Clock, every pause: Duration = DailyStatisticsReader.pause,
        date: @escaping @Sendable () -> Timestamp
    ) {
        (self.store, self.date) = (store, date)
        times = Periodic(every: pause, by: clock)
        day = Mutex(DailyStatistics(begin: LocalDay.begin(of: date()), after: 0))
    }

    /// The statistics of the day so far.
    var present: DailyStatistics { day.withLock { $0 } }

    /// Adds a status report to the statistics of the day.
    func look(_ report: StatusReport) {
        let now = date()
        day.withLock { $0.look(report, at: now) }
    }

    /// Reads new entries of the ledger at intervals until the task is cancelled.
    func run() async {
        var isNew = true
        await times.run { _ in
            repeat {
                let begin = LocalDay.begin(of: date())
                if present.begin != begin { isNew = true }
                if isNew, let position = await position(before: begin) {
                    day.withLock { day in
                        if day.begin != begin { day = DailyStatistics(begin: begin, after: position) }
                        day.start(after: position)
                    }
                    isNew = false
                }
                if isNew { return }
            } while await takeMore() && !Task.isCancelled
        }
    }

    /// Reads the next portion of entries. Returns whether further entries may exist.
    private func takeMore() async -> Bool {
        guard let store else { return false }
        let position = present.position
        guard await store.head.point.count > position,
            let entries = try? await store.entries(after: position, limit: Self.portion)
        else { return false }
        day.withLock { $0.take(entries) }
        return entries.count == Self.portion
    }

    /// Returns the position of an entry before the first entry of the day, found by binary search; 0 if there is
    /// none. The dates of the ledger increase, except where a clock was set back; entries of such a time may count
    /// for the wrong day. Returns nil if the disk cannot be read.
    private func position(before begin: Timestamp) async -> Int? {
        guard let store else { return 0 }
        var (low, high) = (0, await store.head.point.count)
        while high - low > 1 {
            let middle = low + (high - low) / 2
            guard let entries = try? await store.entries(after: middle - 1, limit: 1) else { return nil }
            guard let entry = entries.first else {
                high = middle
                continue
            }
            let date = (try? LedgerRecord(bytes: entry.body))?.stamp.time.utc
            if let date, date >= begin { high = middle } else { low = middle }
        }
        return low
    }
}
