package import Encoding

/// Where and when a record was made. Carried by every record, so a single one can be read without its neighbours.
package struct RecordStamp: Hashable, Sendable {
    /// The configured name of the kiosk.
    package var kiosk: Text
    /// The UUID of the boot (`/proc/sys/kernel/random/boot_id`), within which `monotonic` values compare.
    package var boot: Text
    /// The date as the box believed it to be, and why; kept to the millisecond.
    package var time: WallTime
    /// Nanoseconds since that boot.
    package var monotonic: Instant

    /// A stamp of these parts.
    package init(kiosk: Text, boot: Text, time: WallTime, monotonic: Instant) {
        self.kiosk = kiosk
        self.boot = boot
        self.time = time
        self.monotonic = monotonic
    }

    /// The members of a record that tell where and when, in their fixed order.
    var members: [JSONObject.Member] {
        [
            .init("kiosk", .string(kiosk)),
            .init("boot", .string(boot)),
            .init("time", .text(time.utc.recordText)),
            .init("clock", .text(time.provenance.rawValue)),
            .init("monotonic", monotonic.json),
        ]
    }

    init(_ fields: RecordFields) throws(RecordError) {
        kiosk = try fields.text("kiosk")
        boot = try fields.text("boot")
        let clock = try fields.text("clock").string
        guard let provenance = WallTime.Provenance(rawValue: clock) else { throw RecordError(member: "clock") }
        time = WallTime(utc: try fields.timestamp("time"), provenance: provenance)
        monotonic = Instant(nanoseconds: Int64(try fields.int("monotonic")))
    }

    /// The date of another instant of the same boot, reckoned from this one.
    func date(of instant: Instant) -> Timestamp { time.utc.advanced(by: monotonic.duration(to: instant)) }

    func clipped(to limits: LedgerLimits) -> RecordStamp {
        var copy = self
        copy.kiosk = LedgerLimits.clip(kiosk, to: limits.identifierBytes)
        copy.boot = LedgerLimits.clip(boot, to: limits.identifierBytes)
        return copy
    }
}

extension Instant {
    /// Nanoseconds, as a record has them.
    var json: JSON { .number(JSONNumber(validated: String(nanoseconds))) }
}

extension Timestamp {
    /// RFC 3339 with milliseconds, cut to the years 0000 to 9999 that it can write.
    var recordText: String { inRecords.rfc3339 }

    /// RFC 3339 without fraction.
    var recordSecond: String { String(recordText.prefix(19)) + "Z" }

    /// The first second of this day in UTC.
    var recordDay: Timestamp {
        let seconds = inRecords.seconds
        let rest = seconds % 86_400
        return Timestamp(seconds: seconds - (rest < 0 ? rest + 86_400 : rest))
    }

    /// A credential may name any date.
    private var inRecords: Timestamp {
        let first = Timestamp(seconds: -62_167_219_200)
        let last = Timestamp(seconds: 253_402_300_799, nanoseconds: 999_000_000)
        return min(max(self, first), last)
    }
}
