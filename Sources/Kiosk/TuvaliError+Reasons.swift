import Reasons
import Tuvali

extension TuvaliError {
    /// The reason codes in a record of this failure: the code that Tuvali documents, then the specific cause.
    var reasons: [ReasonCode] { [code.reason, cause] }

    private var cause: ReasonCode {
        switch self {
        case .mtuTooSmall: .transferMTUTooSmall
        case .responseSizeOutOfRange: .transferSizeOutOfRange
        case .reportBeforeSize: .transferReportBeforeSize
        case .tooManyMissing: .transferChunksMissing
        case .malformedSize: .transferSizeMalformed
        case .weakWalletKey: .transferKeyWeak
        case .identifiedAgain: .transferIdentifiedAgain
        case .secondTransfer: .transferSecondTransfer
        case .notAuthentic: .transferNotAuthentic
        case .notCompressed: .transferNotCompressed
        case .inflatedTooLarge: .transferInflatedTooLarge
        case .walletFailed: .transferWalletFailed
        case .silence: .transferSilence
        case .transferTooLong: .transferTooLong
        case .noVerdict: .transferNoVerdict
        }
    }
}

extension TuvaliError.Code {
    fileprivate var reason: ReasonCode {
        switch self {
        case .unknown: .transferUnknown
        case .connection: .transferConnection
        case .responseSize: .transferResponseSize
        case .tooManyMissing: .transferTooManyMissing
        case .verifier: .transferVerifier
        case .peripheral: .transferPeripheral
        case .transfer: .transferPayload
        }
    }
}
