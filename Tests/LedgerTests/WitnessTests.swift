import Encoding
import Testing

@testable import Ledger

/// Seal, statement and standing of the ledger as values.
@Suite struct WitnessTests {
    private let key = WitnessKey([UInt8](repeating: 7, count: 32))

    private func state(_ change: (inout LedgerState) -> Void = { _ in }) -> LedgerState {
        let genesis = ChainPoint.genesis(ledger: "l")
        var state = LedgerState(
            ledger: "l", revision: 5, end: ChainPoint(count: 3, hash: genesis.hash, nextSeq: 3), start: genesis,
            dropped: 0, clock: Timestamp(seconds: 9), siteKey: [1, 2], open: LedgerState.digest(ofOpen: []))
        change(&state)
        return state
    }

    /// Every field of a state is covered by its seal, its digest and its statement.
    @Test func everyFieldIsSealed() throws {
        let key = try #require(key)
        var sum = RowSum()
        sum += key.code(ofRow: [[1], [2, 3]])
        let changes: [(inout LedgerState) -> Void] = [
            { $0.ledger = "m" }, { $0.revision = 6 }, { $0.end.count = 4 }, { $0.end.hash = .genesis(ledger: "m") },
            { $0.end.nextSeq = 4 }, { $0.start.count = 1 }, { $0.start.hash = .genesis(ledger: "m") },
            { $0.start.nextSeq = 2 }, { $0.dropped = 1 }, { $0.clock = nil }, { $0.clock = Timestamp(seconds: 10) },
            { $0.siteKey = nil }, { $0.siteKey = [1, 3] }, { $0.open = [0] },
        ]
        let seal = key.seal(state(), sum, nonce: [UInt8](repeating: 1, count: WitnessKey.nonceBytes))
        #expect(key.open(seal, of: state()) == sum)
        for (number, change) in changes.enumerated() {
            #expect(key.open(seal, of: state(change)) == nil, "change \(number)")
            #expect(key.digest(of: state(change), sum) != key.digest(of: state(), sum))
            #expect(state(change).bytes != state().bytes)
        }
        for place in seal.indices {
            var edited = seal
            edited[place] ^= 1
            #expect(key.open(edited, of: state()) == nil)
        }
        let other = try #require(WitnessKey([UInt8](repeating: 8, count: 32)))
        #expect(other.open(seal, of: state()) == nil && other.publicKey != key.publicKey)
        #expect(WitnessKey([1]) == nil)
    }

    @Test func rowsAddUpInAnyOrderAndAreDistinguished() throws {
        let key = try #require(key)
        let rows = [[[1], [2]], [[1, 2], []], [[], [1, 2]], [[1], [3]]].map { key.code(ofRow: $0) }
        #expect(Set(rows).count == 4)
        var (forward, backward) = (RowSum(), RowSum())
        for row in rows { forward += row }
        for row in rows.reversed() { backward += row }
        #expect(forward == backward && RowSum(forward.bytes) == forward)
    }

    @Test func aStatementReadsBackAndOnlyAsItWasSigned() throws {
        let key = try #require(key)
        for finding in [nil, "entry 3 is missing"] as [Text?] {
            let head = HeadStatement(state: state { $0.clock = nil }, digest: [4], number: 8, finding: finding)
            let signed = try #require(SignedHead(head, by: key))
            #expect(try SignedHead(bytes: signed.bytes) == signed)
            #expect(signed.key == key.publicKey && signed.head == head)
            for place in signed.bytes.indices {
                var edited = signed.bytes
                edited[place] ^= 1
                #expect((try? SignedHead(bytes: edited)) == nil, "byte \(place)")
            }
        }
    }

