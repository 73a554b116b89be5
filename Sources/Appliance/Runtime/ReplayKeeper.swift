package import Encoding
package import Ledger
package import Store
import Synchronization

/// Who was let in and is not on disk yet. The ``LedgerKeeper`` takes it along with the record of the same visit: both in one
/// transaction. What a power cut takes with it is the visit whose record it takes too, and whose intent says so; a disk that refuses
/// costs the memory of a restart, never that of the running service.
package final class ReplayKeeper: Sendable {
    /// Visits that wait for the disk, at most; the newest are kept.
    package static let waiting = 1024

    private let date: @Sendable () -> Timestamp
    private let visits = Mutex<[RememberedVisit]>([])

    /// Nobody waits yet; `date` is now.
    package init(date: @escaping @Sendable () -> Timestamp) { self.date = date }

    /// Takes over the names of a visit that opened the gate.
    package func remember(_ names: [ReplayName]) { add([RememberedVisit(names: names, at: date())], isOlder: false) }

    /// Hands out all that waits, oldest first.
    func take() -> [RememberedVisit] {
        visits.withLock { visits in
            defer { visits = [] }
            return visits
        }
    }

    /// The disk did not take these.
    func putBack(_ visits: [RememberedVisit]) { add(visits, isOlder: true) }

    private func add(_ more: [RememberedVisit], isOlder: Bool) {
        visits.withLock { visits in visits = (isOlder ? more + visits : visits + more).suffix(Self.waiting) }
    }
}
