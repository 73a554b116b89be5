import Encoding
import Testing

@testable import Tuvali

/// Rules of a session that no vector covers.
@Suite struct SessionRuleTests {
    @Test func anOrdinaryVisitInItsOrder() throws {
        var visit = try TestVisit(at: .told)
        visit.driver.give(.linkLost)
        let total = visit.chunks.count
        let size = visit.sealed.count
        let actions = visit.driver.actions.filter { if case .progress = $0 { false } else { true } }
        let statistics = TransferStatistics(chunks: total, crcErrors: 0, duplicates: 0, retries: 1, encryptedSize: size)
        guard let payload = visit.driver.payloads.first else {
            Issue.record("no payload")
            return
        }
        #expect(payload.statistics == statistics)
        #expect(
            actions == [
                .stopAdvertising, .identified, .transferStarted(size: size, totalChunks: total),
                .notify(.transferReportResponse, [0, 0, 1, 0, 1]), .assembled(payload), .payload(payload),
                .notify(.transferReportResponse, [1, 0, 0]), .notify(.verificationStatus, [0]),
                .ended(.delivered(status: true)),
            ])
        let progress = visit.driver.actions.filter { if case .progress = $0 { true } else { false } }
        #expect(progress == (1...total).map { .progress(received: $0, total: total) })
    }

    @Test func nothingOfTheContentIsDescribed() throws {
        let visit = try TestVisit(at: .told)
        var text = ""
        dump(visit.driver.actions, to: &text)
        text += "\(visit.driver.actions)"
        #expect(!text.contains("credential") && !text.contains("\(TestVisit.plain[0]), \(TestVisit.plain[1])"))
        let key = try VerifierKey(privateBytes: [UInt8](repeating: 0x5A, count: 32))
        var keyText = "\(key)"
        dump(key, to: &keyText)
        #expect(!keyText.contains("90"))
    }

    @Test(arguments: TestVisit.Stage.allCases) func losingTheLinkEndsAnySession(stage: TestVisit.Stage) throws {
        var driver = try TestVisit(at: stage).driver
        let actions = driver.give(.linkLost)
        switch stage {
        case .advertising: #expect(actions == [])
        case .connected, .keyed, .receiving, .reportAsked, .reportSent, .assembled:
            #expect(actions == [.ended(.abandoned(.disconnected))])
        case .delivered, .successSent: #expect(actions == [.ended(.delivered(status: nil))])
        case .told: #expect(actions == [.ended(.delivered(status: true))])
        }
        #expect((driver.session.deadline == nil) == (stage != .advertising))
    }

    @Test(arguments: TestVisit.Stage.allCases) func cancellingEndsAnySession(stage: TestVisit.Stage) throws {
        var driver = try TestVisit(at: stage).driver
        let actions = driver.give(.cancel)
        if stage == .advertising {
            #expect(actions == [.stopAdvertising, .ended(.abandoned(.cancelled))])
            return
        }
        #expect(actions == [.dropLink])
        #expect(driver.give(.cancel) == [])
        driver.give(.linkLost)
        switch stage {
        case .told: #expect(driver.outcomes == [.delivered(status: true)])
        case .delivered, .successSent: #expect(driver.outcomes == [.delivered(status: nil)])
        default: #expect(driver.outcomes == [.abandoned(.cancelled)])
        }
    }

    /// After an error or after the end, no action of the phone or the application has an effect.
    @Test(arguments: [false, true]) func afterAnErrorNothingCounts(ended: Bool) throws {
        var visit = try TestVisit(at: .receiving)
        visit.driver.give(.write(.responseSize, [1]))
        #expect(visit.driver.errors == [.malformedSize(length: 1)])
        if ended { visit.driver.give(.linkLost) }
        let count = visit.driver.log.count
        for event: SessionEvent in [
            .connected(attMTU: 517), .mtuChanged(23), .write(.identify, visit.wallet.identify),
            .write(.responseSize, TestWallet.size(visit.sealed)), .write(.submitResponse, visit.chunks[0]),
            .write(.transferReportRequest, [1]), .write(.transferReportRequest, [2]), .verdict(accepted: true), .cancel,
            .timer,
        ] { visit.driver.give(event) }
        #expect(visit.driver.log.count == count)
    }

    @Test(arguments: TestVisit.Stage.allCases.dropFirst()) func smallMTUIsAnErrorInAnyState(stage: TestVisit.Stage)
        throws
    {
        var driver = try TestVisit(at: stage).driver
        #expect(driver.give(.mtuChanged(67)) == [])
        #expect(driver.give(.mtuChanged(66)) == [.failed(.mtuTooSmall(attMTU: 66)), .dropLink])
        #expect(driver.errors.first?.code.rawValue == "TVV_CON_001")
    }

    @Test func identifyWithoutAnExchangeIsAnError() throws {
        var visit = try TestVisit(at: .advertising)
        visit.driver.give(.connected(attMTU: 23))
        visit.driver.give(.write(.identify, Array(visit.wallet.identify.dropLast())))
        #expect(visit.driver.errors == [])
        visit.driver.give(.write(.identify, visit.wallet.identify))
        #expect(visit.driver.errors == [.mtuTooSmall(attMTU: 23)])
    }

    /// The points of low order on Curve25519 (RFC 7748 section 6.1), including their encodings above the
    /// prime.
    @Test(arguments: [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
        "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ])
    func keysOfLowOrderAreRefused(key: String) throws {
        var visit = try TestVisit(at: .connected)
        visit.driver.give(.write(.identify, [UInt8](repeating: 7, count: 12) + (Hex.decode(key) ?? [])))
        #expect(visit.driver.errors == [.weakWalletKey])
        #expect(visit.driver.errors.first?.code.rawValue == "TVV_UNK_002")
        #expect(visit.driver.actions.last == .dropLink && visit.driver.notified(.disconnect) == [])
    }

    @Test func privateKeysHave32Bytes() {
        #expect(throws: VerifierKey.WrongLength.self) { try VerifierKey(privateBytes: []) }
        #expect(throws: VerifierKey.WrongLength.self) {
            try VerifierKey(privateBytes: [UInt8](repeating: 1, count: 33))
        }
    }

    @Test(arguments: TestVisit.Stage.allCases.dropFirst(2)) func anotherIdentifyIsAnErrorInAnyState(
        stage: TestVisit.Stage
    ) throws {
        var visit = try TestVisit(at: stage)
        #expect(visit.driver.give(.write(.identify, visit.wallet.identify + [1, 2, 3])) == [])
        var other = visit.wallet.identify
        other[0] ^= 1
        #expect(visit.driver.give(.write(.identify, Array(other.prefix(43)))) == [])
        visit.driver.give(.write(.identify, other))
        #expect(visit.driver.errors == [.identifiedAgain])
    }

    @Test(arguments: [TestVisit.Stage.delivered, .successSent, .told]) func noSecondTransfer(stage: TestVisit.Stage)
        throws
    {
        var visit = try TestVisit(at: stage)
        visit.driver.give(.write(.responseSize, TestWallet.size(visit.sealed)))
        #expect(visit.driver.errors == [.secondTransfer])
        for chunk in visit.chunks { visit.driver.give(.write(.submitResponse, chunk)) }
        visit.driver.give(.write(.transferReportRequest, [1]))
        #expect(visit.driver.payloads.count == 1)
    }

    /// A transfer that cannot be decrypted becomes an error only at the report request. Before that request, the wallet
    /// may start over.
    @Test func walletMayStartOverBeforeTheReport() throws {
        var visit = try TestVisit(at: .keyed)
        let garbage = [UInt8](repeating: 9, count: 100)
        visit.driver.give(.write(.responseSize, TestWallet.size(garbage)))
        for chunk in TestWallet.cut(garbage, maxData: 182) { visit.driver.give(.write(.submitResponse, chunk)) }
        var impatient = visit.driver
        impatient.give(.write(.transferReportRequest, [1]))
        #expect(impatient.errors == [.notAuthentic])
        visit.driver.give(.write(.responseSize, TestWallet.size(visit.sealed)))
        for chunk in visit.chunks { visit.driver.give(.write(.submitResponse, chunk)) }
        visit.driver.give(.write(.transferReportRequest, [1]))
        #expect(visit.driver.payloads.count == 1)
    }

    /// The MTU at the time of the size write determines the stride. A later exchange changes nothing.
    @Test func strideOutlivesAnotherExchange() throws {
        var visit = try TestVisit(at: .keyed)
        visit.driver.give(.write(.responseSize, TestWallet.size(visit.sealed)))
        visit.driver.give(.mtuChanged(517))
        for chunk in visit.chunks { visit.driver.give(.write(.submitResponse, chunk)) }
        visit.driver.give(.write(.transferReportRequest, [1]))
        #expect(visit.driver.payloads.count == 1)
    }

    @Test func lateChunksWithinTheHoldBackCompleteTheTransfer() throws {
        var visit = try TestVisit(at: .reportAsked)
        visit.driver.give(.write(.submitResponse, visit.chunks[0]))
        #expect(visit.driver.payloads.isEmpty)
        visit.driver.advance(.milliseconds(5))
        #expect(visit.driver.payloads.count == 1)
        #expect(visit.driver.notified(.transferReportResponse) == [[1, 0, 0]])
    }

    @Test(arguments: [
        (1, 1, true), (2, 3, false), (3, 3, true), (7, 10, false), (8, 10, true), (7, 11, false), (8, 11, true),
        (14, 20, false), (15, 20, true),
    ])
    func toleratedShareOfMissingChunks(missing: Int, total: Int, isTooMany: Bool) throws {
        var settings = SessionSettings()
        #expect(settings.isTooMany(missing: missing, total: total, retries: 15) == isTooMany)
        // A small transfer does not fail before the wallet has used all its repair rounds.
        #expect(settings.isTooMany(missing: missing, total: total, retries: 0) == (isTooMany && total > 10))
        #expect(settings.isTooMany(missing: missing, total: total, retries: 14) == (isTooMany && total > 10))
        settings.toleratedMissingShare = nil
        #expect(!settings.isTooMany(missing: missing, total: total, retries: 15))
    }

    @Test func withoutTheShareRuleTheReportIsGivenAnyway() throws {
        var settings = SessionSettings()
        settings.toleratedMissingShare = nil
        var visit = try TestVisit(at: .keyed, settings: settings)
        visit.driver.give(.write(.responseSize, TestWallet.size(visit.sealed)))
        visit.driver.give(.write(.transferReportRequest, [1]))
        visit.driver.advance(.milliseconds(5))
        #expect(
            visit.driver.notified(.transferReportResponse).first.flatMap(TestWallet.missing(in:))?.count
                == visit.chunks.count)
    }

    @Test func valuesOfUnwrittenCharacteristicsAreIgnored() throws {
        for characteristic in Characteristic.allCases where !characteristic.isWritable {
            var visit = try TestVisit(at: .receiving)
            let deadline = visit.driver.session.deadline
            visit.driver.advance(.seconds(1))
            #expect(visit.driver.give(.write(characteristic, [1])) == [])
            #expect(visit.driver.session.deadline == deadline)
        }
    }

    @Test func everyErrorHasADocumentedCode() {
        let errors: [TuvaliError] = [
            .mtuTooSmall(attMTU: 23), .responseSizeOutOfRange(size: 0), .reportBeforeSize,
            .tooManyMissing(missing: 1, total: 1), .malformedSize(length: 0), .weakWalletKey, .identifiedAgain,
            .secondTransfer, .notAuthentic, .notCompressed, .inflatedTooLarge, .walletFailed, .silence,
            .transferTooLong,
            .noVerdict,
        ]
        #expect(Set(errors.map(\.code)) == Set(TuvaliError.Code.allCases))
        #expect(
            Set(TuvaliError.Code.allCases.map(\.rawValue)) == [
                "TUV_UNK_001", "TVV_CON_001", "TVV_TRA_001", "TVV_TRA_002", "TVV_UNK_001", "TVV_UNK_002", "TVV_UNK_003",
            ])
    }
}
