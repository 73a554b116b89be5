/// The codes that a wallet with a Tuvali library shows after a failed transfer. The phone alone knows these codes, so
/// no record of a gate contains them.
package enum WalletCode {
    /// The rows, ordered by code.
    package static let all: [ReasonCode] = [
        ReasonCode(
            "TVW_CON_001", "The phone scanned a code that is not a verifier's invitation: it has no name or no key.",
            "Scan the code of this gate; check its display or its printed code."),
        ReasonCode(
            "TVW_CON_002", "The phone and the gate did not agree on the size of packets within a second and a half.",
            "Try again, closer. If one model of phone always shows it, report the model to the gate's maintainers."
        ),
        ReasonCode(
            "TVW_CON_003", "The phone found no Tuvali service on the device that it connected to.",
            "Switch Bluetooth off and on at the phone, which may have cached another service of this device; then try "
                + "again."
        ),
        ReasonCode(
            "TVW_REP_001",
            "The phone repeated lost chunks fifteen times, or could not request the list of lost "
                + "chunks.",
            "The radio link is poor: come closer, and check the gate's antenna."),
        ReasonCode(
            "TVW_UNK_001", "The phone's library failed without details.", "Try again; update the wallet."),
        ReasonCode(
            "TVW_UNK_002", "The phone could not use the gate's answer, or lost the link.",
            "Try again. If it recurs, see the visit in gatehouse ledger list."),
        ReasonCode(
            "TVW_UNK_003", "The phone's transfer failed.",
            "Try again. If it recurs, see the visit in gatehouse ledger list."),
    ]

    /// Returns the row of a code; nil for a text that is not a code.
    package static func row(_ text: String) -> ReasonCode? {
        all.first { $0.text.utf8.elementsEqual(text.utf8) }
    }
}
