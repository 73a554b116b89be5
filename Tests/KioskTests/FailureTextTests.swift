import BluetoothHost
import Encoding
import Ledger
import Reasons
import Testing

@testable import Kiosk

/// The code and the text of failures, as logs and people get them.
@Suite struct FailureTextTests {
    private static let failures: [(failure: RadioFailure, cause: ReasonCode, canReset: Bool, text: String)] = [
        (.transport(.radioBusy, "hci0 is in use"), .radioBusy, false, "hci0 is in use"),
        (.noRandomBytes, .radioSystem, false, "the system gives no random bytes"),
        (.notUpInTime, .radioController, false, "the controller did not come up in time"),
        (.advertisingLapses, .radioController, true, "the adapter stops advertising again and again"),
        (
            .host(.transportLost, endsSets: false), .radioGone, false,
            "connection to the Bluetooth adapter was lost: check that it is plugged in and not blocked (rfkill)"
        ),
        (
            .host(.advertisingSetsUnreported, endsSets: true), .radioController, true,
            "Bluetooth adapter does not tell which of its advertising sets phones connect to: update its firmware; "
                + "it goes on without advertising sets"
        ),
    ]

    @Test(arguments: failures.indices) func aRadioFailureHasItsCauseAndItsText(_ index: Int) {
        let (failure, cause, canReset, text) = Self.failures[index]
        #expect(failure.cause == cause && failure.canReset == canReset && failure.description == text)
        #expect(failure.cause.refines == ReasonCode.radioFailed.text)
        let members = KioskNote.radioFailed(failure, retryIn: .milliseconds(1500)).members
        #expect(members == ["code": .text(cause.text), "reason": .text(text), "retryMs": 1500])
    }

    @Test func aLedgerFailureHasItsText() {
        let failures: [(LedgerFailure, String)] = [
            (.noAnswer, "no answer from the ledger"), (.database("no space left"), "no space left"),
            (.tooManyIntents, "the disk is too slow for so many visits"), (.visitEnded, "the visit has ended"),
            (.noAnswerOfSessions, "no answer from the log of used sessions"), (.sessions("full"), "full"),
            (.noPrintedKey, "there is no printed key"),
        ]
        for (failure, text) in failures {
            #expect(KioskNote.ledgerFailed(failure).members == ["reason": .text(text)])
        }
    }

    @Test func theNotesOfAVisitHaveTheTextsOfItsReasons() {
        let reasons: [ReasonCode] = [.transferPayload, .transferNotAuthentic]
        let decided = KioskNote.decided(
            accepted: false, reasons: reasons, sinceT0: .milliseconds(3), waited: .milliseconds(2))
        let texts: JSON = ["transfer.TVV_UNK_003", "transfer.not-authentic"]
        #expect(
            decided.members == ["decision": "reject", "reasons": texts, "sinceT0us": 3000, "waitedMs": 2])
        let ended = KioskNote.visitEnded(.outcome(.failed), reasons: reasons, VisitFigures(milliseconds: 7))
        #expect(
            ended.members == [
                "result": "failed", "reasons": texts, "remedy": .text(ReasonCode.transferNotAuthentic.remedy), "ms": 7,
            ])
    }
}
