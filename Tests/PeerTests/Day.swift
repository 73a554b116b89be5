import Encoding
import Testing

/// Visits one after another, each checked at the phone, at the lamps and at the gate.
struct Day {
    let air: Air
    let kiosk: KioskProcess
    var results: [Text] = []
    var reasons: [String] = []
    private var seen: [Air.Result] = []
    private var uris: [String] = []

    init(air: Air, kiosk: KioskProcess) {
        (self.air, self.kiosk) = (air, kiosk)
    }

    mutating func visit(
        _ result: Text, _ visit: Air.Visit, reason: String = "ok", whileChoosing: (() async throws -> Void)? = nil
    ) async throws {
        let id = "\(results.count + 1)"
        let (uri, next) = (try await kiosk.invitation(), kiosk.journal.position)
        var visit = visit
        visit.uri = uri
        try air.send(visit, id: id)
        if let whileChoosing {
            try await air.wait("identified", of: id)
            try await whileChoosing()
            try air.choose(id)
        }
        let phone = try await air.result(of: id)
        let accepted = result == "accepted"
        #expect(phone.outcome == result, "visit \(id): \(phone.lines.last?.compactText ?? "-")")
        #expect(phone.status == [accepted ? 0 : 1], "visit \(id)")
        #expect(phone.reports.last == [], "visit \(id)")
        #expect(visit.lose.isEmpty || phone.reports.first == visit.lose, "visit \(id)")

        let (end, ended) = try await kiosk.journal.wait("visit.ended", from: next)
        #expect(end["result"]?.string == result)
        // The visit ends with the verdict; the pulse is over later.
        if accepted, kiosk.opens {
            try await kiosk.journal.wait(from: next, for: "shut gate") { $0["open"]?.bool == false }
        }
        let lines = kiosk.journal.lines[next...]
        let verdicts = lines.filter { $0["event"]?.string == "verdict" }
        #expect(verdicts.map { $0["decision"]?.string } == [accepted ? "accept" : "reject"], "visit \(id)")
        #expect(verdicts.first?["reasons"]?.array?.first?.string?.string == reason, "visit \(id)")
        let pulses = lines.filter { $0["event"]?.string == "gate" && $0["open"]?.bool == true }
        #expect(pulses.count == (accepted && kiosk.opens ? 1 : 0), "visit \(id)")
        // The lamps of a verdict are set before the verdict is logged; after an equal verdict they may still
        // have been on.
        let light = kiosk.journal.lines[..<ended].last { $0["event"]?.string == "signal" }
        #expect(light?["pattern"]?.string == result, "visit \(id)")
        #expect(light?["lamps"]?.array == [accepted ? "green" : "red"], "visit \(id)")

        // The `signal` lines carry the visit's id too, because only one phone is at the gate.
        let way: Set<Text> = ["connected", "receiving", "checking"]
        let signs = lines.filter { $0["event"]?.string == "signal" && $0["pattern"]?.string.map(way.contains) == true }
        #expect(signs.allSatisfy { $0["visit"] == end["visit"] }, "visit \(id)")
        #expect(light?["visit"] == end["visit"], "visit \(id)")

        results.append(result)
        reasons.append(reason)
        seen.append(phone)
        uris.append(uri)
    }

    /// Plays a visitor who leaves before sending a credential: the gate stays shut, and nothing is recorded.
    mutating func passer(_ visit: Air.Visit) async throws {
        let (uri, next) = (try await kiosk.invitation(), kiosk.journal.position)
        var visit = visit
        visit.uri = uri
        #expect(try await air.visit(visit, id: "passer").outcome == "left")
        let (end, after) = try await kiosk.journal.wait("visit.ended", from: next)
        #expect(end["result"]?.string == "abandoned")
        #expect(
            !kiosk.journal.lines[next..<after].contains { $0["event"]?.string == "gate" && $0["open"]?.bool == true })
    }

    /// Ends the day: the process ends in an orderly way, everything is off, and the ledger is intact.
    func close() async throws {
        #expect(try await kiosk.terminate() == .exit(0))
        let log = kiosk.journal
        #expect(log.events("signal").last?["lamps"]?.array?.isEmpty == true, "the light is dark")
        #expect(log.events("signal").last?["tone"]?.bool == false)
        #expect(
            log.events("gate").last?["open"]?.bool == (kiosk.opens ? false : nil), "the gate is shut, or there is none")
        let told = try await kiosk.records().filter { $0.result == "accepted" }.map(\.gateOpened)
        #expect(told.allSatisfy { $0 == (kiosk.opens ? true : nil) }, "the record says what the relay did: \(told)")
        let (intact, report) = try await kiosk.verifyLedger()
        #expect(intact, "\(report.compactText)")
    }

    /// Whether every visit had its own invitation, keys and addresses, on both sides.
    func differ() -> Bool {
        let all = [
            uris.map { Text($0) }, seen.compactMap(\.kioskAddress), seen.compactMap(\.kioskKey),
            seen.compactMap(\.phoneAddress), seen.compactMap(\.walletKey),
        ]
        return all.allSatisfy { $0.count == results.count && Set($0).count == results.count }
    }
}
