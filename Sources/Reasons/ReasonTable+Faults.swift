// The faults of the gate itself: its health codes. A fault is in force from its detection to its end. It is
// never the reason of a visit's result.

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
        "fault.radio", "The radio is out of order; it is opened anew by itself.",
        "Look at the adapter: plugged in, not blocked (rfkill list), not used by bluetoothd.")
    package static let radioFull = ReasonCode(
        "fault.radio-full",
        "The adapter takes no further phone: phones that have fallen silent keep its links, up to 32 s each. It is reset "
            + "as soon as that ends no visit.",
        "Nothing at once. If it recurs, a device nearby may do so on purpose: find it. An adapter that takes more links "
            + "bears more.",
        severity: .warning)
    package static let radioBuffers = ReasonCode(
        "fault.radio-buffers",
        "No answer left the adapter for two seconds, so it was reset: phones that acknowledge nothing had its buffers.",
        "Nothing at once. If it recurs, a device nearby may do so on purpose: find it. If none is near, use another "
            + "adapter.")
    package static let stuck = ReasonCode(
        "fault.stuck", "A part that every visit needs does not answer; the watchdog ends the program if it goes on.",
        "Nothing at once: systemd starts the program again. If it recurs, keep the log and report it.")
    package static let crashes = ReasonCode(
        "fault.crashes",
        "The program has ended by itself twice within an hour, each time after the same server had been asked. That server is left out "
            + "until the service is restarted; the gate serves.",
        "Send gatehouse report to the maintainers. Delete what leads to that server (gatehouse agent list, agent delete), then restart "
            + "the service: systemctl restart gatehouse.",
        severity: .warning)
    package static let gpioFailed = ReasonCode(
        "fault.gpio", "The lines of lamps or relay could not be set; it is tried again by itself.",
        "Look at the wiring and at gpioinfo; a gate whose relay cannot be set stays shut.")
    package static let gateStuck = ReasonCode(
        "fault.gate-stuck", "The relay could not be released at the end of its pulse.",
        "Shut the gate by hand and cut the relay's supply, then look at the wiring.")
    package static let wiegandUnsure = ReasonCode(
        "fault.wiegand",
        "A gate controller may not have understood that somebody may pass; over with the next frame that is right.",
        "Let the visitor come again. If it recurs: look at the wires, and at what else keeps the machine busy.",
        severity: .warning)
    package static let logDropped = ReasonCode(
        "fault.log-dropped",
        "Nobody took the lines of the log, the terminal or the display in time: some were left out.",
        "Look at what reads them: journald, the disk of the log file, the terminal.", severity: .warning)
    package static let ledgerUnwritten = ReasonCode(
        "fault.ledger-unwritten",
        "Records wait for a disk that refuses them or does not answer; they are kept and written as soon as it takes them.",
        "Look at the disk: free space, errors, wear.", severity: .warning)
    package static let ledgerLost = ReasonCode(
        "fault.ledger-lost", "Records of visits were lost: neither the disk nor the reserve took them.",
        "Write down the number and the time; look at the disk before the gate goes on.")
    package static let ledgerFilled = ReasonCode(
        "fault.ledger-filled",
        "What the cloud agent has not confirmed takes seven eighths of the ledger's room. Visitors who are let in are "
            + "recorded; those who are refused are only counted.",
        "Look at the agent: what it confirms makes room. Or give the ledger more: ledger.keepMegabytes.",
        severity: .warning)
    package static let ledgerReserve = ReasonCode(
        "fault.ledger-reserve",
        "The reserve for records that the disk refuses cannot be used: a full disk would cost records.",
        "Look at ledger.reserve: in a folder of the service, with room, used by nobody else. Then restart the service.",
        severity: .warning)
    package static let ledgerRewritten = ReasonCode(
        "fault.ledger-rewritten",
        "The ledger does not continue what its witness has seen: it was changed, cut or put back.",
        "Keep the file as evidence; a new ledger, which names this one, has begun.")
    package static let ledgerRestored = ReasonCode(
        "fault.ledger-restored",
        "The database was put back from a backup: a new ledger, which names the one in it, has begun.",
        "See that the box it came from is out of service; /usr/share/doc/gatehouse/docs/maintenance.md says what to compare.",
        severity: .warning)
    package static let ledgerWitness = ReasonCode(
        "fault.ledger-witness",
        "The witness of the ledger cannot be read or written, so that a change would not be noticed.",
        "Look at the witness file and its key: present, readable by the service, on a disk with room.",
        severity: .warning)
    package static let ledgerReplaced = ReasonCode(
        "fault.ledger-replaced",
        "The database was deleted, replaced or opened by a second process under the running service.",
        "Put the file back or restart the service; keep other programs away from its folder.")
    package static let ledgerUnopened = ReasonCode(
        "fault.ledger-unopened",
        "The ledger could not be opened at the start; it is tried again, and nobody is let in until then, whatever "
            + "gate.whenLedgerFails says: without it nobody knows the site's key, the date, or who came in last.",
        "Do what the detail says; the service takes the file up by itself.")
    package static let clockStepped = ReasonCode(
        "fault.clock-stepped", "The clock was set by more than the skew that is allowed, forward or back.",
        "Look at the time source (RTC battery, time server).", severity: .warning)
    package static let clockUnconfirmed = ReasonCode(
        "fault.clock-unconfirmed",
        "The clock was moved against the time that has passed since the start of the machine, or nothing but a time server says how long "
            + "the machine was off. Until its date has held for clock.settle, hours of rules and of the schedule open only what they open "
            + "by all dates that may be right; after a move credentials, too, must be good by both.",
        "Check the date; when the clock is right, say so with: gatehouse clock accept.", severity: .warning)
    package static let clockContradicted = ReasonCode(
        "fault.clock-contradicted", "The clock and the newest record differ by more than a day.",
        "Check the date; when the clock is right, say so with: gatehouse clock accept.")
    package static let clockFault = ReasonCode(
        "fault.clock-untrusted",
        "The date is not worth what the gate's rules ask (clock.minimum, or the policy's [clock]): everybody is refused as "
            + "clock.untrusted.",
        "Let a time server set the clock (timedatectl) or fit a battery-backed one; it counts by itself then. Where neither can "
            + "be had: clock.minimum = \"saved\", and gatehouse clock accept.")
    package static let clockHardware = ReasonCode(
        "fault.clock-rtc",
        "The battery-backed clock does not show the system's date: it has no battery, the date was moved since the start, or it does "
            + "not answer. A wrong date counts as a saved one only.",
        "Put a battery in (a Raspberry Pi 5 has a connector for one), look at its wiring. When the system's date is right, run: "
            + "hwclock --systohc.",
        severity: .warning)
    package static let expiresSoon = ReasonCode(
        "fault.expires-soon",
        "Something that people are let in by ends within 14 days; told again 3 days and 1 day before.",
        "Get the next one from whoever made it, and import it before then.", severity: .warning)
    package static let expired = ReasonCode(
        "fault.expired", "Something that people are let in by has ended.",
        "Get the next one from whoever made it, and import it; take out what is not used any more.", severity: .warning)
    package static let trustBundle = ReasonCode(
        "fault.trust-bundle",
        "The trust bundle cannot be used; the last good one is in force, or the directory where there never was one.",
        "Import the bundle anew: gatehouse trust import.", severity: .warning)
    package static let trustUnusable = ReasonCode(
        "fault.trust-unusable",
        "The trust data cannot be used, or name nobody whose key is known. What was in force stays; after a start nobody is let in.",
        "Make them with gatehouse trust pin, or import a bundle; look at them with gatehouse trust verify. They are taken over as "
            + "soon as they are right.")
    package static let policyFile = ReasonCode(
        "fault.policy-file", "The file of the gate's rules cannot be used; the last good ones are in force.",
        "Look at it with: gatehouse policy check.", severity: .warning)
    package static let agentUnreachable = ReasonCode(
        "fault.agent-unreachable", "The cloud agent cannot be reached. Reports wait.",
        "Look at the network and at the agent; nothing at the gate depends on it.", severity: .warning)
    package static let agentSilent = ReasonCode(
        "fault.agent-silent",
        "The cloud agent takes messages and answers none, as it does for a connection that it has deleted. Reports wait.",
        "Look at the agent. When it has deleted the connection, connect anew with a new invitation.", severity: .warning
    )
    package static let agentEnded = ReasonCode(
        "fault.agent-ended", "The cloud agent has ended the connection. Reports wait.",
        "Ask its operator for a new invitation and connect anew: the reports go on where they stopped.",
        severity: .warning)
    package static let agentUnconnected = ReasonCode(
        "fault.agent-unconnected",
        "There is no connection to a configured cloud agent: its invitation cannot be used, or was not answered.",
        "Do what the detail says; a multi-use invitation survives a lost answer.", severity: .warning)
    package static let agentUnreadable = ReasonCode(
        "fault.agent-unreadable", "A stored connection to a cloud agent cannot be read. Reports wait.",
        "Put back the key that seals it (agent.keyFile), or connect anew with a new invitation.", severity: .warning)
    package static let agentMailbox = ReasonCode(
        "fault.agent-mailbox",
        "The mailbox does not serve: what a cloud agent or its controller sends by itself does not arrive.",
        "Look at the agent or mediator that keeps it (its mediation, its connections); reports go on without it.",
        severity: .warning)
    package static let agentWebhook = ReasonCode(
        "fault.agent-webhook",
        "The agency cannot wake this box: nothing can listen at agency.webhookListen. Messages wait for the next look.",
        "Do what the detail says; the service tries again by itself.", severity: .warning)
    package static let reportsRefused = ReasonCode(
        "fault.reports-refused",
        "The cloud agent refuses reports, or does not confirm them. Up to three in a row are passed over; then all wait.",
        "Look at the agent's log and limits; the ledger has the records: gatehouse ledger export.", severity: .warning)
    package static let ledgerBehind = ReasonCode(
        "fault.ledger-behind",
        "A cloud agent has a head that this box signed and this ledger does not contain: it was put back or changed.",
        "Keep the database that was put aside as evidence; the program starts again in a quiet moment, "
            + "with a new ledger that names this one.")
    package static let agentClaims = ReasonCode(
        "fault.agent-claims",
        "A cloud agent says that it has records which this ledger does not contain, and shows no head for them "
            + "that this box signed. Nothing else changes.",
        "Ask the agent's operator. If an older database was put back here by hand, compare both: "
            + "gatehouse ledger export.",
        severity: .warning)
    package static let reportsDropped = ReasonCode(
        "fault.reports-dropped",
        "Records were given up that a cloud agent had not confirmed: for lack of room, or with a ledger before this "
            + "one that cannot be delivered any more.",
        "Look at the agent, or give the ledger more room: ledger.keepMegabytes.", severity: .warning)
    package static let controlFailed = ReasonCode(
        "fault.control",
        "Nobody can ask the service how it is: the control socket cannot be made. Nothing at the gate depends on it.",
        "Do what the detail says; the service tries again by itself.", severity: .warning)
    package static let observeFailed = ReasonCode(
        "fault.observe",
        "Others do not see how the service is: its status file or its metrics cannot be written, or its page cannot be served. "
            + "Nothing at the gate depends on it.",
        "Do what the detail says; the service tries again by itself. gatehouse status shows the same.",
        severity: .warning)
    package static let displayFailed = ReasonCode(
        "fault.display", "A display does not show what it should: the QR code, and whose verdict it is.",
        "Look at the display that is named: cable, power and bus of a panel, who may open it; folder and disk of a file.",
        severity: .warning)
    package static let stickerOff = ReasonCode(
        "fault.sticker",
        "The printed code is not in force: its last day is over, the clock is not trusted, or its files cannot be used. "
            + "The kiosk goes on with fresh keys, which only a display shows.",
        "Do what the detail says, and take the printed code down until then.")
    package static let voiceFailed = ReasonCode(
        "fault.voice",
        "Verdicts are not said aloud, though voice.language asks for it: who sees neither light nor display is told nothing.",
        "Install the program that voice.program names (apt install espeak-ng), and let the service use the sound card: /usr/share/doc/gatehouse/docs/access.md.",
        severity: .warning)
}
