import Aries
import Courier
import Encoding
import Foundation
import GateService
import Ledger
import Settings
import Simulation
import Store
import TestKit
import Testing

/// Claims of agents about the gate's ledger: only a head that this gate signed counts against the ledger.
@Suite(.timeLimit(.minutes(5)), .tags(.models)) struct HeadClaimTests {
    /// The proof that accompanies a claim, in place of the head that it needs.
    private enum Vouching: CaseIterable {
        /// The gate's own signature over this claim.
        case right
        /// The same signature with one bit changed.
        case wrong
        /// The claim as a head without a signature.
        case unsigned
        /// No head: an agent of an earlier version.
        case absent
        /// The gate's signature over the same position of another ledger.
        case otherLedger
        /// The signature of another gate.
        case otherBox
        /// The newest head that this gate sent, with its valid signature.
        case replayed
        /// The signature of that newest head, attached to the claim.
        case moved
    }

    private enum Outcome { case fine, claimed, behind }

    private func heard(_ notices: [AgentNotice]) -> Outcome {
        if notices.contains(where: { if case .behind = $0 { true } else { false } }) { return .behind }
        return notices.contains { if case .claimed = $0 { true } else { false } } ? .claimed : .fine
    }

    /// Every position × hash × signature. No claim changes the ledger or its delivery.
    @Test func everyClaimWithEverySignature() async throws {
        let box = try await ClaimingBox()
        let store = try await box.open()
        try await BackupBox.record(10, store)
        try await box.deliver(store, to: box.primary)
        let key = try #require(try box.box.configuration.ledger.witness([:]).key())
        let other = try #require(WitnessKey([UInt8](repeating: 7, count: 32)))
        let ledger = await store.head.ledger
        let ours = try #require(await box.primary.exchange.keeper?.heads[ledger])
        #expect(ours.signature?.count == ReportPoint.signatureBytes)
        var tried = 0
        for offset in [-1000, -3, 0, 1, 1000] {
            for isRight in [true, false] {
                for vouching in Vouching.allCases {
                    // The delivery waits for the answer about the head, so this record shows that the answer
                    // was processed.
                    try await BackupBox.record(1, store)
                    let end = await store.head.point
                    let position = offset == 1000 ? ReportPoint.positionLimit : max(0, end.count + offset)
                    let kept = try await store.hash(at: position)?.bytes
                    let hash = isRight ? kept ?? [UInt8](repeating: 1, count: 32) : [UInt8](repeating: 2, count: 32)
                    let point = ReportPoint(ledger: ledger, position: position, hash: hash)
                    func signed(_ key: WitnessKey, _ ledger: Text) throws -> [UInt8]? {
                        let chain = ChainPoint(count: position, hash: try #require(ChainHash(hash)), nextSeq: 0)
                        return key.sign(sent: chain, of: ledger)
                    }
                    var head: ReportPoint? = point
                    switch vouching {
                    case .right: head?.signature = try signed(key, ledger)
                    case .wrong:
                        head?.signature = try signed(key, ledger)
                        head?.signature?[40] ^= 1
                    case .unsigned: break
                    case .absent: head = nil
                    case .otherLedger: head?.signature = try signed(key, "another")
                    case .otherBox: head?.signature = try signed(other, ledger)
                    case .replayed: head = ours
                    case .moved: head?.signature = ours.signature
                    }
                    await box.primary.exchange.withAgent { [head] in $0.keeper?.claim = { _, _ in (point, head) } }
                    let isContained = position == 0 || position <= end.count && isRight
                    let expected: Outcome = isContained ? .fine : vouching == .right ? .behind : .claimed
                    let notices = try await box.deliver(store, to: box.primary)
                    #expect(heard(notices) == expected, "\(offset) \(isRight) \(vouching)")
                    tried += 1
                }
            }
        }
        #expect(tried == 80)
        let kept = await box.primary.exchange.keeper?.ledgers[ledger]?.count
        let end = await store.head.point.count
        #expect(kept == end, "all of it is delivered, whatever was said")
        await store.close()
    }

    /// The primary agent makes a false claim at every start while the copy agent is unreachable: nothing is
    /// lost, no new ledger begins, the ledger stays intact, and the primary agent is named.
    @Test(arguments: [true, false]) func aFalseClaimOfThePrimaryAffectsNoCopy(givesOldHeadBack: Bool) async throws {
        let box = try await ClaimingBox()
        var store = try await box.open()
        try await BackupBox.record(3, store)
        for peer in [box.primary, box.copy] { try await box.deliver(store, to: peer) }
        let ledger = await store.head.ledger
        await box.copy.exchange.setUp(false)
        await box.primary.exchange.withAgent { agent in
            agent.keeper?.claim = { last, head in
                (
                    ReportPoint(ledger: last.ledger, position: last.position + 1000, hash: last.hash),
                    head: givesOldHeadBack ? head : nil
                )
            }
        }
        for start in 1...3 {
            try await BackupBox.record(5, store)
            #expect(heard(try await box.deliver(store, to: box.primary)) == .claimed, "start \(start)")
            #expect(try await store.audit().isIntact)
            await store.close()
            store = try await box.open()
            #expect(store.standing == .continued && !store.hasBegunNewLedger)
        }
        await box.copy.exchange.setUp(true)
        try await box.deliver(store, to: box.copy)
        #expect(await store.head.ledger == ledger)
        for peer in [box.primary, box.copy] {
            let outcomes = try await ClaimingBox.outcomes(peer, ledger)
            #expect(outcomes.count == 18 && outcomes.allSatisfy { $0.dropped == 0 })
        }
        let proof = try await store.verify()
        #expect(proof.isIntact, "\(proof.lines)")
        await store.close()
        #expect(!box.box.names.contains { $0.contains(".rewritten-") })
    }

    /// An older state of gate and witness is restored: the agent's head, which this gate signed, shows it,
    /// also over the copy's connection.
    @Test(arguments: [true, false]) func ourOwnHeadShowsALedgerThatWasPutBack(byCopy: Bool) async throws {
        let box = try await ClaimingBox()
        let peer = byCopy ? box.copy : box.primary
        var store = try await box.open()
        try await BackupBox.record(5, store)
        try await box.deliver(store, to: peer)
        await store.close()
        let (state, saved) = (box.box.path("state"), box.box.path("saved"))
        try FileManager.default.copyItem(atPath: state, toPath: saved)
        store = try await box.open()
        try await BackupBox.record(5, store)
        try await box.deliver(store, to: peer)
        let ledger = await store.head.ledger
        await store.close()
        try FileManager.default.removeItem(atPath: state)
        try FileManager.default.moveItem(atPath: saved, toPath: state)
        store = try await box.open()
        #expect(store.standing == .continued, "nothing here knows of it")
        try await BackupBox.record(1, store)
        #expect(heard(try await box.deliver(store, to: peer)) == .behind)
        await store.close()
        store = try await box.open()
        guard case .rewritten = store.standing else {
            Issue.record("\(String(describing: store.standing))")
            return
        }
        // The same head is no evidence against the new ledger, at this start and the next.
        for _ in 0..<2 {
            try await BackupBox.record(2, store)
            #expect(heard(try await box.deliver(store, to: peer)) == .fine)
            await store.close()
            store = try await box.open()
            #expect(store.standing == .continued)
        }
        #expect(await store.head.ledger != ledger)
        await store.close()
    }

    /// A keeper of an earlier version returns no head. Its receipts confirm entries, and a claim beyond the
    /// end is a fault of that keeper only.
    @Test func anAgentOfBeforeGoesOn() async throws {
        let box = try await ClaimingBox()
        let store = try await box.open()
        await box.primary.exchange.withAgent { $0.keeper?.givesHeadsBack = false }
        try await BackupBox.record(5, store)
        #expect(heard(try await box.deliver(store, to: box.primary)) == .fine)
        await box.primary.exchange.withAgent { $0.keeper?.lead = 3 }
        try await BackupBox.record(5, store)
        #expect(heard(try await box.deliver(store, to: box.primary)) == .claimed)
        #expect(await store.deliveries[DeliveryCursor.primary]?.receipt?.count == 20)
        #expect(try await store.audit().isIntact)
        await store.close()
    }
}
