import Encoding
import Kiosk
import Ledger
import LinuxIO
import Observation
import Store
import Synchronization

/// Keeps the present ``DayBook``: reads what the ledger has of it, a little at a time, and what comes. A disk that hangs holds up only this.
final class DayKeeper: Sendable {
    /// Entries that are read at a time.
    private static let portion = 200
    /// From one look for new entries to the next.
    static let pause: Duration = .seconds(2)

    private let store: Store?
    private let pause: Duration
    private let date: @Sendable () -> Timestamp
    private let day: Mutex<DayBook>

    /// A keeper over that ledger; nil: there is none yet. `pause`: from one look to the next; `date`: the
    /// date that is believed.
    init(_ store: Store?, every pause: Duration = DayKeeper.pause, date: @escaping @Sendable () -> Timestamp) {
        (self.store, self.pause, self.date) = (store, pause, date)
        day = Mutex(DayBook(begin: LocalDay.begin(of: date()), after: 0))
    }

    /// The day so far.
    var present: DayBook { day.withLock { $0 } }

    /// Takes a look at the status report of this moment.
    func look(_ report: JSON) {
        let now = date()
        day.withLock { $0.look(report, at: now) }
    }

    /// Follows the ledger until the task is cancelled.
    func run() async {
        var isNew = true
        while !Task.isCancelled {
            let begin = LocalDay.begin(of: date())
            if present.begin != begin { isNew = true }
            if isNew, let position = await position(before: begin) {
                day.withLock { day in
                    if day.begin != begin { day = DayBook(begin: begin, after: position) }
                    day.start(after: position)
                }
                isNew = false
            }
            if !isNew, await takeMore() { continue }
            try? await Task.sleep(for: pause)
        }
    }

    /// Takes the next entries; whether there may be more.
    private func takeMore() async -> Bool {
        guard let store else { return false }
        let position = present.position
        guard await store.head.point.count > position,
            let entries = try? await store.entries(after: position, limit: Self.portion)
        else { return false }
        day.withLock { $0.take(entries) }
        return entries.count == Self.portion
    }

    /// The position of an entry before the first one of the day, found by halves: dates grow along the ledger, but for clocks that
    /// were set back, whose entries are then of another day for this page. Nil: the disk does not tell.
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
