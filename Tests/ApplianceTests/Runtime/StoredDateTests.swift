import Clocks
import Encoding
import Foundation
import GateService
import Kiosk
import Testing

/// Dates that are kept over a restart: the confirmed one, and those of an order.
@Suite struct StoredDateTests {
    private static let noon = Timestamp(seconds: 1_767_225_600)

    @Test func aConfirmedDateCountsInItsStartOfTheMachine() {
        let five = Instant(nanoseconds: 5_000_000_000)
        let date = ClockMemory(at: five, confirmed: DatedInstant(utc: Self.noon, at: five))
        var all = date
        (all.highest, all.limit) = (date.confirmed, DatedInstant(utc: Self.noon, at: .zero))
        (all.earlier, all.suspicion) = (DatedInstant(utc: Self.noon.advanced(by: .seconds(-9)), at: .zero), .all)
        let bytes = StoredDate.bytes(date, boot: "a-b")
        func read(_ bytes: [UInt8]?, boots: [Text] = ["a-b"], at now: Int64 = 5_000_000_000) -> ClockMemory? {
            StoredDate.read(bytes, boots: boots, at: Instant(nanoseconds: now))
        }
        #expect(read(bytes) == date && read(StoredDate.bytes(all, boot: "a-b")) == all)
        #expect(read(bytes, boots: ["x", "a-b"]) == date)
        #expect(read(bytes, at: 4_999_999_999) == nil && read(nil) == nil)
        for junk in [
            "", "a-b", "a-b 5 - 2026-01-01T00:00:00Z 1", "a-b 5 - 2026-01-01T00:00:00Z -1 - - - - - -",
            "a-b 5 - - - - - - - - -", "a-b 5 - x 1 - - - - - -", "a-b 5 - 2026-01-01T00:00:00Z 6 - - - - - -",
            "a-b x - 2026-01-01T00:00:00Z 1 - - - - - -", "a-b -1 - 2026-01-01T00:00:00Z 1 - - - - - -",
            "a-b 5 - 2026-01-01T00:00:00Z 99999999999999999999 - - - - - -",
            "a-b 5 - 2026-01-01T00:00:00Z 1 - - - - - - -",
        ] {
            for boots in [["a-b"], ["other"]] as [[Text]] {
                #expect(read(Array(junk.utf8), boots: boots) == nil, "\(junk)")
            }
        }
    }

