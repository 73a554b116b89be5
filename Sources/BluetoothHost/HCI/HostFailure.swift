import Encoding

/// The reason why the host stopped.
package enum HostFailure: Error, Equatable, Sendable {
    /// The controller did not answer a mandatory command.
    case commandTimedOut(HCIOpcode)
    /// The controller refused a command without which the host cannot work.
    case commandFailed(HCIOpcode, HCIStatus)
    /// The controller has no buffers for connection data.
    case noDataBuffers
    /// The controller reported an internal error with the given code of its maker.
    case hardwareError(UInt8)
    /// The host asked the controller to end a connection, and the controller never reported the end.
    case disconnectionStalled(ConnectionHandle)
    /// The controller accepts every command to advertise but does not advertise.
    case advertisingDead
    /// The controller does not report to which of its advertising sets a phone connects.
    case advertisingSetsUnreported
    /// The controller has returned no data buffer for ``Limits/heldBufferTime`` although an answer waited for a buffer.
    case buffersKept
    /// The transport closed.
    case transportLost

    /// Whether the controller may work better without advertising sets (``HostConfiguration/usesAdvertisingSets``).
    package var isOfAdvertisingSets: Bool {
        switch self {
        case .commandTimedOut(let opcode), .commandFailed(let opcode, _): HCIOpcode.advertisingSets.contains(opcode)
        case .advertisingSetsUnreported: true
        case .noDataBuffers, .hardwareError, .disconnectionStalled, .advertisingDead, .buffersKept, .transportLost:
            false
        }
    }
}

extension HostFailure: CustomStringConvertible {
    /// The failure and its remedy.
    package var description: String {
        switch self {
        case .commandTimedOut(let opcode):
            "Bluetooth adapter does not answer \(opcode): reset it, else unplug it or restart the machine"
        case .commandFailed(let opcode, let status):
            "Bluetooth adapter refused \(opcode) with \(status): update its firmware or use another adapter"
        case .noDataBuffers:
            "Bluetooth adapter reports no data buffers: use an adapter with Bluetooth LE (4.0 or later)"
        case .hardwareError(let code):
            "Bluetooth adapter reports hardware error 0x\(Hex.encode([code])): reset it; if it recurs, check power supply"
        case .disconnectionStalled(let handle):
            "Bluetooth adapter did not end connection \(handle.rawValue): reset it"
        case .advertisingDead:
            "Bluetooth adapter says that it advertises and does not: reset it, else unplug it or restart the machine"
        case .advertisingSetsUnreported:
            "Bluetooth adapter does not tell which of its advertising sets phones connect to: update its firmware"
        case .buffersKept:
            "Bluetooth adapter sends no answer: phones that acknowledge nothing have its buffers, or it is broken"
        case .transportLost:
            "connection to the Bluetooth adapter was lost: check that it is plugged in and not blocked (rfkill)"
        }
    }
}
