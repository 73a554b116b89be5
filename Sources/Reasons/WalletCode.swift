/// The codes that a wallet with a Tuvali library shows its holder when a transfer failed. They come from the
/// phone; no record of a gate contains them.
package enum WalletCode {
    /// The rows, in the order of their codes.
    package static let all: [ReasonCode] = [
        ReasonCode(
            "TVW_CON_001", "The phone read a code that is no invitation of a verifier: it has no name or no key.",
            "Show the code of this gate; look at its display or its printed code."),
        ReasonCode(
            "TVW_CON_002", "The phone and the gate did not agree on the size of packets within a second and a half.",
            "Try again, closer; where one model of phone always shows it, report the model to the maintainers of the gate."
        ),
        ReasonCode(
            "TVW_CON_003", "The phone found no Tuvali service at the device that it connected to.",
            "Switch Bluetooth off and on at the phone, which may remember another service of this device; then try again."
        ),
        ReasonCode(
            "TVW_REP_001", "The phone sent lost chunks fifteen times, or could not ask which were lost.",
            "The radio link is poor: come closer, and look at the gate's antenna."),
        ReasonCode(
            "TVW_UNK_001", "The phone's library failed, and does not say how.", "Try again; update the wallet."),
        ReasonCode(
            "TVW_UNK_002", "The phone could not use what the gate answered, or lost the link.",
            "Try again; if it stays, look at the visit in gatehouse ledger list."),
        ReasonCode(
            "TVW_UNK_003", "The phone's transfer failed.",
            "Try again; if it stays, look at the visit in gatehouse ledger list."),
    ]

    /// Returns the row of a code; nil for a text that is no code.
    package static func row(_ text: String) -> ReasonCode? {
        all.first { $0.text.utf8.elementsEqual(text.utf8) }
    }
}
