import Encoding
import Testing

@testable import Ledger

@Suite struct ChainTests {
    private func check(_ entries: [LedgerEntry], _ head: LedgerHead, checkpoints: [Checkpoint] = []) -> ChainReport {
        var verifier = ChainVerifier(
            ledger: head.ledger, start: .genesis(ledger: head.ledger), checkpoints: checkpoints)
        for entry in entries { verifier.add(entry) }
        return verifier.finish(end: head.point)
    }

    @Test func hashesAreThoseOfAnotherImplementation() {
        let genesis = ChainHash.genesis(ledger: "abc")
        #expect(genesis.hex == "bd3751d36fef427c9489f1b80b39e8947f7fe9ec08a075fd30aeafa115566f7e")
        #expect(
            genesis.next(position: 1, body: Array("{}".utf8)).hex
                == "7b7b7f583a4c3d1862ed907bab322a52a451515ac0b32de25b3956305947837d")
    }

    @Test func anUntouchedChainIsIntact() throws {
        let (head, entries) = try Samples.chain(visits: 10, lastOpen: true)
        let report = check(entries, head)
        #expect(report.isIntact)
        #expect(report.end == head.point)
        #expect(report.openIntents == [OpenIntent(intent: Samples.visit(10), seq: 10, position: entries.count)])
        #expect(report.results == [.accepted: 5, .rejected: 4])
        #expect(report.opensWithoutIntent == [Samples.visit(3), Samples.visit(9)])
    }

    @Test func numbersAreGapFreeOverIntentsAndOutcomesAlike() throws {
        let (_, entries) = try Samples.chain(visits: 30)
        var reported: [Int] = []
        for entry in entries {
            if case .outcome(let record) = try LedgerRecord(bytes: entry.body) { reported.append(record.seq) }
        }
        #expect(reported == Array(1...30))
    }

    /// Changes every byte of every entry, and removes, doubles and moves every entry. Each change must be found.
    @Test func everySingleEditIsFound() throws {
        let (head, entries) = try Samples.chain(visits: 4)
        #expect(check(entries, head).isIntact)
        var (edits, missed) = (0, 0)
        func expectFound(_ edited: [LedgerEntry]) {
            edits += 1
            if check(edited, head).isIntact { missed += 1 }
        }
        for index in entries.indices {
            let entry = entries[index]
            for byte in entry.body.indices {
                var edited = entries
                edited[index].body[byte] ^= byte.isMultiple(of: 2) ? 0x01 : 0x20
                expectFound(edited)
            }
            for byte in 0..<ChainHash.byteCount {
                var hash = entry.hash.bytes
                hash[byte] ^= 1
                var edited = entries
                edited[index].hash = try #require(ChainHash(hash))
                expectFound(edited)
            }
            for position in [entry.position - 1, entry.position + 1, 0, -1, .max, .min] {
                var edited = entries
                edited[index].position = position
                expectFound(edited)
            }
            var removed = entries
            removed.remove(at: index)
            expectFound(removed)
            for place in entries.indices {
                var doubled = entries
                doubled.insert(entry, at: place)
                expectFound(doubled)
                guard place != index else { continue }
                var moved = entries
                moved.swapAt(index, place)
                expectFound(moved)
            }
        }
        print("ledger: \(edits) single-record edits, \(missed) missed")
        #expect(edits > 2000)
        #expect(missed == 0)
    }

    /// An attacker who can also write hashes recomputes all hashes after the edit. The stored end or a checkpoint still
    /// reveals the edit.
    @Test func aRebuiltTailDoesNotReachTheEnd() throws {
        let (head, entries) = try Samples.chain(visits: 6)
        let (witness, _) = try Samples.chain(visits: 4)
        let checkpoint = Checkpoint(ledger: head.ledger, count: witness.point.count, hash: witness.point.hash)
        #expect(check(entries, head, checkpoints: [checkpoint]).checkpointsMet == 1)
        for index in entries.indices {
            var forged = entries
            forged[index].body = Array(
                String(decoding: forged[index].body, as: UTF8.self).replacing("gate-1", with: "gate-2").utf8)
            var hash = index == 0 ? ChainHash.genesis(ledger: head.ledger) : forged[index - 1].hash
            for later in index..<forged.count {
                hash = hash.next(position: forged[later].position, body: forged[later].body)
                forged[later].hash = hash
            }
            let report = check(forged, head, checkpoints: [checkpoint])
            #expect(report.findings.contains(.wrongEnd(expected: entries.count, found: entries.count)))
            let inCheckpoint = index < witness.point.count
            #expect(report.findings.contains(.checkpoint(count: witness.point.count)) == inCheckpoint)
        }
    }

    @Test func aCutTailIsFoundByACheckpointEvenWhenTheEndWasRewritten() throws {
        let (head, _) = try Samples.chain(visits: 6)
        let (shorter, kept) = try Samples.chain(visits: 4)
        let checkpoint = Checkpoint(ledger: head.ledger, count: head.point.count, hash: head.point.hash)
        #expect(check(kept, shorter).isIntact)
        #expect(check(kept, shorter, checkpoints: [checkpoint]).findings == [.checkpoint(count: head.point.count)])
    }

    @Test func oneDamageIsOneFinding() throws {
        let (head, entries) = try Samples.chain(visits: 8)
        var edited = entries
        edited[4].body = Array(String(decoding: edited[4].body, as: UTF8.self).replacing("gate-1", with: "gate-2").utf8)
        #expect(check(edited, head).findings == [.altered(5)])
        edited = entries
        edited[4].hash = ChainHash.genesis(ledger: "x")
        #expect(check(edited, head).findings == [.altered(5)])
        #expect(
            check(Array(entries.dropLast(2)), head).findings == [
                .wrongEnd(expected: entries.count, found: entries.count - 2)
            ])
    }

    @Test func theRestIsProvableAfterEviction() throws {
        let (head, entries) = try Samples.chain(visits: 12)
        for kept in 1..<entries.count {
            let last = entries[kept - 1]
            let seq = try entries.prefix(kept).map { try LedgerRecord(bytes: $0.body).seq }.max() ?? 0
            let start = ChainPoint(count: last.position, hash: last.hash, nextSeq: seq + 1)
            let old = Checkpoint(ledger: head.ledger, count: 0, hash: .genesis(ledger: head.ledger))
            var verifier = ChainVerifier(ledger: head.ledger, start: start, checkpoints: [old])
            for entry in entries.dropFirst(kept) { verifier.add(entry) }
            let report = verifier.finish(end: head.point)
            #expect(report.isIntact, "\(report.findings)")
            #expect(report.checkpointsEvicted == 1)
        }
    }

    @Test func aCheckpointHasOneTextForm() throws {
        let (head, entries) = try Samples.chain(visits: 3)
        let checkpoint = try #require(Checkpoint(Text("\(head.point.count):\(head.point.hash.hex)")))
        #expect(check(entries, head, checkpoints: [checkpoint]).checkpointsMet == 1)
        #expect(Checkpoint(checkpoint.text) == checkpoint)
        for text in ["", ":", "1", "1:", ":00", "-1:\(head.point.hash.hex)", "1:\(head.point.hash.hex)0", "1:2:3"] {
            #expect(Checkpoint(Text(text)) == nil, "\(text)")
        }
        let other = Checkpoint(ledger: "other", count: head.point.count, hash: head.point.hash)
        #expect(check(entries, head, checkpoints: [other]).findings == [.otherLedger("other")])
    }

    @Test func theHeadRefusesImpossibleEntries() throws {
        var limits = LedgerLimits()
        limits.openVisits = 2
        var head = LedgerHead(ledger: "l", point: .genesis(ledger: "l"), limits: limits)
        _ = try head.appendIntent("a", stamp: Samples.stamp())
        let before = head
        #expect(throws: LedgerError.visitOpen) { try head.appendIntent("a", stamp: Samples.stamp()) }
        #expect(throws: LedgerError.invalidVisit) { try head.appendIntent("", stamp: Samples.stamp()) }
        #expect(head == before)
        _ = try head.appendIntent("b", stamp: Samples.stamp())
        #expect(throws: LedgerError.tooManyOpen) { try head.appendIntent("c", stamp: Samples.stamp()) }
    }

    @Test func recoveryClosesEachOpenIntentOnce() throws {
        var (head, entries) = try Samples.chain(visits: 5, lastOpen: true)
        entries.append(try head.appendIntent(Samples.visit(6), stamp: Samples.stamp()))
        let closed = try Recovery.close(&head, stamp: Samples.stamp(9), software: Samples.software)
        #expect(closed.map(\.record.seq) == [5, 6])
        #expect(closed.allSatisfy { $0.record.outcome.result == .interrupted && $0.record.outcome.gate == nil })
        #expect(try Recovery.close(&head, stamp: Samples.stamp(9), software: Samples.software).isEmpty)
        let report = check(entries + closed.map(\.entry), head)
        #expect(report.isIntact && report.openIntents.isEmpty)
    }

    /// An intent has its own id: the outcome names its position.
    @Test func anIntentServesTheVisitThatNamesIt() throws {
        var head = LedgerHead(ledger: "l", point: .genesis(ledger: "l"))
        var entries = [try head.appendIntent("intent-1", stamp: Samples.stamp())]
        entries.append(try head.appendIntent("intent-2", stamp: Samples.stamp()))
        let (second, record) = try head.appendOutcome(
            "visit-b", of: "intent-2", Samples.accepted, stamp: Samples.stamp())
        #expect(record.seq == 2 && record.intent == 2 && record.visit == "visit-b")
        entries.append(second)
        entries.append(
            try head.appendOutcome("visit-a", of: "intent-1", Samples.rejected, stamp: Samples.stamp()).entry)
        let report = check(entries, head)
        #expect(report.isIntact && report.openIntents.isEmpty && report.opensWithoutIntent.isEmpty)
        // Two outcomes of one intent, and an outcome under the id of an open intent.
        var forged = LedgerHead(ledger: "l", point: .genesis(ledger: "l"))
        var chain = [try forged.appendIntent("intent-1", stamp: Samples.stamp())]
        chain.append(try forged.appendOutcome("intent-1", of: "nobody", Samples.accepted, stamp: Samples.stamp()).entry)
        #expect(check(chain, forged).findings == [.wrongNumber(2, seq: 2)])
    }

    @Test func recoveryClosesWithWhatWasDecided() throws {
        var head = LedgerHead(ledger: "l", point: .genesis(ledger: "l"))
        for number in 1...3 { _ = try head.appendIntent("intent-\(number)", stamp: Samples.stamp()) }
        func decided(_ number: Int, _ outcome: Outcome = Samples.accepted) -> UnwrittenOutcome {
            UnwrittenOutcome(
                visit: "visit-\(number)", intent: "intent-\(number)", outcome: outcome, stamp: Samples.stamp(7))
        }
        #expect(head.decide(decided(3))?.slot == 1 && head.decide(decided(1))?.slot == 2)
        #expect(head.decide(decided(3))?.slot == 1 && head.decide(decided(9)) == nil)
        let closed = try Recovery.close(&head, stamp: Samples.stamp(9), software: Samples.software)
        #expect(closed.map(\.record.visit) == ["visit-1", "intent-2", "visit-3"])
        #expect(closed.map(\.record.outcome.result) == [.accepted, .interrupted, .accepted])
        #expect(closed.map(\.record.intent) == [1, 2, 3] && closed.map(\.record.seq) == [1, 2, 3])
        var expected = Samples.accepted
        expected.reasons = [Outcome.Reason("interrupted")]
        #expect(closed[0].record.outcome == expected && closed[0].record.stamp == Samples.stamp(7))
        #expect(closed[1].record.outcome.gate == nil && closed[1].record.stamp == Samples.stamp(9))
        // This reason is not cut off, however many reasons a record has.
        var many = Samples.accepted
        many.reasons = (0..<40).map { Outcome.Reason("reason-\($0)") }
        _ = try head.appendIntent("intent-4", stamp: Samples.stamp())
        _ = head.decide(decided(4, many))
        let last = try Recovery.close(&head, stamp: Samples.stamp(9), software: Samples.software)
        #expect(last.first?.record.outcome.reasons.map(\.code).prefix(3) == ["reason-0", "interrupted", "reason-1"])
    }

    @Test func theSavedClockRisesAndIsHealedOnlyByAGoodOne() {
        let (early, late) = (Timestamp(seconds: 100), Timestamp(seconds: 200))
        #expect(SavedClock.merge(kept: nil, heard: WallTime(utc: early, provenance: .unset)) == nil)
        #expect(SavedClock.merge(kept: early, heard: WallTime(utc: late, provenance: .rtc)) == late)
        #expect(SavedClock.merge(kept: late, heard: WallTime(utc: early, provenance: .saved)) == late)
        #expect(SavedClock.merge(kept: late, heard: WallTime(utc: early, provenance: .synchronised)) == early)
        // Such a wall time does not state which of its two dates is right.
        for doubted in [
            WallTime(utc: early, provenance: .synchronised, alternative: late),
            WallTime(utc: early, provenance: .synchronised, lastConfirmed: late),
        ] { #expect(SavedClock.merge(kept: late, heard: doubted) == late) }
        // The clock of a machine that was off is slow, so the later date is the bound.
        let later = WallTime(utc: late, provenance: .synchronised, lastConfirmed: early)
        #expect(SavedClock.merge(kept: early, heard: later) == late)
    }
}
