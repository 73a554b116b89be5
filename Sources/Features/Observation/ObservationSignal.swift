import Encoding
import GateService
import Kiosk

/// Wakes the ``ObservationService`` when the kiosk notes a change.
struct ObservationSignal: KioskListener {
    /// Yields one element for all changes since the last element was received.
    let changes: AsyncStream<Void>
    private let change: AsyncStream<Void>.Continuation

    /// Creates a signal that has noted no change.
    init() { (changes, change) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1)) }

    /// Yields an element even if nothing has changed.
    func wake() { change.yield() }

    func note(_ note: KioskNote, of visit: VisitID?, at now: Instant) {
        switch note {
        case .progress, .mtu, .transferStarted, .received, .verdictWaits, .identified: break
        default: change.yield()
        }
    }
}
