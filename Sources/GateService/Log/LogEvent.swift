/// One kind of line in the log. ``all`` is the only table of these kinds; a test checks that the sources write no
/// other kind.
package struct LogEvent: Sendable {
    /// The name of the kind, which never changes. The line contains it as the member `event`.
    package let name: String
    /// The levels at which lines of this kind are written.
    package let levels: String
    /// The names of the line's members after time, level and event. Members in brackets are optional.
    package let members: String
    /// The meaning of the line.
    package let meaning: String

    private init(_ name: String, _ levels: String, _ members: String, _ meaning: String) {
        (self.name, self.levels, self.members, self.meaning) = (name, levels, members, meaning)
    }

    /// All kinds of log lines, ordered by the phases of a run: start, radio, visits, hardware, agents, end.
    package static let all = [
        LogEvent(
            "started", "info", "version, kiosk, trust, start, interrupted, restored",
            "The service is running: its version, the trust data in force, the number of the start of this ledger, "
                + "the number of visits of the last start without an outcome, and the number of records restored from "
                + "the reserve."),
        LogEvent(
            "crashed", "error", "count, since, leftOut",
            "The first line after a crash: the number of crashes since boot, the time of the first, and the servers "
                + "that are not contacted because of them."),
        LogEvent(
            "configuration", "warning", "key, text, remedy",
            "A key of the configuration has no effect, or only a partial one."),
        LogEvent(
            "keys", "info, warning", "sealed, resealed, by; or text, remedy",
            "Keys in the database were sealed; or a recommendation for the storage of the sealing key."),
        LogEvent(
            "radio.bluetoothd-stopped", "warning", "text, remedy",
            "The unit stopped a running bluetoothd before the gate started: only one program can use an adapter."
        ),
        LogEvent("radio.ready", "info", "controller", "The controller is initialised; its description of itself."),
        LogEvent(
            "radio.failed", "warning", "code, reason, retryMs",
            "The radio does not work: the code for gatehouse reasons, and the time until the next attempt."),
        LogEvent(
            "radio.lapsed", "warning", "count", "The adapter had stopped advertising unexpectedly and was restarted."),
        LogEvent(
            "radio.adapter-reset", "warning", "(file, failed)",
            "A reset of the adapter is requested as the last resort; or the request could not be written."),
        LogEvent("radio.phones", "info", "phones", "The number of phones that the adapter can serve at the same time."),
        LogEvent("advertising", "info", "uri", "A new invitation is on the air; the text of its QR code."),
        LogEvent(
            "signal", "info, debug", "pattern, lamps, tone", "The light; each step of a blink pattern at level debug."),
        LogEvent("phone.connected", "info", "", "A phone is connected."),
        LogEvent("phone.mtu", "info", "bytes", "The number of bytes that a packet on the link carries."),
        LogEvent(
            "phone.identified", "info", "intent",
            "Both sides have keys; the holder chooses a credential. The id of the visit's intent in the ledger."
        ),
        LogEvent("transfer.started", "info", "bytes, chunks", "A transfer has begun; its size when encrypted."),
        LogEvent(
            "transfer.progress", "debug", "received, total, percent, bytesPerSecond", "The number of received chunks."),
        LogEvent(
            "transfer.received", "info", "bytes, crcErrors, repairs",
            "The transfer is complete: bytes of the content, chunks dropped for a wrong CRC, repair rounds."
        ),
        LogEvent(
            "verdict.waits", "info", "behind",
            "The verdict is ready and waits until that number of earlier "
                + "verdicts has been shown."),
        LogEvent(
            "verdict", "info", "decision, reasons, sinceT0us, waitedMs",
            "The verdict; microseconds since the last byte, and the part of them spent waiting for its turn."),
        LogEvent(
            "gate", "info", "open",
            "The relay or a controller was ordered to open, or the pulse has ended. Never on a box that opens "
                + "nothing."),
        LogEvent(
            "visit.ended", "info", "result, reasons, (remedy), ms, (bytes, chunks, crcErrors, repairs)",
            "A visit has ended: accepted, rejected, failed or abandoned."),
        LogEvent(
            "visits.counted", "info", "count, seconds, endings",
            "The number of visits of the preceding seconds without their own lines, because there were more than the "
                + "log has space for: by result and reason."),
        LogEvent(
            "door.mode", "info", "mode, by",
            "The gate is locked down, in free passage or back in normal service; by an order, the schedule or the "
                + "fire panel."),
        LogEvent(
            "door.ordered", "warning", "order", "A user of the box ordered a lock-down, free passage or its end."),
        LogEvent("door.passage", "info", "entitled", "A person passed; whether a visitor had been admitted."),
        LogEvent("door.not-passed", "info", "", "The admitted visitor did not pass within door.wait."),
        LogEvent("door.exit-request", "info", "granted", "The request to exit was pressed; whether it was granted."),
        LogEvent("ledger.failed", "warning", "reason", "The ledger could not accept a record."),
        LogEvent(
            "ledger.head", "info", "at, ledger, revision, key",
            "The newest state of the ledger, signed: at the start, every hour and at the end. A copy elsewhere proves "
                + "later that nothing was truncated."),
        LogEvent(
            "ledger.removed", "warning", "files, remedy",
            "At this start the ledger was renamed and replaced, and these files of earlier ledgers, the oldest ones, "
                + "were removed for it."
        ),
        LogEvent(
            "fault", "error, warning, info", "code, present, count, (detail, remedy)",
            "A fault has begun or ended; at most once in 5 s for each code."),
        LogEvent(
            "expiry", "warning", "code, kind, name, end, days, text, remedy",
            "Something expires within that number of days, or has expired; once for each step."),
        LogEvent("log.dropped", "warning", "lines", "The number of lines that were dropped before this one."),
        LogEvent("trust.changed", "info", "from, to", "New trust data are in force."),
        LogEvent(
            "trust.not-kept", "warning", "reason", "The last good bundle could not be stored for the next start."),
        LogEvent("trust.refreshed", "info", "resource", "A document or list was fetched and is newer."),
        LogEvent(
            "trust.refresh-failed", "warning", "resource, reason",
            "A document or list could not be fetched, or is "
                + "not acceptable."),
        LogEvent("policy", "info", "version, source", "These rules are in force; none: each issuer's types decide."),
        LogEvent("policy.not-kept", "warning", "reason", "The last good rules could not be stored for the next start."),
        LogEvent("policy.group-unknown", "warning", "group, remedy", "A rule names a group that contains no issuer."),
        LogEvent(
            "date.accepted", "warning", "accepted", "An operator confirmed the clock: gatehouse clock accept."),
        LogEvent(
            "date.refused", "warning", "accepted, reason",
            "An acceptance of the clock was discarded because the clock may have been set since."
        ),
        LogEvent(
            "control.group-unknown", "warning", "group, remedy",
            "control.group names a group that does not exist."),
        LogEvent(
            "agent", "info, debug, warning, error", "destination, text",
            "An event between the box and a cloud agent."),
        LogEvent("agent.roots", "warning", "file, remedy", "agent.rootsFile holds no certificates."),
        LogEvent("agent.mailbox", "info, debug, warning", "text", "An event at the mailbox."),
        LogEvent(
            "agent.deleted", "info", "destination, connection, told",
            "A connection was deleted, and whether its agent knows."),
        LogEvent("agent.store", "error", "reason", "The state of a connection could not be written."),
        LogEvent(
            "renewal", "warning", "text, remedy",
            "The program ends when no visitor is at the gate, and begins a "
                + "new ledger."),
        LogEvent("stopped", "info", "", "The kiosk has shut down."),
        LogEvent(
            "ended", "info, error", "(unwritten, lost)",
            "The program ends; the records that no disk accepted, if any."),
        LogEvent(
            "end.forced", "error", "unwritten, lost, remedy",
            "A part did not stop at the end, and the program ends without it."),
    ]
}
