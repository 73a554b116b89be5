// The faults of the gate (health codes). A fault lasts from its detection to its end, and is never the reason of a
// visit's result.

extension ReasonCode.Group {
    /// The faults of the gate itself.
    package static let faults = Self(
        title: "Health of the box",
        codes: [
            .radioFailed, .radioFull, .radioBuffers, .stuck, .crashes, .gpioFailed, .gateStuck, .wiegandUnsure,
            .logDropped, .ledgerUnwritten, .ledgerLost, .ledgerFilled, .ledgerReserve, .ledgerRewritten,
            .ledgerRestored, .ledgerWitness, .ledgerReplaced, .ledgerUnopened, .ledgerBehind, .clockStepped,
            .clockUnconfirmed, .clockContradicted, .clockFault, .clockHardware, .expiresSoon, .expired, .trustBundle,
            .trustUnusable, .policyFile, .agentUnreachable, .agentSilent, .agentEnded, .agentUnconnected,
            .agentUnreadable, .agentMailbox, .agentWebhook, .agentClaims, .reportsRefused, .reportsDropped,
            .controlFailed, .observeFailed, .displayFailed, .stickerOff, .voiceFailed,
        ])
}

extension ReasonCode {
    package static let radioFailed = ReasonCode(
        "fault.radio", "The radio does not work. The service reopens it automatically.",
        "Check the adapter: plugged in, not blocked (rfkill list), not used by bluetoothd.")
    package static let radioFull = ReasonCode(
        "fault.radio-full",
        "The adapter accepts no further phone: phones that have stopped answering keep its links for up to 32 s each. "
            + "The adapter is reset as soon as the reset interrupts no visit.",
        "No immediate action is needed. If it recurs, a nearby device may be doing this on purpose: find it. An "
            + "adapter with "
            + "more links tolerates more of this.",
        severity: .warning)
    package static let radioBuffers = ReasonCode(
        "fault.radio-buffers",
        "The adapter sent no answer for two seconds and was reset: phones that acknowledge nothing occupied its "
            + "buffers.",
        "No immediate action is needed. If it recurs, a nearby device may be doing this on purpose: find it. If "
            + "there is none, "
            + "use another adapter.")
    package static let stuck = ReasonCode(
        "fault.stuck",
        "A part that every visit needs does not respond. The watchdog ends the program if this "
            + "continues.",
        "No immediate action is needed: systemd restarts the program. If it recurs, keep the log and report it.")
    package static let crashes = ReasonCode(
        "fault.crashes",
        "The program has crashed twice within an hour, each time after a request to the same server. The service does "
            + "not contact that server until it is restarted. The gate works.",
        "Send the output of gatehouse report to the maintainers. Delete the connection to that server (gatehouse "
            + "agent list, gatehouse agent delete), then restart the service: systemctl restart gatehouse.",
        severity: .warning)
    package static let gpioFailed = ReasonCode(
        "fault.gpio", "The lines of the lamps or the relay could not be set. The service retries automatically.",
        "Check the wiring and gpioinfo. A gate whose relay cannot be set stays shut.")
    package static let gateStuck = ReasonCode(
        "fault.gate-stuck", "The relay could not be released at the end of its pulse.",
        "Shut the gate by hand and disconnect the relay's supply, then check the wiring.")
    package static let wiegandUnsure = ReasonCode(
        "fault.wiegand",
        "A gate controller may not have received the permission for a visitor. The fault ends with the next complete "
            + "frame.",
        "Ask the visitor to present again. If it recurs, check the wires and what else keeps the machine busy.",
        severity: .warning)
    package static let logDropped = ReasonCode(
        "fault.log-dropped",
        "The log, the terminal or the display did not accept output in time: some lines were dropped.",
        "Check what reads them: journald, the disk of the log file, the terminal.", severity: .warning)
    package static let ledgerUnwritten = ReasonCode(
        "fault.ledger-unwritten",
        "The disk refuses records or does not respond. Records are kept and written as soon as the disk accepts them.",
        "Check the disk: free space, errors, wear.", severity: .warning)
    package static let ledgerLost = ReasonCode(
        "fault.ledger-lost", "Records of visits were lost: neither the disk nor the reserve accepted them.",
        "Write down the number and the time. Check the disk before the gate continues.")
    package static let ledgerFilled = ReasonCode(
        "fault.ledger-filled",
        "Records that the cloud agent has not confirmed use seven eighths of the ledger's space. Visitors who are "
            + "admitted are recorded; visitors who are rejected are only counted.",
        "Check the agent: space becomes free when it confirms records. Or give the ledger more space: "
            + "ledger.keepMegabytes.",
        severity: .warning)
    package static let ledgerReserve = ReasonCode(
        "fault.ledger-reserve",
        "The reserve file cannot be used: a full disk would lose records.",
        "Check ledger.reserve: the file must be in a folder of the service with free space, and no other program may "
            + "use it. Then restart the service.",
        severity: .warning)
    package static let ledgerRewritten = ReasonCode(
        "fault.ledger-rewritten",
        "The ledger does not continue the state that its witness recorded: it was changed, truncated or replaced.",
        "Keep the file as evidence. A new ledger, which refers to this one, has begun.")
    package static let ledgerRestored = ReasonCode(
        "fault.ledger-restored",
        "The database was restored from a backup. A new ledger, which refers to the one in the backup, has begun.",
        "Make sure that the box of the backup is out of service. /usr/share/doc/gatehouse/docs/maintenance.md says "
            + "what to compare.",
        severity: .warning)
    package static let ledgerWitness = ReasonCode(
        "fault.ledger-witness",
        "The witness of the ledger cannot be read or written, so a change of the ledger would not be detected.",
        "Check the witness file and its key: present, readable by the service, on a disk with free space.",
        severity: .warning)
    package static let ledgerReplaced = ReasonCode(
        "fault.ledger-replaced",
        "While the service was running, the database was deleted, replaced or opened by another process.",
        "Restore the file or restart the service. Keep other programs away from its folder.")
    package static let ledgerUnopened = ReasonCode(
        "fault.ledger-unopened",
        "The ledger could not be opened at the start. The service retries. Until it succeeds no visitor is admitted, "
            + "whatever gate.whenLedgerFails says: without the ledger the site key, the date and the last visitors "
            + "are unknown.",
        "Follow the detail. The service opens the file automatically.")
    package static let clockStepped = ReasonCode(
        "fault.clock-stepped", "The clock was set forward or back by more than the permitted skew.",
        "Check the time source (RTC battery, time server).", severity: .warning)
    package static let clockUnconfirmed = ReasonCode(
        "fault.clock-unconfirmed",
        "The clock was moved relative to the time since boot, or only a time server indicates how long the machine "
            + "was off. Until the new date has held for clock.settle, hours of rules and of the schedule open only "
            + "what every possible date opens. After a move of the clock a credential must also be valid at every "
            + "possible date.",
        "Check the date. If the clock is right, run: gatehouse clock accept.", severity: .warning)
    package static let clockContradicted = ReasonCode(
        "fault.clock-contradicted", "The clock and the newest record differ by more than a day.",
        "Check the date. If the clock is right, run: gatehouse clock accept.")
    package static let clockFault = ReasonCode(
        "fault.clock-untrusted",
        "The date is less trustworthy than the gate's rules require (clock.minimum, or the policy's [clock]): every "
            + "visitor is rejected with "
            + "clock.untrusted.",
        "Let a time server set the clock (timedatectl) or fit a battery-backed clock; the fault then ends "
            + "automatically. If neither is possible: clock.minimum = \"saved\", and gatehouse clock accept.")
    package static let clockHardware = ReasonCode(
        "fault.clock-rtc",
        "The battery-backed clock does not show the system's date: it has no battery, the date was changed since the "
            + "start, or the clock does not respond. A wrong date counts only as a saved one.",
        "Insert a battery (a Raspberry Pi 5 has a connector for one) and check the clock's wiring. If the system's "
            + "date is right, run: hwclock --systohc.",
        severity: .warning)
    package static let expiresSoon = ReasonCode(
        "fault.expires-soon",
        "Something that visitors need for admission expires within 14 days. The fault is reported again 3 days and 1 "
            + "day before.",
        "Get its successor from its publisher and import it before then.", severity: .warning)
    package static let expired = ReasonCode(
        "fault.expired", "Something that visitors need for admission has expired.",
        "Get its successor from its publisher and import it. Remove what is no longer used.", severity: .warning)
    package static let trustBundle = ReasonCode(
        "fault.trust-bundle",
        "The trust bundle cannot be used. The last good bundle is in force, or the directory if there has never been "
            + "a bundle.",
        "Import the bundle again: gatehouse trust import.", severity: .warning)
    package static let trustUnusable = ReasonCode(
        "fault.trust-unusable",
        "The trust data cannot be used, or contain no issuer with a known key. The previous trust data stay in force; "
            + "after a start no visitor is admitted.",
        "Create them with gatehouse trust pin, or import a bundle, and check them with gatehouse trust verify. The "
            + "service loads them as soon as they are correct.")
    package static let policyFile = ReasonCode(
        "fault.policy-file", "The file with the gate's rules cannot be used. The last good rules are in force.",
        "Check it with: gatehouse policy check.", severity: .warning)
    package static let agentUnreachable = ReasonCode(
        "fault.agent-unreachable", "The cloud agent cannot be reached. Reports are queued.",
        "Check the network and the agent. The gate works without them.", severity: .warning)
    package static let agentSilent = ReasonCode(
        "fault.agent-silent",
        "The cloud agent accepts messages and does not answer, as it does for a connection that it has deleted. "
            + "Reports are queued.",
        "Check the agent. If it has deleted the connection, connect again with a new invitation.", severity: .warning
    )
    package static let agentEnded = ReasonCode(
        "fault.agent-ended", "The cloud agent has ended the connection. Reports are queued.",
        "Ask its operator for a new invitation and connect again. Reports continue at the position where they stopped.",
        severity: .warning)
    package static let agentUnconnected = ReasonCode(
        "fault.agent-unconnected",
        "There is no connection to a configured cloud agent: its invitation cannot be used, or the agent did not "
            + "answer it.",
        "Follow the detail. A multi-use invitation survives a lost answer.", severity: .warning)
    package static let agentUnreadable = ReasonCode(
        "fault.agent-unreadable",
        "The stored connections to cloud agents, or one of them, cannot be read or stored. Reports are queued.",
        "Follow the detail: restore the key that seals them (agent.keyFile) or their file, or connect again with a new "
            + "invitation.", severity: .warning)
    package static let agentMailbox = ReasonCode(
        "fault.agent-mailbox",
        "The mailbox does not work: messages that a cloud agent or its controller sends on its own initiative do not "
            + "arrive.",
        "Check the agent or mediator that hosts it (its mediation, its connections). Reports continue without it.",
        severity: .warning)
    package static let agentWebhook = ReasonCode(
        "fault.agent-webhook",
        "The agency cannot notify this box: the service cannot listen at agency.webhookListen. Messages wait for the "
            + "next poll.",
        "Follow the detail. The service retries automatically.", severity: .warning)
    package static let reportsRefused = ReasonCode(
        "fault.reports-refused",
        "The cloud agent refuses reports, or does not confirm them. Up to three in a row are skipped; then all are "
            + "queued.",
        "Check the agent's log and limits. The ledger has the records: gatehouse ledger export.", severity: .warning)
    package static let ledgerBehind = ReasonCode(
        "fault.ledger-behind",
        "A cloud agent has a head that this box signed and this ledger does not contain: the ledger was replaced or "
            + "changed.",
        "Keep the old database, which the service has renamed, as evidence. The program restarts when no visitor is "
            + "at the gate, with a new ledger that refers to the old one.")
    package static let agentClaims = ReasonCode(
        "fault.agent-claims",
        "A cloud agent claims to have records which this ledger does not contain, and shows no head for them that "
            + "this box signed. Nothing else changes.",
        "Ask the agent's operator. If an older database was restored here by hand, compare both: gatehouse ledger "
            + "export.",
        severity: .warning)
    package static let reportsDropped = ReasonCode(
        "fault.reports-dropped",
        "Records were deleted that a cloud agent had not confirmed: for lack of space, or with an earlier ledger that "
            + "can no longer be delivered.",
        "Check the agent, or give the ledger more space: ledger.keepMegabytes.", severity: .warning)
    package static let controlFailed = ReasonCode(
        "fault.control",
        "The control socket cannot be created, so gatehouse status does not work. The gate works.",
        "Follow the detail. The service retries automatically.", severity: .warning)
    package static let observeFailed = ReasonCode(
        "fault.observe",
        "The status file or the metrics cannot be written, or the status page cannot be served. The gate works.",
        "Follow the detail. The service retries automatically. gatehouse status shows the same.",
        severity: .warning)
    package static let displayFailed = ReasonCode(
        "fault.display", "A display does not show the QR code and the verdicts.",
        "Check the display that the detail names: cable, power and bus of a panel and its permissions; folder and "
            + "disk of a file.",
        severity: .warning)
    package static let stickerOff = ReasonCode(
        "fault.sticker",
        "The printed code is not in force: its last day has passed, the clock is not trusted, or its files cannot be "
            + "used. The kiosk continues with fresh keys, which only a display shows.",
        "Follow the detail, and remove the printed code until then.")
    package static let voiceFailed = ReasonCode(
        "fault.voice",
        "Verdicts are not spoken although voice.language is set: visitors who see neither light nor display get no "
            + "answer.",
        "Install the program that voice.program names (apt install espeak-ng), and give the service access to the "
            + "sound card: /usr/share/doc/gatehouse/docs/access.md.",
        severity: .warning)
}
