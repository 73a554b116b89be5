package import LinuxIO
package import Reasons

// The reason codes of faults of the radio and of the GPIO lines. In the log, the status report and the findings of
// the doctor, the text about such a fault begins with this code.

extension TransportError {
    /// The reason code of the error.
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
    /// The reason code of the error.
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

    /// The text about the fault: the reason code, the description and the remedy.
    package var detail: String { "\(cause): \(self). \(remedy)" }
}
