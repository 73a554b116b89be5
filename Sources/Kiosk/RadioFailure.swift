package import BluetoothHost
package import Reasons

/// The reason why the radio is out of order. The description is the text for logs and people.
package enum RadioFailure: Equatable, Sendable {
    /// The transport could not be opened or has closed: the code of the cause, and the driver's text with the remedy.
    case transport(ReasonCode, String)
    /// The system returns no random bytes, so there are no session keys.
    case noRandomBytes
    /// The controller did not come up within ``KioskSettings/radioStartLimit``.
    case notUpInTime
    /// The Bluetooth host stopped with the given failure. `endsSets`: from now on the gate uses no advertising sets.
    case host(HostFailure, endsSets: Bool)
    /// The controller refused a command to advertise although it had no links.
    case advertisingRefused(HCIOpcode, HCIStatus)
    /// The controller stops advertising by itself too often.
    case advertisingLapses

    /// The code of the cause: a row of the table's group "Causes of fault.radio".
    package var cause: ReasonCode {
        switch self {
        case .transport(let cause, _): cause
        case .noRandomBytes: .radioSystem
        case .host(.transportLost, _): .radioGone
        case .notUpInTime, .host, .advertisingRefused, .advertisingLapses: .radioController
        }
    }

    /// Whether a reset of the controller may help: its transport still works.
    var canReset: Bool {
        switch self {
        case .transport, .noRandomBytes, .notUpInTime, .host(.transportLost, _): false
        case .host, .advertisingRefused, .advertisingLapses: true
        }
    }
}

extension RadioFailure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .transport(_, let text): text
        case .noRandomBytes: "the system gives no random bytes"
        case .notUpInTime: "the controller did not come up in time"
        case .host(let failure, let endsSets):
            "\(failure)" + (endsSets ? "; it goes on without advertising sets" : "")
        case .advertisingRefused(let opcode, let status): "the adapter refused to advertise: \(opcode), \(status)"
        case .advertisingLapses: "the adapter stops advertising again and again"
        }
    }
}