    /// A service that is upgraded in place reads the previous version's file of the current boot, and of no
    /// other boot.
    @Test func theFormBeforeCountsInItsStartOfTheMachine() {
        func read(_ text: String, in boot: Text = "a-b", at now: Int64 = 9) -> ClockMemory? {
            StoredDate.read(Array(text.utf8), boots: ["x", boot], at: Instant(nanoseconds: now))
        }
        let confirmed = DatedInstant(utc: Self.noon, at: Instant(nanoseconds: 4))
        let limit = DatedInstant(utc: Self.noon.advanced(by: .seconds(60)), at: Instant(nanoseconds: 5))
        let now = Instant(nanoseconds: 9)
        #expect(
            read("a-b 2026-01-01T00:00:00Z 4 - - 2026-01-01T00:01:00Z 5")
                == ClockMemory(at: now, confirmed: confirmed, limit: limit))
        #expect(
            read("a-b 2026-01-01T00:00:00Z 4 2026-01-01T00:01:00Z 5 - -")
                == ClockMemory(at: now, confirmed: confirmed, highest: limit))
        #expect(read("a-b 2026-01-01T00:00:00Z 4 - - - -", in: "other") == nil)
        #expect(read("a-b 2026-01-01T00:00:00Z 4 - - - -", at: 3) == nil)
        #expect(read("a-b - - 2026-01-01T00:00:00Z 4 - -") == nil)
    }

    /// After another boot of the machine, only the last confirmed date is left, advanced by the time until
    /// the end of the earlier boot.
    @Test func ofAnEarlierStartTheLastConfirmedDateIsLeft() {
        func left(_ memory: ClockMemory) -> ClockMemory? {
            StoredDate.read(StoredDate.bytes(memory, boot: "a"), boots: ["b"], at: Instant(nanoseconds: 1))
        }
        let end = Instant(nanoseconds: 100_000_000_000)
        let confirmed = DatedInstant(utc: Self.noon, at: Instant(nanoseconds: 40_000_000_000))
        let minute = DatedInstant(utc: Self.noon.advanced(by: .seconds(60)), at: .zero)
        #expect(left(ClockMemory(at: end, confirmed: confirmed)) == ClockMemory(at: .zero, earlier: minute))
        // A kept date of an earlier boot takes precedence over the date confirmed since.
        let earlier = DatedInstant(utc: Self.noon.advanced(by: .seconds(-40)), at: .zero)
        let doubted = ClockMemory(
            at: end, confirmed: DatedInstant(utc: Self.noon.advanced(by: .seconds(9000)), at: .zero), earlier: earlier,
            suspicion: .all)
        #expect(left(doubted) == ClockMemory(at: .zero, earlier: minute, suspicion: .all))
        // The suspicion against the battery-backed clock outlives the boot, as that clock does.
        for suspicion in [ClockMemory.Suspicion.nothing, .battery, .all] {
            let kept = ClockMemory(at: end, confirmed: confirmed, suspicion: suspicion)
            #expect(left(kept)?.suspicion == suspicion)
        }
        let unknown = Array("a 5 x 2026-01-01T00:00:00Z 1 - - - - - -".utf8)
        #expect(StoredDate.read(unknown, boots: ["b"], at: .zero)?.suspicion == .all)
        // Where the monotonic clock may have continued, the date is advanced from the end of the earlier
        // boot, and not from before.
        let bytes = StoredDate.bytes(ClockMemory(at: end, confirmed: confirmed), boot: "a")
        #expect(StoredDate.read(bytes, boots: ["b"], at: end)?.earlier == DatedInstant(utc: minute.utc, at: end))
    }

    /// Returns the seconds that are left of a free passage that was ordered for ten minutes before a restart;
    /// nil: it is over.
    private func left(
        _ order: DoorOrderFile.Kept, at date: Int64, alternative: Int64? = nil,
        _ provenance: WallTime.Provenance = .rtc
    ) throws -> Duration? {
        let folder = OrderFolder()
        try folder.file.keep(order)
        let time = WallTime(
            utc: Self.noon.advanced(by: .seconds(date)), provenance: provenance,
            alternative: alternative.map { Self.noon.advanced(by: .seconds($0)) })
        let orders = try DoorOrders(folder.file, clock: .system, wallTime: { time }, report: { _ in })
        switch orders.restored(at: .zero, minimum: .rtc) {
        case .free(let until): return Instant.zero.duration(to: until)
        case .none: return nil
        case .lock:
            Issue.record("a lock-down")
            return nil
        }
    }

    @Test func freePassageLastsNoLongerThanItWasMeantTo() throws {
        let order = DoorOrderFile.Kept.free(from: Self.noon, until: Self.noon.advanced(by: .seconds(600)))
        #expect(try left(order, at: 0) == .seconds(600) && left(order, at: 599) == .seconds(1))
        #expect(try left(order, at: 600) == nil && left(order, at: 100_000) == nil)
        #expect(try left(order, at: -60) == .seconds(600), "clocks differ by a minute")
        #expect(try left(order, at: -61) == nil, "given while the date was ahead")
        #expect(try left(order, at: -23 * 3600) == nil)
        #expect(try left(order, at: 10, .saved) == nil)
        // When there are two dates, both must lie within the ten minutes.
        #expect(try left(order, at: 10, alternative: 200) == .seconds(400))
        #expect(try left(order, at: 200, alternative: 10) == .seconds(400))
        #expect(try left(order, at: 10, alternative: 600) == nil && left(order, at: 10, alternative: -61) == nil)
    }

    @Test func contentsOfTheFile() throws {
        let folder = OrderFolder()
        let order = DoorOrderFile.Kept.free(from: Self.noon, until: Self.noon.advanced(by: .seconds(600)))
        for kept in [order, .lock, .none] {
            try folder.file.keep(kept)
            #expect(folder.file.read() == kept)
        }
        // Version 0.1.0 wrote the end alone, which does not say how long the passage should last.
        for (text, kept) in [
            ("free 2026-01-01T00:10:00.000Z\n", DoorOrderFile.Kept.none), ("free x\n", nil), ("free\n", nil),
            ("free 2026-01-01T00:00:00Z x\n", nil), ("lock x\n", nil), ("", nil),
        ] as [(String, DoorOrderFile.Kept?)] {
            try text.write(toFile: folder.file.path, atomically: true, encoding: .utf8)
            #expect(folder.file.read() == kept, "\(text)")
        }
    }
}