    @Test func theVerdictOnEachPairOfStates() throws {
        let key = try #require(key)
        func witness(_ isTorn: Bool = false, finding: Text? = nil, _ change: (inout LedgerState) -> Void = { _ in })
            throws -> WitnessReading
        {
            let seen = state(change)
            let head = HeadStatement(state: seen, digest: key.digest(of: seen, RowSum()), number: 1, finding: finding)
            return .read(try #require(SignedHead(head, by: key)), isTorn: isTorn)
        }
        func stored(_ change: (inout LedgerState) -> Void = { _ in }) -> StoredLedger {
            .sealed(state(change), digest: key.digest(of: state(change), RowSum()))
        }
        func judge(_ stored: StoredLedger, _ witness: WitnessReading, keyIsNew: Bool = false) -> String {
            let standing = WitnessComparison.judge(stored, witness, keyIsNew: keyIsNew) { _ in state().end.hash }
            return String("\(standing)".prefix { $0 != "(" })
        }
        #expect(judge(stored(), try witness()) == "continued")
        #expect(judge(stored { $0.revision = 9 }, try witness()) == "continued")
        #expect(judge(stored { $0.revision = 9 }, try witness(true)) == "continued")
        #expect(judge(stored(), try witness(true)) == "rewritten")
        #expect(judge(stored(), try witness(finding: "x")) == "rewritten")
        #expect(judge(stored { $0.revision = 4 }, try witness()) == "rewritten")
        #expect(judge(stored { $0.dropped = 1 }, try witness()) == "rewritten")
        #expect(judge(stored { ($0.revision, $0.ledger) = (9, "m") }, try witness()) == "rewritten")
        #expect(judge(stored { ($0.revision, $0.end.count) = (9, 2) }, try witness()) == "rewritten")
        #expect(judge(stored { $0.revision = 9 }, try witness { $0.end.hash = .genesis(ledger: "x") }) == "rewritten")
        #expect(judge(.broken("x"), try witness()) == "rewritten" && judge(.broken("x"), .absent) == "rewritten")
        #expect(judge(.made, try witness()) == "rewritten" && judge(.made, .unusable("x")) == "rewritten")
        #expect(judge(.made, .absent, keyIsNew: true) == "new" && judge(.made, .absent) == "unwitnessed")
        #expect(judge(stored(), .absent) == "unwitnessed" && judge(stored(), .unusable("x")) == "unwitnessed")
        #expect(judge(.unsealed(state(), isOld: true), .absent, keyIsNew: true) == "adopted")
        #expect(judge(.unsealed(state(), isOld: true), .absent) == "unwitnessed")
        #expect(judge(.unsealed(state(), isOld: false), .absent) == "rewritten")
        #expect(judge(.unsealed(state(), isOld: false), .absent, keyIsNew: true) == "rewritten")
        #expect(judge(.unsealed(state { $0.end.count = 0 }, isOld: false), .absent, keyIsNew: true) == "adopted")
        #expect(judge(.unsealed(state(), isOld: true), try witness()) == "rewritten")
        #expect(judge(.unsealed(state(), isOld: true), .unusable("x")) == "rewritten")
    }

    /// An attacker who can write the database can write this setting. The numbers must leave room for visits.
    @Test func aFoundingWithImpossibleFiguresIsRefused() throws {
        let founding = LedgerOrigin(predecessor: nil, code: "x", finding: "y", nextSeq: 1001, open: [])
        #expect(try LedgerOrigin(bytes: founding.bytes) == founding)
        let text = String(decoding: founding.bytes, as: UTF8.self)
        for figure in ["9223372036854775807", "9007199254740992", "4503599627370497", "-1"] {
            let changed = text.replacing("1001", with: figure)
            #expect(throws: RecordError(member: "nextSeq")) { try LedgerOrigin(bytes: Array(changed.utf8)) }
        }
        var head = LedgerHead(ledger: "l", point: .genesis(ledger: "l"))
        let last = try LedgerOrigin(bytes: Array(text.replacing("1001", with: "4503599627370496").utf8))
        _ = try last.begin(&head, stamp: Samples.stamp(), software: Samples.software)
        #expect(head.point.nextSeq == 4_503_599_627_370_497)
    }
}
