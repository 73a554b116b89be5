import Encoding
import GateService
import Kiosk

/// Wakes the files and pages that show the state of the gate when the kiosk notes a change.
struct ObservationSignal: KioskListener {
    /// Yields one element for all changes since the last element was taken.
    let changes: AsyncStream<Void>
    private let change: AsyncStream<Void>.Continuation

    /// Creates a signal without a change so far.
    init() { (changes, change) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1)) }

    /// Yields an element, whether the state has changed or not.
    func wake() { change.yield() }

    func note(_ note: KioskNote, of visit: VisitID?, at now: Instant) {
        switch note {
        case .progress, .mtu, .transferStarted, .received, .verdictWaits, .identified: break
        default: change.yield()
        }
    }
}
