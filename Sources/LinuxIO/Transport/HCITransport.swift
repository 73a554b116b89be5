/// A connection to a Bluetooth controller. It transfers whole H4 packets, with the type byte first (Core
/// Specification Vol 4 Part A).
///
/// A transport is not shared. The actor that owns it registers ``descriptor`` with its ``PollThread``, calls
/// ``receive()`` when it is readable and ``flush()`` when it is writable, and reads ``interest`` again after
/// each turn. No call blocks.
package protocol HCITransport: AnyObject {
    /// The descriptor to poll; -1 once closed.
    var descriptor: Int32 { get }

    /// The events to poll for now: always readable, and writable while packets are queued.
    var interest: PollThread.Interest { get }

    /// Returns the events that were received, at most a limited number per call: poll again for the rest.
    /// `.closed` is always the last event.
    func receive() -> [HCITransportEvent]

    /// Sends one packet or queues it. Returns the reason if the transport must be closed, otherwise nil.
    func send(_ packet: [UInt8]) -> TransportError?

    /// Sends queued packets as far as possible. Returns the reason if the transport must be closed, otherwise
    /// nil.
    func flush() -> TransportError?

    /// Releases the controller; may be called twice. Unwatch the descriptor before.
    func close()
}

/// An event from a controller.
package enum HCITransportEvent: Hashable, Sendable {
    /// One whole packet arrived, with its type byte.
    case packet([UInt8])
    /// The transport failed, for the given reason. No more events follow: close the transport and open a new
    /// one after a pause.
    case closed(TransportError)
}

/// Sizes and limits of the transports.
package struct TransportLimits: Hashable, Sendable {
    /// The maximum number of bytes read in one call of ``HCITransport/receive()``. The limit lets other work
    /// on the thread continue.
    var receiveBatch = 256 * 1024
    /// The maximum number of bytes queued for sending. A controller that lets the queue grow to this limit is
    /// considered dead.
    package var sendQueue = 1024 * 1024
    /// The maximum length in bytes of one packet with its type byte.
    package var maximumPacket = 65_540
    /// The size in bytes of the socket's receive buffer. The kernel's default holds 42 kB, half a second of
    /// radio traffic, and drops further packets silently.
    var socketBuffer = 4 * 1024 * 1024

    /// Creates the documented defaults.
    package init() {}
}
