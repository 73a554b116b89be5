import Encoding
import Glibc
import Synchronization

/// Opens an adapter, and waits for it while it is unplugged. The first attempt without the adapter fails at once;
/// later attempts wait until it is plugged in.
package final class MissingAdapter: Sendable {
    private let isThere: @Sendable () -> Bool
    private let patience: Duration
    private let isMissing = Mutex(false)

    /// The time between two checks for the adapter, in microseconds.
    private static let pause: UInt32 = 50_000

    /// Creates an instance. `isThere` returns whether the adapter is present; it is called often and must be fast.
    /// `patience` is how long an attempt waits; it must be shorter than the gate's timeout for its radio.
    package init(patience: Duration = .seconds(8), isThere: @escaping @Sendable () -> Bool) {
        self.isThere = isThere
        self.patience = patience
    }

    /// Creates an instance for a device of this machine. For a name such as `hci0` it waits for this adapter, for an
    /// address it waits for any adapter, and for the path of a serial line it waits for this file.
    package convenience init(_ device: String) {
        self.init {
            switch AdapterName(device) {
            case .number: Adapters.list().contains { $0.name.utf8.elementsEqual(device.utf8) }
            case .address: !Adapters.list().isEmpty
            case nil: access(device, F_OK) == 0
            }
        }
    }

    /// Opens the adapter with `open`. If the last attempt did not find the adapter, first waits until it is present,
    /// for at most `patience`.
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
