import Credentials
import Encoding
import Foundation
import Ledger
import LinuxIO
import Reasons
import Testing

@testable import GateService
@testable import Kiosk

/// The log while strangers arrive day and night: it stays small, counts them, and keeps the important lines.
@Suite struct HostileLogTests {
    private let path = FileManager.default.temporaryDirectory
        .appendingPathComponent("gatehouse-hostile-\(UUID().uuidString)").path

    private func visit(_ number: Int) -> VisitID { VisitID("00000000-0000-4000-8000-\(1_000_000_000_000 + number)") }

    /// Logs the notes of a kiosk about a visit with a complete transfer.
    private func play(_ output: LogOutput, _ number: Int, accepted: Bool, isRecorded: Bool, at now: Instant) {
        let (id, code) = (visit(number), accepted ? ReasonCode.ok : .proofInvalid)
        let uri = "OPENID4VP://connect?name=North-Gate&key=" + String(repeating: "4a", count: 32)
        func note(_ note: KioskNote, _ visit: VisitID? = nil) { output.note(note, of: visit, at: now) }
        func show(_ pattern: IndicatorPattern, _ visit: VisitID?) {
            output.show(Signal([.blue]), of: pattern, for: visit, at: now)
        }
        note(.phoneConnected, id)
        note(.mtu(bytes: 517), id)
        show(.connected, id)
        note(.identified(intent: IntentID(id.text)), id)
        note(.advertising(uri: uri))
        show(.receiving, id)
        note(.transferStarted(bytes: 9000, chunks: 18), id)
        show(.checking, id)
        note(.received(bytes: 4000, crcErrors: 0, repairs: 0), id)
        show(accepted ? .accepted : .rejected, id)
        note(.decided(accepted: accepted, reasons: [code], sinceT0: .milliseconds(3), waited: .zero), id)
        if accepted { note(.gate(open: true), id) }
        note(
            .visitEnded(
                .outcome(accepted ? .accepted : .rejected), reasons: [code],
                VisitFigures(milliseconds: 900, isRecorded: isRecorded)), id)
        show(.ready, nil)
    }

    private func lines() throws -> [JSON] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map { try JSON.parse(String($0)) }
    }

    private func events(_ lines: [JSON], _ name: Text) -> [JSON] { lines.filter { $0["event"]?.string == name } }

    /// Seven a second for an hour, and each minute a visitor who is admitted.
    @Test func anHourOfGarbageIsSmall() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        let sink = try LogSink(.file(path))
        let output = LogOutput(sink)
        let garbage = 7 * 3600
        var written = 0
        for number in 0..<garbage {
            let now = Instant.zero.advanced(by: .milliseconds(number * 1000 / 7))
            play(output, number, accepted: false, isRecorded: number < 20, at: now)
            if number.isMultiple(of: 420) {
                play(output, garbage + number, accepted: true, isRecorded: true, at: now)
                written += 1
            }
            if number.isMultiple(of: 20) { #expect(sink.flush(within: .seconds(60))) }
        }
        output.note(.stopped, of: nil, at: Instant.zero.advanced(by: .seconds(3600)))
        #expect(sink.flush(within: .seconds(60)) && sink.dropped == 0)
        let bytes = try #require(FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
        print("log: \(bytes) bytes in an hour of 7 garbage visits a second")
        #expect(bytes < 1_000_000)

        let lines = try lines()
        let counted = events(lines, "visits.counted")
        #expect((10...14).contains(counted.count))
        let ended = events(lines, "visit.ended")
        // Each visit is counted or logged once.
        #expect(counted.reduce(0) { $0 + ($1["count"]?.int ?? 0) } + ended.count == garbage + written)
        let reasons = counted.compactMap { $0["endings"]?["rejected"]?["proof.invalid"]?.int }
        #expect(reasons.count == counted.count && reasons == counted.compactMap { $0["count"]?.int })
        // Admitted visitors have the important lines.
        for number in stride(from: 0, to: garbage, by: 420) {
            let id = visit(garbage + number).text
            let its = lines.filter { $0["visit"]?.string == Text(id) }.compactMap { $0["event"]?.string }
            #expect(Set(its).isSuperset(of: ["signal", "verdict", "gate", "visit.ended"]), "\(its)")
        }
    }

    /// At a busy gate whose visitors are admitted, every line is written, however many visitors arrive.
    @Test func aBusyGateHasAllItsLines() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        let sink = try LogSink(.file(path))
        let output = LogOutput(sink)
        for number in 0..<500 {
            play(
                output, number, accepted: !number.isMultiple(of: 10), isRecorded: true,
                at: Instant.zero.advanced(by: .seconds(number)))
            #expect(sink.flush(within: .seconds(60)))
        }
        let lines = try lines()
        for event in ["phone.connected", "transfer.received", "verdict", "visit.ended", "advertising"] as [Text] {
            #expect(events(lines, event).count == 500, "\(event)")
        }
        #expect(events(lines, "visits.counted").isEmpty)
    }

    /// A visit that was left out stays left out, and the next one after a while has its lines.
    @Test func theNextVisitHasItsLines() {
        var lines = VisitLines()
        let (first, second, now) = (visit(1), visit(2), Instant.zero)
        func taken(_ note: KioskNote, _ visit: VisitID?, _ at: Instant) -> Bool { lines.takes(note, of: visit, at: at) }
        for number in 0..<VisitLines.burst { #expect(taken(.phoneConnected, visit(100 + number), now)) }
        #expect(!taken(.phoneConnected, first, now) && !taken(.identified(intent: IntentID("i")), first, now))
        #expect(!taken(.advertising(uri: "x"), nil, now))
        let later = now.advanced(by: VisitLines.refill)
        #expect(taken(.advertising(uri: "x"), nil, later))
        #expect(taken(.phoneConnected, second, later) && taken(.identified(intent: IntentID("i")), second, later))
        #expect(!taken(.mtu(bytes: 517), first, later))
        let (isShown, isHidden) = (lines.takes(.rejected, of: second), !lines.takes(.rejected, of: first))
        #expect(isShown && isHidden && lines.summary(at: later, isLast: true) == nil)
    }
}
