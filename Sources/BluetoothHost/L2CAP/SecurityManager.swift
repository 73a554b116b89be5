/// The Security Manager of a device that does not pair (Core Specification Vol 3 Part H 3.5.5).
///
/// Tuvali encrypts on its own; a phone that asks for pairing is told at once instead of being left to its 30 s timer.
enum SecurityManager {
    private static let pairingFailed: UInt8 = 0x05
    private static let pairingNotSupported: UInt8 = 0x05

    /// The answer to a PDU; nil for the phone's own Pairing Failed, which is the end of it, and for an empty PDU.
    static func answer(_ payload: ArraySlice<UInt8>) -> L2CAPFrame? {
        guard let code = payload.first, code != pairingFailed else { return nil }
        return L2CAPFrame(channel: L2CAPChannel.securityManager, payload: [pairingFailed, pairingNotSupported])
    }
}
