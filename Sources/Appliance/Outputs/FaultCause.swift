package import Credentials
package import LinuxIO

// The causes of faults of the radio and of the lines by their codes. What the log, the status and the doctor say of them begins so.

extension TransportError {
    /// Its row in the table of reasons.
    package var cause: ReasonCode {
        switch self {
        case .noBluetooth: .radioNoBluetooth
        case .notFound: .radioNotFound
        case .busy: .radioBusy
        case .blocked: .radioBlocked
        case .switchedOff: .radioSwitchedOff
        case .opener: .radioOpener
        case .notPermitted: .radioNotPermitted
        case .unreachable: .radioUnreachable
        case .gone: .radioGone
        case .framing: .radioFraming
        case .badPacket: .radioBadPacket
        case .stalled: .radioStalled
        case .unsupportedSpeed: .radioSpeed
        case .system: .radioSystem
        }
    }
}

extension GPIOError {
    /// Its row in the table of reasons.
    package var cause: ReasonCode {
        switch self {
        case .noLibrary: .gpioNoLibrary
        case .noChip: .gpioNoChip
        case .noLine: .gpioNoLine
        case .busy: .gpioBusy
        case .notPermitted: .gpioNotPermitted
        case .oldKernel: .gpioOldKernel
        case .count: .gpioCount
        case .active: .gpioActive
        case .failed: .gpioCall
        }
    }

    /// What a fault says of it: its code, what is wrong, and what to do.
    var detail: String { "\(cause): \(self). \(remedy)" }
}
