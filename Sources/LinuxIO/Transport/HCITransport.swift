/// A way to a Bluetooth controller: whole H4 packets (type byte first, Core Specification Vol 4 Part A) in and out.
///
/// A transport is not shared: the actor that owns it registers ``descriptor`` with its ``PollThread``, calls ``receive()``
/// when it is readable and ``flush()`` when it is writable, and after each turn asks again for ``interest``. No call blocks.
package protocol HCITransport: AnyObject {
    /// What to wait on; -1 once closed.
    var descriptor: Int32 { get }

    /// What to wait for now: reading always, writing while packets wait to go out.
    var interest: PollThread.Interest { get }

    /// What has come in, at most a bounded batch a call: poll again for the rest. `.closed` is always the last event.
    func receive() -> [HCITransportEvent]

    /// Sends one packet or queues it. Returns why the transport had to be closed, or nil.
    func send(_ packet: [UInt8]) -> TransportError?

    /// Sends what waits, as far as it goes. Returns why the transport had to be closed, or nil.
    func flush() -> TransportError?

    /// Gives the controller back; may be called twice. Unwatch the descriptor before.
    func close()
}

/// What came from a controller.
package enum HCITransportEvent: Hashable, Sendable {
    /// One whole packet with its type byte.
    case packet([UInt8])
    /// Nothing more will come: close the transport and open a new one after a pause.
    case closed(TransportError)
}

/// Sizes and times of the transports.
package struct TransportLimits: Hashable, Sendable {
    /// Bytes read in one call of ``HCITransport/receive()`` at most, so that other work gets its turn.
    package var receiveBatch = 256 * 1024
    /// Bytes that may wait to go out: a controller that takes nothing for that long is dead.
    package var sendQueue = 1024 * 1024
    /// Bytes of one packet with its type byte.
    package var maximumPacket = 65_540
    /// Socket buffer for packets the process has not read yet: the kernel's default holds 42 kB, half a second of air,
    /// and drops the rest without a sign.
    package var socketBuffer = 4 * 1024 * 1024

    /// The documented defaults.
    package init() {}
}
