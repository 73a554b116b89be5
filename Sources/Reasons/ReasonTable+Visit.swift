// The reasons of a visit that are not reasons of a verification: for example, failures of the radio, the disk or the
// power supply.

extension ReasonCode.Group {
    /// Each of Tuvali's codes, followed by the codes that refine it.
    static let transfer = Self(
        title: "Transfer (Tuvali)",
        codes: [
            .transferConnection, .transferMTUTooSmall, .transferResponseSize, .transferSizeOutOfRange,
            .transferReportBeforeSize, .transferTooManyMissing, .transferChunksMissing, .transferVerifier,
            .transferSilence, .transferTooLong, .transferWalletFailed, .transferPeripheral, .transferSizeMalformed,
            .transferKeyWeak, .transferIdentifiedAgain, .transferSecondTransfer, .transferPayload,
            .transferNotAuthentic, .transferNotCompressed, .transferInflatedTooLarge, .transferUnknown,
            .transferNoVerdict, .transferDisconnected, .transferNotIdentified, .transferNothingSent,
            .transferLeftSending, .transferLeftChecking, .transferRadioLost, .transferStopped,
        ])

    static let visit = Self(
        title: "Around the visit",
        codes: [.ledgerUnavailable, .gateUnavailable, .gateLockedDown, .interrupted, .abandoned, .internal])
}

extension ReasonCode {
    // Tuvali's codes for a verifier. The rows that follow one of these codes refine it: a visit reports the refining
    // code as its second reason.
    package static let transferConnection = ReasonCode(
        tuvali: "TVV_CON_001", "The link carries too little in one packet.", "Use another phone.")
    package static let transferMTUTooSmall = ReasonCode(
        "transfer.mtu-too-small", refining: .transferConnection,
        "The phone accepts fewer than 67 bytes in one packet, too few for a chunk.",
        "Use another phone: this one accepts only tiny packets.")

    package static let transferResponseSize = ReasonCode(
        tuvali: "TVV_TRA_001", "The announced size of the credential is impossible, or none was announced.",
        "Share another credential; if it recurs, update the wallet app.")
    package static let transferSizeOutOfRange = ReasonCode(
        "transfer.size-out-of-range", refining: .transferResponseSize,
        "The phone announced fewer than 17 bytes or more than 2 MiB.",
        "The credential is larger than 2 MiB or empty: share another one.")
    package static let transferReportBeforeSize = ReasonCode(
        "transfer.report-before-size", refining: .transferResponseSize,
        "The phone requested a transfer report before it announced a transfer.", brokenProtocol)

    package static let transferTooManyMissing = ReasonCode(
        tuvali: "TVV_TRA_002", "Too many chunks were lost.", poorLink)
    package static let transferChunksMissing = ReasonCode(
        "transfer.chunks-missing", refining: .transferTooManyMissing,
        "More chunks were missing at the end of the transfer than the gate's limit allows.", poorLink)

    package static let transferVerifier = ReasonCode(
        tuvali: "TVV_UNK_001", "The transfer began and came to no end.",
        "Share again; if it recurs, restart the wallet app and hold the phone nearer.")
    package static let transferSilence = ReasonCode(
        "transfer.silence", refining: .transferVerifier, "The phone stopped sending in the middle of the transfer.",
        poorLink)
    package static let transferTooLong = ReasonCode(
        "transfer.too-long", refining: .transferVerifier,
        "The phone kept sending, but the transfer did not finish "
            + "within the limit.",
        poorLink)
    package static let transferWalletFailed = ReasonCode(
        "transfer.wallet-failed", refining: .transferVerifier, "The wallet app reported a failure.",
        "Restart the wallet app and share again.")

    package static let transferPeripheral = ReasonCode(
        tuvali: "TVV_UNK_002", "The phone wrote what the protocol does not allow.", brokenProtocol)
    package static let transferSizeMalformed = ReasonCode(
        "transfer.size-malformed", refining: .transferPeripheral,
        "The announcement of the size was shorter than 4 bytes.",
        brokenProtocol)
    package static let transferKeyWeak = ReasonCode(
        "transfer.key-weak", refining: .transferPeripheral,
        "The phone's public key has low order, so the shared secret would be zero.",
        "Treat as an attack; if only one model of phone does this, report it to the wallet's developers.")
    package static let transferIdentifiedAgain = ReasonCode(
        "transfer.identified-again", refining: .transferPeripheral,
        "The phone identified itself a second time with another key.",
        brokenProtocol)
    package static let transferSecondTransfer = ReasonCode(
        "transfer.second-transfer", refining: .transferPeripheral,
        "The phone began a second transfer in the session, which would use key and nonce twice.", brokenProtocol)

