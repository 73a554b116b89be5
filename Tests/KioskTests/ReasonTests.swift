import Encoding
import Ledger
import Reasons
import Testing
import Tuvali

@testable import Kiosk

/// Compares the reasons in a visit's record with the table of reasons.
@Suite struct ReasonTests {
    private static let errors: [TuvaliError] = [
        .mtuTooSmall(attMTU: 23), .responseSizeOutOfRange(size: 0), .reportBeforeSize,
        .tooManyMissing(missing: 1, total: 1), .malformedSize(length: 0), .weakWalletKey, .identifiedAgain,
        .secondTransfer, .notAuthentic, .notCompressed, .inflatedTooLarge, .walletFailed, .silence, .transferTooLong,
        .noVerdict,
    ]

    @Test(arguments: errors) func aFailedTransferHasItsDocumentedCodeAndItsCause(_ error: TuvaliError) throws {
        let reasons = error.reasons
        try #require(reasons.count == 2)
        #expect(reasons[0].text == "transfer." + error.code.rawValue)
        #expect(reasons[0].mosip == error.code.rawValue)
        #expect(reasons[1].refines == reasons[0].text && reasons[1].mosip == reasons[0].mosip)
        #expect(reasons.allSatisfy { ReasonCode.all.contains($0) && $0.severity == .error })
        #expect(ReasonCode.telling(reasons) == reasons[1])
    }

    @Test func noTwoCausesLookAlike() {
        #expect(Self.errors.count == 15 && Set(Self.errors.map(\.code)) == Set(TuvaliError.Code.allCases))
        let causes = Self.errors.compactMap(\.reasons.last)
        #expect(Set(causes).count == 15)
        // A lost link is not an error of the protocol, but it has causes too.
        let lost: Set<ReasonCode> = [
            .transferNotIdentified, .transferNothingSent, .transferLeftSending, .transferLeftChecking,
            .transferRadioLost, .transferStopped,
        ]
        let refining = ReasonCode.all.filter { $0.refines?.hasPrefix("transfer.") == true }
        #expect(Set(causes).union(lost) == Set(refining))
    }

    @Test func anInterruptedVisitHasTheCodeOfTheTable() {
        let outcome = Recovery.outcome(software: Outcome.Software(name: "gatehouse", version: "test"))
        #expect(outcome.reasons.map(\.code) == [Text(ReasonCode.interrupted.text)])
    }
}
