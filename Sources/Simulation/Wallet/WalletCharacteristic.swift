/// The characteristics of the Tuvali service for a wallet. The raw values are the UUIDs of generation B.
package enum WalletCharacteristic: String, CaseIterable, Sendable {
    case identify = "00000006-5026-444a-9e0e-d6f2450f3a77"
    case requestSize = "00000004-5026-444a-9e0e-d6f2450f3a77"
    case request = "00000005-5026-444a-9e0e-d6f2450f3a77"
    case responseSize = "00000007-5026-444a-9e0e-d6f2450f3a77"
    case submitResponse = "00000008-5026-444a-9e0e-d6f2450f3a77"
    case transferReportRequest = "00000009-5026-444a-9e0e-d6f2450f3a77"
    case transferReportResponse = "0000000a-5026-444a-9e0e-d6f2450f3a77"
    case verificationStatus = "00002037-0000-1000-8000-00805f9b34fb"
    case disconnect = "0000000b-5026-444a-9e0e-d6f2450f3a77"

    /// Returns the UUID of the characteristic in the given generation. In generation A, the UUIDs are numbered from
    /// 0x2030 in the order of the cases.
    package func uuid(in generation: WalletGeneration) -> String {
        guard generation == .a, let place = Self.allCases.firstIndex(of: self) else { return rawValue }
        return "0000203\(place)-0000-1000-8000-00805f9b34fb"
    }

    /// The characteristics that a wallet writes. If a characteristic is missing, the wallet treats the service as not
    /// found.
    package static let written: [WalletCharacteristic] = [
        .identify, .responseSize, .submitResponse, .transferReportRequest,
    ]
}
