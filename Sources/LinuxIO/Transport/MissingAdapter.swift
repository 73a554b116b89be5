import Encoding
import Glibc
import Synchronization

/// Opens an adapter as soon as it is plugged in. The first attempt without it fails at once; later attempts
/// wait for it.
package final class MissingAdapter: Sendable {
    private let isThere: @Sendable () -> Bool
    private let patience: Duration
    private let isMissing = Mutex(false)

    /// The interval between checks, in microseconds.
    private static let pause: UInt32 = 50_000

    /// Creates an instance. `isThere` is a cheap check; `patience` is how long an attempt waits, less than
    /// the gate's timeout for its radio.
    package init(patience: Duration = .seconds(8), isThere: @escaping @Sendable () -> Bool) {
        self.isThere = isThere
        self.patience = patience
    }

    /// Creates an instance that waits for an adapter of this machine (`hci0`, or an address: then any
    /// adapter), or for the device file of a serial line.
    package convenience init(_ device: String) {
        self.init {
            switch AdapterName(device) {
            case .number: Adapters.list().contains { $0.name.utf8.elementsEqual(device.utf8) }
            case .address: !Adapters.list().isEmpty
            case nil: access(device, F_OK) == 0
            }
        }
    }

    /// Opens the adapter. If the adapter was missing at the last attempt, waits first until the adapter is
    /// present or ``patience`` has passed.
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
