/// A connection to a Bluetooth controller. It transfers whole H4 packets, which begin with the type byte (Core
/// Specification Vol 4 Part A).
///
/// Only one actor uses a transport. It registers ``descriptor`` with its ``PollThread``, calls ``receive()`` when the
/// descriptor is readable and ``flush()`` when it is writable, and reads ``interest`` again after each turn. No call
/// blocks.
package protocol HCITransport: AnyObject {
    /// The descriptor to poll; -1 after ``close()``.
    var descriptor: Int32 { get }

    /// The events for which to poll the descriptor at present: always readable, and writable while packets are
    /// queued.
    var interest: PollThread.Interest { get }

    /// Returns received events, at most a limited number in each call; poll the descriptor again for further events.
    /// `.closed` is always the last event.
    func receive() -> [HCITransportEvent]

    /// Sends one packet or queues it. Returns the error if the transport must be closed, otherwise nil.
    func send(_ packet: [UInt8]) -> TransportError?

    /// Sends queued packets as far as possible. Returns the error if the transport must be closed, otherwise nil.
    func flush() -> TransportError?

    /// Releases the controller. Further calls do nothing. The caller must stop polling the descriptor before this
    /// call.
    func close()
}

/// An event from a controller.
package enum HCITransportEvent: Hashable, Sendable {
    /// One whole packet arrived, with its type byte.
    case packet([UInt8])
    /// The transport failed with the given error. No more events follow. Close the transport, and open a new one
    /// after a pause.
    case closed(TransportError)
}

/// Sizes and limits of the transports.
package struct TransportLimits: Hashable, Sendable {
    /// The maximum number of bytes that a call of ``HCITransport/receive()`` reads, so that other work on the thread
    /// can continue.
    var receiveBatch = 256 * 1024
    /// The maximum number of bytes in the queue for sending. When the queue is full, the controller counts as dead.
    package var sendQueue = 1024 * 1024
    /// The maximum length in bytes of one packet with its type byte.
    package var maximumPacket = 65_540
    /// The size of the socket's receive buffer in bytes. The kernel's default has space for 42 kB, half a second of
    /// radio traffic, and the kernel drops further packets silently.
    var socketBuffer = 4 * 1024 * 1024

    /// Creates the documented defaults.
    package init() {}
}
