package import Encoding

/// The gate, the boot and the time of a record. Every record contains them, so that it can be understood without the
/// other records.
package struct RecordStamp: Hashable, Sendable {
    /// The configured name of the gate.
    package var kiosk: Text
    /// The UUID of the boot (`/proc/sys/kernel/random/boot_id`). Two values of ``monotonic`` can be compared only
    /// within one boot.
    package var boot: Text
    /// The date of the gate's clock, in milliseconds, and the source of that date.
    package var time: WallTime
    /// The time on the monotonic clock: nanoseconds since the boot that ``boot`` names.
    package var monotonic: Instant

    /// Creates a stamp from the values of its properties.
    package init(kiosk: Text, boot: Text, time: WallTime, monotonic: Instant) {
        self.kiosk = kiosk
        self.boot = boot
        self.time = time
        self.monotonic = monotonic
    }

    /// The members of a record that contain the stamp, in their fixed order.
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

    /// Returns the date at `instant`, which must be of the same boot.
    func date(of instant: Instant) -> Timestamp { time.utc.advanced(by: monotonic.duration(to: instant)) }

    func clipped(to limits: LedgerLimits) -> RecordStamp {
        var copy = self
        copy.kiosk = LedgerLimits.clip(kiosk, to: limits.identifierBytes)
        copy.boot = LedgerLimits.clip(boot, to: limits.identifierBytes)
        return copy
    }
}

extension Instant {
    /// The instant in nanoseconds, in the form that records contain.
    var json: JSON { .number(JSONNumber(validated: String(nanoseconds))) }
}

extension Timestamp {
    /// The date in RFC 3339 with milliseconds. Years outside 0000 to 9999, the range of RFC 3339, are replaced by the
    /// nearest one.
    var recordText: String { inRecords.rfc3339 }

    /// The date in RFC 3339 without fractions of a second.
    var recordSecond: String { String(recordText.prefix(19)) + "Z" }

    /// The first second of the date's day in UTC.
    var recordDay: Timestamp {
        let seconds = inRecords.seconds
        let rest = seconds % 86_400
        return Timestamp(seconds: seconds - (rest < 0 ? rest + 86_400 : rest))
    }

    /// The date, limited to the years 0000 to 9999. A credential may state any date.
    private var inRecords: Timestamp {
        let first = Timestamp(seconds: -62_167_219_200)
        let last = Timestamp(seconds: 253_402_300_799, nanoseconds: 999_000_000)
        return min(max(self, first), last)
    }
}
