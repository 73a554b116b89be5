/// One kind of line in the log. ``LogEvent`` has the only table of such kinds; a test checks that the sources
/// write no other line.
package struct LogEvent: Sendable {
    /// The stable name: the member `event` of the line.
    package let name: String
    /// The levels at which lines of this kind are written.
    package let levels: String
    /// The members of such a line after time, level and event. The members in brackets are optional.
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
            "The service runs: its version, the trust data in force, which start of this ledger it is, how many visits of the "
                + "last start had no outcome, and how many records came back from the reserve."),
        LogEvent(
            "crashed", "error", "count, since, leftOut",
            "The first line after a crash: how many there were since the start of the machine, since when, and "
                + "which servers are not asked because of it."),
        LogEvent(
            "configuration", "warning", "key, text, remedy",
            "A key of the configuration has no effect, or not the whole."),
        LogEvent(
            "keys", "info, warning", "sealed, resealed, by; or text, remedy",
            "Keys in the database were sealed; or how the key that seals them is kept should be changed."),
        LogEvent(
            "radio.bluetoothd-stopped", "warning", "text, remedy",
            "bluetoothd was running and was stopped by the unit before the gate started: an adapter serves one program."
        ),
        LogEvent("radio.ready", "info", "controller", "The controller is set up; what it calls itself."),
        LogEvent(
            "radio.failed", "warning", "code, reason, retryMs",
            "The radio is out of order: why, as gatehouse reasons has it; when it is tried again."),
        LogEvent(
            "radio.lapsed", "warning", "count", "The adapter had stopped advertising by itself and was told again."),
        LogEvent(
            "radio.adapter-reset", "warning", "(file, failed)",
            "The adapter's reset is asked for, as nothing else has helped; or the request could not be written."),
        LogEvent("radio.phones", "info", "phones", "The adapter lets so many phones connect at once, and no more."),
        LogEvent("advertising", "info", "uri", "A new invitation is on the air; the text of its QR code."),
        LogEvent(
            "signal", "info, debug", "pattern, lamps, tone", "The light; each blink of a pattern at the level debug."),
        LogEvent("phone.connected", "info", "", "A phone is connected."),
        LogEvent("phone.mtu", "info", "bytes", "The link carries so many bytes in a packet."),
        LogEvent(
            "phone.identified", "info", "intent",
            "Both sides have keys; a person chooses a credential. The id of the intent that the visit has in the ledger."
        ),
        LogEvent("transfer.started", "info", "bytes, chunks", "A transfer has begun; its size when encrypted."),
        LogEvent(
            "transfer.progress", "debug", "received, total, percent, bytesPerSecond", "So many of the chunks are here."),
        LogEvent(
            "transfer.received", "info", "bytes, crcErrors, repairs",
            "The last missing byte is here; bytes of what was inside, chunks dropped for a wrong CRC, rounds of repair."
        ),
        LogEvent("verdict.waits", "info", "behind", "The verdict is ready and waits until so many others were shown."),
        LogEvent(
            "verdict", "info", "decision, reasons, sinceT0us, waitedMs",
            "The verdict; microseconds since the last byte, and how much of it was waiting for its turn."),
        LogEvent(
            "gate", "info", "open",
            "The relay or a controller got the order to open, or the pulse is over. Never on a box that opens "
                + "nothing."),
        LogEvent(
            "visit.ended", "info", "result, reasons, (remedy), ms, (bytes, chunks, crcErrors, repairs)",
            "A visit is decided or given up: accepted, rejected, failed or abandoned."),
        LogEvent(
            "visits.counted", "info", "count, seconds, endings",
            "So many visits of the seconds before have no lines of their own, since more came than the log has room "
                + "for: by result and reason."),
        LogEvent(
            "door.mode", "info", "mode, by",
            "The gate is locked down, free or back in ordinary service; by an order, the schedule or the fire panel."),
        LogEvent(
            "door.ordered", "warning", "order", "Somebody on the box ordered a lock-down, free passage or its end."),
        LogEvent("door.passage", "info", "entitled", "Somebody passed; whether somebody was let through."),
        LogEvent("door.not-passed", "info", "", "Who was let in did not pass within door.wait."),
        LogEvent("door.exit-request", "info", "granted", "The button inside was pressed; whether that may open."),
        LogEvent("ledger.failed", "warning", "reason", "The ledger could not take a record."),
        LogEvent(
            "ledger.head", "info", "at, ledger, revision, key",
            "The newest state of the ledger, signed: at the start, every hour and at the end. Kept elsewhere it proves later that "
                + "nothing was cut off."),
        LogEvent(
            "ledger.removed", "warning", "files, remedy",
            "Another ledger was put aside at this start, and these files of earlier ones, the oldest, were removed "
                + "for it."
        ),
        LogEvent(
            "fault", "error, warning, info", "code, present, count, (detail, remedy)",
            "Something is wrong with the box, or is over; at most once in 5 s for each code."),
        LogEvent(
            "expiry", "warning", "code, kind, name, end, days, text, remedy",
            "Something ends within that many days, or has ended; once for each step."),
        LogEvent("log.dropped", "warning", "lines", "So many lines before this one were left out."),
        LogEvent("trust.changed", "info", "from, to", "New trust data are in force."),
        LogEvent(
            "trust.not-kept", "warning", "reason", "The last good trust bundle could not be kept for the next start."),
        LogEvent("trust.refreshed", "info", "resource", "A document or list was fetched and is newer."),
        LogEvent(
            "trust.refresh-failed", "warning", "resource, reason", "It could not be fetched, or is not acceptable."),
        LogEvent("policy", "info", "version, source", "These rules are in force; none: each issuer's types decide."),
        LogEvent("policy.not-kept", "warning", "reason", "The last good rules could not be kept for the next start."),
        LogEvent("policy.group-unknown", "warning", "group, remedy", "A rule names a group that no issuer is in."),
        LogEvent(
            "date.accepted", "warning", "accepted", "Somebody said that the clock is right: gatehouse clock accept."),
        LogEvent(
            "date.refused", "warning", "accepted, reason",
            "An acceptance of the clock was dropped, as it may mean another date than the one that the clock shows now."
        ),
        LogEvent(
            "control.group-unknown", "warning", "group, remedy",
            "control.group names a group that the box does not have."),
        LogEvent(
            "agent", "info, debug, warning, error", "destination, text",
            "What happened between the box and a cloud agent."),
        LogEvent("agent.roots", "warning", "file, remedy", "agent.rootsFile holds no certificates."),
        LogEvent("agent.mailbox", "info, debug, warning", "text", "What happened at the mailbox."),
        LogEvent(
            "agent.deleted", "info", "destination, connection, told",
            "A connection was deleted, and whether its agent knows."),
        LogEvent("agent.store", "error", "reason", "The state of a connection could not be written."),
        LogEvent("renewal", "warning", "text, remedy", "The program ends in a quiet moment and begins a new ledger."),
        LogEvent("stopped", "info", "", "The kiosk has shut down in order."),
        LogEvent(
            "ended", "info, error", "(unwritten, lost)",
            "The program ends; records that no disk took, where there are such."),
        LogEvent(
            "end.forced", "error", "unwritten, lost, remedy",
            "Something hung at the end, and the program ends without it."),
    ]
}
