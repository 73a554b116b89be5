import Encoding
import Kiosk

/// Wakes whoever shows the state of the box when a note tells of a change of it.
struct ObservationSignal: KioskListener {
    /// Yields one element for any number of changes since the last was taken.
    let changes: AsyncStream<Void>
    private let change: AsyncStream<Void>.Continuation

    init() { (changes, change) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1)) }

    /// It is time to look, whether anything has changed or not.
    func wake() { change.yield() }

    func note(_ note: KioskNote, of visit: VisitID?, at now: Instant) {
        switch note {
        case .progress, .mtu, .transferStarted, .received, .verdictWaits, .identified: break
        default: change.yield()
        }
    }
}
