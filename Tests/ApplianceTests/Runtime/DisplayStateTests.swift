import Displays
import Encoding
import Ledger
import LinuxIO
import Reasons
import Testing

@testable import Features
@testable import Kiosk

/// The scene on the displays follows the notes and the light.
@Suite struct DisplayStateTests {
    private let one = VisitID("3f2a7b1c-0000-4000-8000-000000000000")
    private let other = VisitID("91c0d2e4-0000-4000-8000-000000000000")

    private func decided(_ accepted: Bool) -> KioskNote {
        .decided(accepted: accepted, reasons: [.ok], sinceT0: .zero, waited: .zero)
    }

    private func serving() -> DisplayState {
        var keeper = DisplayState(name: "North-Gate")
        keeper.take(.ready)
        keeper.take(invitation: "OPENID4VP://one")
        return keeper
    }

    @Test func phonesAreShownFromTheirKeysOnWithHowFarTheyAre() {
        var keeper = serving()
        keeper.take(.phoneConnected, of: one)
        #expect(keeper.scene.guests.isEmpty, "a connection alone is nobody")
        keeper.take(.identified(intent: IntentID("intent")), of: one)
        keeper.take(.identified(intent: IntentID("intent")), of: other)
        keeper.take(.transferStarted(bytes: 1000, chunks: 4), of: other)
        keeper.take(.progress(received: 3, total: 4, bytesPerSecond: 0), of: other)
        #expect(
            keeper.scene.guests == [
                .init(mark: "3f2a", stage: .choosing), .init(mark: "91c0", stage: .receiving(percent: 75)),
            ])
        keeper.take(.received(bytes: 1000, crcErrors: 0, repairs: 0), of: other)
        #expect(keeper.scene.guests.last?.stage == .checking)
        keeper.take(.visitEnded(.abandoned, reasons: [], VisitFigures(milliseconds: 1)), of: one)
        #expect(keeper.scene.guests.map(\.mark) == ["91c0"])
    }

    @Test func aVerdictIsShownAsLongAsItsLightAndSaysWhoseItIs() {
        var keeper = serving()
        keeper.take(.identified(intent: IntentID("intent")), of: one)
        keeper.take(.accepted)
        keeper.take(decided(true), of: one)
        #expect(keeper.scene.result == .init(mark: "3f2a", outcome: .accepted) && keeper.scene.guests.isEmpty)
        keeper.take(.visitEnded(.outcome(.accepted), reasons: [], VisitFigures(milliseconds: 1)), of: one)
        keeper.take(.accepted)
        #expect(keeper.scene.result?.mark == "3f2a", "the end of the visit is not that of its light")
        keeper.take(.rejected)
        keeper.take(decided(false), of: other)
        #expect(keeper.scene.result == .init(mark: "91c0", outcome: .rejected))
        keeper.take(.receiving)
        #expect(keeper.scene.result == nil && keeper.scene.code == "OPENID4VP://one")
    }

    @Test func noVerdictIsShownWithoutItsLight() {
        var keeper = serving()
        keeper.take(.fault)
        keeper.take(decided(true), of: one)
        #expect(keeper.scene.result == nil)
        keeper.take(.rejected)
        keeper.take(decided(true), of: one)
        #expect(keeper.scene.result == nil)
    }

    @Test func aFailureIsTheFirstOnesAndOnlyWhereTheLightShowsIt() {
        var keeper = serving()
        let failed = KioskNote.visitEnded(
            .outcome(.failed), reasons: [.transferDisconnected], VisitFigures(milliseconds: 1))
        keeper.take(failed, of: one)
        #expect(keeper.scene.result == nil, "whoever is in range can make transfers fail")
        keeper.take(.failed)
        keeper.take(failed, of: other)
        keeper.take(failed, of: one)
        #expect(keeper.scene.result == .init(mark: "91c0", outcome: .failed))
        keeper.take(.ready)
        #expect(keeper.scene.result == nil)
    }

    @Test func aFatalErrorIsShownWithItsRemedyAndTheEnd() {
        var keeper = serving()
        keeper.take(.fault(.displayFailed, isPresent: true, count: 1, detail: nil), of: nil)
        #expect(keeper.scene.state == .inService, "visitors are served")
        keeper.take(.fault(.radioFailed, isPresent: true, count: 1, detail: "hci0"), of: nil)
        #expect(keeper.scene.state == .outOfOrder(remedy: ReasonCode.radioFailed.remedy))
        keeper.take(.fault(.radioFailed, isPresent: false, count: 1, detail: nil), of: nil)
        #expect(keeper.scene.state == .inService)
        keeper.take(.stopped, of: nil)
        #expect(keeper.scene.state == .outOfService)
    }

    @Test func linesAndPhonesAreBounded() {
        var keeper = serving()
        for number in 0..<1000 {
            let visit = VisitID("\(number)-0000-4000-8000-000000000000")
            keeper.take(.phoneConnected, of: visit)
            keeper.take(.identified(intent: IntentID("intent")), of: visit)
            keeper.take(.progress(received: .max / 200, total: 0, bytesPerSecond: 0), of: visit)
        }
        #expect(keeper.scene.guests.count == DisplayState.guests && keeper.scene.news.count == DisplayState.lines)
        #expect(keeper.scene.news.last?.number == 1000)
    }

    @Test func foreignTextsMoveNoCursor() {
        var keeper = serving()
        keeper.take(.ledgerFailed(.database("a\u{1B}[2J\nb\u{9B}c")), of: nil)
        #expect(keeper.scene.news.last?.text.hasSuffix("ledger: a [2J b c") == true)
    }

    @Test func eachLineSaysWhoseItIs() {
        let notes: [(KioskNote, VisitID?)] = [
            (.phoneConnected, one), (.phoneConnected, other), (decided(true), one), (.phonesLimited(to: 2), nil),
            (.progress(received: 1, total: 2, bytesPerSecond: 0), one),
        ]
        #expect(
            notes.compactMap { EventLine.text($0, of: $1) } == [
                "● ○ ○ ○  3f2a  a phone is connected", "● ○ ○ ○  91c0  a phone is connected", "○ ○ ● ○  3f2a  ACCEPTED",
                "○ ● ○ ○  this adapter serves 2 at the same time", "● ○ ○ ○  3f2a  50 %, 0 kB/s",
            ])
    }
}