    package static let transferPayload = ReasonCode(
        tuvali: "TVV_UNK_003", "What arrived is no payload.", foreignData)
    package static let transferNotAuthentic = ReasonCode(
        "transfer.not-authentic", refining: .transferPayload,
        "The authentication tag does not match: the data were damaged, or not encrypted for this session.", foreignData)
    package static let transferNotCompressed = ReasonCode(
        "transfer.not-compressed", refining: .transferPayload, "The decrypted bytes are not a gzip stream.", foreignData
    )
    package static let transferInflatedTooLarge = ReasonCode(
        "transfer.inflated-too-large", refining: .transferPayload,
        "The payload inflates to more than 8 MiB.", "Treat as an attack, or share a smaller credential.")

    package static let transferUnknown = ReasonCode(
        tuvali: "TUV_UNK_001", "The transfer failed for a reason that has no code of its own.", "Share again.")
    package static let transferNoVerdict = ReasonCode(
        "transfer.no-verdict", refining: .transferUnknown, "The credential arrived, but there was no verdict in time.",
        "The verification took too long: check this machine's load.")

    package static let transferDisconnected = ReasonCode(
        "transfer.disconnected", "The phone disconnected or the radio failed before there was a verdict.",
        "Share again and stay until the light shows green or red; if it recurs, check the surroundings of the antenna.")

    // The codes that refine `transfer.disconnected`.
    package static let transferNotIdentified = ReasonCode(
        "transfer.not-identified", refining: .transferDisconnected,
        "The phone connected and disconnected without identifying itself: not a wallet, or a wallet that scanned no "
            + "code.",
        "Nothing to do; if there are many, find the devices nearby that connect.")
    package static let transferNothingSent = ReasonCode(
        "transfer.nothing-sent", refining: .transferDisconnected,
        "The wallet scanned the code and left before it announced a credential.",
        "Scan again and choose a credential.")
    package static let transferLeftSending = ReasonCode(
        "transfer.left-sending", refining: .transferDisconnected,
        "The link failed while the credential was being sent.", poorLink)
    package static let transferLeftChecking = ReasonCode(
        "transfer.left-checking", refining: .transferDisconnected,
        "The credential arrived, but the phone disconnected before there was a verdict.",
        "Share again and stay until the light shows green or red.")
    package static let transferRadioLost = ReasonCode(
        "transfer.radio-lost", refining: .transferDisconnected, "The kiosk's radio failed in the middle of the visit.",
        "Check the adapter and its supply.")
    package static let transferStopped = ReasonCode(
        "transfer.stopped", refining: .transferDisconnected, "The kiosk was stopped in the middle of the visit.",
        "Share again when the kiosk is running.")

    // Around the visit
    package static let ledgerUnavailable = ReasonCode(
        "ledger.unavailable",
        "The credential is good, but the disk did not store the intent, or the session of a printed key, that must "
            + "be durable first.",
        "Check the disk: free space, errors, wear. The operator may deliberately choose gate.whenLedgerFails = "
            + "\"open\"."
    )
    package static let gateUnavailable = ReasonCode(
        "gate.unavailable", "The credential is good, but the gate cannot open: the relay's line is absent or fails.",
        "Check the detail of fault.gpio, the wiring and gpioinfo. The service takes the line again automatically."
    )
    package static let gateLockedDown = ReasonCode(
        "gate.locked-down", "The credential is good, but the gate is locked down: no visitor is admitted.",
        "Ask the person who ordered it. An operator ends it with: gatehouse door release. A lock-down by the schedule "
            + "ends automatically."
    )
    package static let interrupted = ReasonCode(
        "interrupted",
        "The power or the program failed in the middle of the visit. For an accepted visit the gate had been ordered "
            + "to open, as the record says, and its closing was not observed; for any other visit it is unknown "
            + "whether the gate opened.",
        "Find out who passed at that time, and why the box stopped (see its log).")
    package static let `internal` = ReasonCode(
        "internal", "The verifier met something it did not expect, or came to no end in time, and refused.",
        "Keep the time of the visit and report it to the makers of Gatehouse.", mosip: "ERR_GENERIC")
    package static let abandoned = ReasonCode(
        "abandoned", "The phone disconnected before it announced a credential. The visit is counted, not recorded.",
        "Nothing to do; if there are many, check the surroundings of the antenna.", severity: .info)

    private static let poorLink =
        "The radio link is poor: hold the phone nearer, or look for interference and obstacles at the antenna."
    private static let brokenProtocol = "The phone broke the protocol: restart or update the wallet app."
    private static let foreignData = "The phone sent damaged or foreign data: restart the wallet app and share again."
}
