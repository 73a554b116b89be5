import Encoding
import Testing

/// The real program, a foreign Bluetooth stack with a foreign wallet, and a real cloud agent, through one day at a gate.
@Suite struct VisitTests {
    @Test(.timeLimit(.minutes(3)))
    func withTheAgentOfYesterday() async throws { try await day(agent: "0.12.8") }

    @Test(
        .timeLimit(.minutes(3)),
        .enabled(
            if: Workplace.environment("acapy-1.7.0", "") != nil, "acapy-agent 1.7.0 needs Python 3.13, which is absent")
    )
    func withTheAgentOfToday() async throws { try await day(agent: "1.7.0") }

    private func day(agent version: String) async throws {
        let place = try Workplace("day-\(version)")
        guard let credential = try Credential(place) else { return place.remove() }
        let agent = try CloudAgent(version: version, place)
        try await agent.command("start")
        let invitation = try place.write("invitation", try await agent.command("invite")["url"]?.string?.string ?? "")
        let air = try await Air(place)
        let kiosk = try KioskProcess(place, air: air, trust: credential.trust, invitation: invitation)
        try kiosk.start()
        try await kiosk.journal.wait(for: "connection to the agent") {
            $0["event"]?.string == "agent" && $0["text"]?.string == "connected"
        }

        var day = Day(air: air, kiosk: kiosk)
        try await day.visit("accepted", .init(uri: "", payload: credential.genuine))
        try await day.visit("accepted", .init(uri: "", payload: credential.genuine, lose: [2]))
        try await day.visit("rejected", .init(uri: "", payload: credential.tampered), reason: "proof.invalid")
        try await day.visit("accepted", .init(uri: "", payload: credential.genuine, manner: "ios"))
        #expect(try await agent.reports(count: 4).count == 4)

        // The agent goes away while a person is choosing; nobody at the gate notices. (Killed: a polite end waits for our
        // connection and goes on taking reports meanwhile.)
        try await day.visit("accepted", .init(uri: "", payload: credential.genuine, choose: 3)) {
            try await agent.command("kill")
        }
        try await day.visit("rejected", .init(uri: "", payload: credential.tampered), reason: "proof.invalid")
        #expect(try agent.reports().count == 4)
        try await agent.command("start")

        let reports = try await agent.reports(count: 6)
        #expect(day.differ())
        try await expect(reports, toTell: day)

        #expect(try await kiosk.terminate() == .exit(0))
        let log = kiosk.journal
        #expect(log.events("signal").last?["lamps"]?.array?.isEmpty == true, "the light is dark")
        #expect(log.events("signal").last?["tone"]?.bool == false)
        #expect(log.events("gate").last?["open"]?.bool == false, "the gate is shut")
        let (intact, report) = try await kiosk.verifyLedger()
        #expect(intact, "\(report.compactText)")
        try await agent.stop()
        try await air.stop()
        place.remove()
    }

    /// The reports are the records: same ids, same numbers, same results, no gap, none twice.
    private func expect(_ reports: [CloudAgent.Message], toTell day: Day) async throws {
        let records = try await day.kiosk.records()
        #expect(records.map(\.result) == day.results)
        #expect(records.map(\.seq) == Array(1...day.results.count))
        let told = reports.sorted { ($0.content["seq"]?.int ?? 0) < ($1.content["seq"]?.int ?? 0) }
        #expect(told.map { $0.content["seq"]?.int } == records.map(\.seq))
        #expect(told.map(\.id) == records.map(\.visit))
        #expect(told.map { $0.content["id"]?.string } == records.map(\.visit))
        #expect(told.map { $0.content["result"]?.string } == records.map(\.result))
        let reasons = told.map { ($0.content["reasons"]?.array ?? []).first?["code"]?.string?.string ?? "" }
        #expect(reasons == day.reasons)
        // Nothing of what the credential says leaves the box.
        for text in told.map(\.content.compactText) {
            #expect(!text.contains("Mary Smith") && !text.contains("1975-08-22"))
        }
    }
}

/// Visits one after the other, each checked at the phone, at the light and at the gate.
private struct Day {
    let air: Air
    let kiosk: KioskProcess
    var results: [Text] = []
    var reasons: [String] = []
    private var seen: [Air.Result] = []
    private var uris: [String] = []
    private var position = 0

    init(air: Air, kiosk: KioskProcess) {
        (self.air, self.kiosk) = (air, kiosk)
    }

    mutating func visit(
        _ result: Text, _ visit: Air.Visit, reason: String = "ok", whileChoosing: (() async throws -> Void)? = nil
    ) async throws {
        let id = "\(results.count + 1)"
        let (uri, next) = try await kiosk.invitation(after: position)
        var visit = visit
        visit.uri = uri
        try air.send(visit, id: id)
        if let whileChoosing {
            try await air.wait("identified", of: id)
            try await whileChoosing()
            #expect(air.seen(by: id).status == [], "the agent went away too late")
        }
        let phone = try await air.result(of: id)
        let accepted = result == "accepted"
        #expect(phone.outcome == result, "visit \(id): \(phone.lines.last?.compactText ?? "-")")
        #expect(phone.status == [accepted ? 0 : 1], "visit \(id)")
        #expect(phone.reports.last == [], "visit \(id)")
        #expect(visit.lose.isEmpty || phone.reports.first == visit.lose, "visit \(id)")

        let (end, after) = try await kiosk.journal.wait("visit.ended", from: next)
        #expect(end["result"]?.string == result)
        // The pulse is 200 ms long and the kiosk is on the air again before: look when it is over.
        if accepted { try await kiosk.journal.wait(from: next, for: "shut gate") { $0["open"]?.bool == false } }
        let lines = kiosk.journal.lines[next...]
        let verdicts = lines.filter { $0["event"]?.string == "verdict" }
        #expect(verdicts.map { $0["decision"]?.string } == [accepted ? "accept" : "reject"], "visit \(id)")
        #expect(verdicts.first?["reasons"]?.array?.first?.string?.string == reason, "visit \(id)")
        // The light of the visit before may still be on until then.
        let pulses = lines.filter { $0["event"]?.string == "gate" && $0["open"]?.bool == true }
        #expect(pulses.count == (accepted ? 1 : 0), "visit \(id)")
        let decided = lines.drop { $0["event"]?.string != "verdict" }
        let lamps = Set(decided.filter { $0["event"]?.string == "signal" }.flatMap { $0["lamps"]?.array ?? [] })
        #expect(lamps.contains(accepted ? "green" : "red"), "visit \(id)")
        #expect(!lamps.contains(accepted ? "red" : "green"), "visit \(id)")

        results.append(result)
        reasons.append(reason)
        seen.append(phone)
        uris.append(uri)
        position = after
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
