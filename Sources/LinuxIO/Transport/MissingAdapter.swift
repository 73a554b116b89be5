import Encoding
import Glibc
import Synchronization

/// Takes an adapter as soon as it is plugged in: its absence is told once and at once, and later tries wait for it.
package final class MissingAdapter: Sendable {
    private let isThere: @Sendable () -> Bool
    private let patience: Duration
    private let isMissing = Mutex(false)

    /// How often one looks.
    private static let pause: UInt32 = 50_000

    /// `isThere`: a cheap look. `patience`: how long a try waits, less than the kiosk waits for its radio.
    package init(patience: Duration = .seconds(8), isThere: @escaping @Sendable () -> Bool) {
        self.isThere = isThere
        self.patience = patience
    }

    /// Waits for an adapter of this machine (`hci0`, or an address: then for any), or for the device file of a serial line.
    package convenience init(_ device: String) {
        self.init {
            switch AdapterName(device) {
            case .number: Adapters.list().contains { $0.name.utf8.elementsEqual(device.utf8) }
            case .address: !Adapters.list().isEmpty
            case nil: access(device, F_OK) == 0
            }
        }
    }

    /// Opens; when it was not there before, not until it is or the patience ends.
    package func open<Channel>(_ open: () throws(TransportError) -> Channel) throws(TransportError) -> Channel {
        let end = SystemClock.now().advanced(by: patience)
        while isMissing.withLock(\.self), !isThere(), SystemClock.now() < end { usleep(Self.pause) }
        do throws(TransportError) {
            let channel = try open()
            isMissing.withLock { $0 = false }
            return channel
        } catch {
            if case .notFound = error { isMissing.withLock { $0 = true } } else { isMissing.withLock { $0 = false } }
            throw error
        }
    }
}
