/// The Security Manager of a device that does not pair (Core Specification Vol 3 Part H 3.5.5).
///
/// Tuvali has its own encryption. A request for pairing is refused at once, so that the phone does not wait for its 30
/// s timer.
enum SecurityManager {
    private static let pairingFailed: UInt8 = 0x05
    private static let pairingNotSupported: UInt8 = 0x05

    /// Returns the answer to a PDU; nil for an empty PDU, and for the phone's Pairing Failed, which ends the procedure.
    static func answer(_ payload: ArraySlice<UInt8>) -> L2CAPFrame? {
        guard let code = payload.first, code != pairingFailed else { return nil }
        return L2CAPFrame(channel: L2CAPChannel.securityManager, payload: [pairingFailed, pairingNotSupported])
    }
}
