import Encoding
import Testing

@testable import Ledger

/// The queue's choice of the next write, as tables of events.
@Suite struct KeeperQueueTests {
    private static let start = Instant(nanoseconds: 1_000_000_000)

    private func at(_ seconds: Double) -> Instant { Self.start.advanced(by: .milliseconds(Int(seconds * 1000))) }

    private func queue(reserved: Int = 0, _ change: (inout KeeperQueue.Limits) -> Void = { _ in }) -> KeeperQueue {
        var limits = KeeperQueue.Limits()
        change(&limits)
        return KeeperQueue(limits: limits, reserved: reserved)
    }

    private func intent(_ number: Int) -> UnwrittenIntent {
        UnwrittenIntent(intent: Samples.visit(number), stamp: Samples.stamp())
    }

    private func outcome(_ number: Int, _ outcome: Outcome) -> UnwrittenOutcome {
        UnwrittenOutcome(visit: Samples.visit(number), outcome: outcome, stamp: Samples.stamp())
    }

    /// Returns a short form of a step. `i2 i1 o1` writes two intents and an outcome, `r o3` writes an outcome into the
    /// reserve, and `w+` also restores the reserve.
    private func text(_ step: KeeperQueue.Step?) -> String {
        func numbers(_ letter: String, _ visits: [Text]) -> [String] {
            visits.map { letter + String(Int($0.string.suffix(4)) ?? -1) }
        }
        switch step {
        case .write(let intents, let decisions, let outcomes, let restoring):
            let parts =
                numbers("i", intents.map(\.intent)) + numbers("d", decisions.map(\.decided.visit))
                + numbers("o", outcomes.map(\.visit))
            return ((restoring ? ["w+"] : ["w"]) + parts).joined(separator: " ")
        case .reserve(let outcomes): return (["r"] + numbers("o", outcomes.map(\.visit))).joined(separator: " ")
        case .end: return "end"
        case nil: return "-"
        }
    }

    private func add(_ queue: inout KeeperQueue, opened: [Int] = [], rejected: [Int] = [], at seconds: Double = 0) {
        for number in rejected { _ = queue.handle(.outcome(outcome(number, Samples.rejected)), at: at(seconds)) }
        for number in opened { _ = queue.handle(.outcome(outcome(number, Samples.accepted)), at: at(seconds)) }
    }

    @Test func intentsComeFirstTheNewestBeforeTheOthersAndOpenedGatesBeforeRefusals() {
        var queue = queue { $0.batch = 3 }
        add(&queue, opened: [4], rejected: [1, 2, 3])
        #expect(queue.handle(.intent(intent(5)), at: at(0)) == [] && queue.handle(.intent(intent(6)), at: at(0)) == [])
        #expect(text(queue.next(at: at(0))) == "w i6 i5 o4 o1 o2")
        #expect(text(queue.next(at: at(0))) == "-", "one step at a time")
        _ = queue.handle(.intent(intent(7)), at: at(0))
        #expect(queue.handle(.written(refused: []), at: at(0)) == [])
        #expect(text(queue.next(at: at(0))) == "w i7 o3", "an intent waits for what is under way and for nothing else")
        _ = queue.handle(.written(refused: []), at: at(0))
        #expect(text(queue.next(at: at(0))) == "-" && queue.deadline == nil && queue.unwritten == 0 && queue.lost == 0)
    }

    @Test func refusedRecordsGoToTheReserveAndIntentsAreStillTried() {
        var queue = queue()
        add(&queue, opened: [1])
        #expect(text(queue.next(at: at(0))) == "w o1")
        _ = queue.handle(.writeFailed, at: at(0))
        #expect(queue.unwritten == 1)
        #expect(text(queue.next(at: at(0))) == "r o1")
        _ = queue.handle(.reserved, at: at(0))
        #expect(queue.reserved == 1 && queue.unwritten == 1)
        add(&queue, rejected: [2], at: 0.1)
        _ = queue.handle(.intent(intent(3)), at: at(0.1))
        #expect(text(queue.next(at: at(0.1))) == "w i3", "alone: nothing else may hold it up")
        _ = queue.handle(.writeFailed, at: at(0.1))
        #expect(text(queue.next(at: at(0.1))) == "r o2")
        _ = queue.handle(.reserved, at: at(0.1))
        #expect(text(queue.next(at: at(0.2))) == "-" && queue.deadline == at(1.1))
        // The disk works again. The reserve is written before later records, together with a new intent.
        add(&queue, opened: [4], at: 1.1)
        _ = queue.handle(.intent(intent(5)), at: at(1.1))
        #expect(text(queue.next(at: at(1.1))) == "w+ i5")
        _ = queue.handle(.written(refused: []), at: at(1.2))
        _ = queue.handle(.restored(left: 1, refused: 0), at: at(1.2))
        #expect(queue.unwritten == 2)
        #expect(text(queue.next(at: at(1.2))) == "w+")
        _ = queue.handle(.written(refused: []), at: at(1.2))
        _ = queue.handle(.restored(left: 0, refused: 0), at: at(1.2))
        #expect(text(queue.next(at: at(1.2))) == "w o4" && queue.unwritten == 0)
    }

    @Test func anIntentThatIsTakenShowsThatTheDiskWorksAgain() {
        var queue = queue()
        add(&queue, opened: [1])
        _ = queue.next(at: at(0))
        _ = queue.handle(.writeFailed, at: at(0))
        _ = queue.next(at: at(0))
        _ = queue.handle(.reserved, at: at(0))
        _ = queue.handle(.intent(intent(2)), at: at(0.2))
        #expect(text(queue.next(at: at(0.2))) == "w i2")
        _ = queue.handle(.written(refused: []), at: at(0.2))
        #expect(text(queue.next(at: at(0.2))) == "w+")
    }

    @Test func recordsNotStoredStayInBoundedMemoryAndAreThenCountedAsLost() {
        var queue = queue { ($0.opened, $0.ordinary) = (3, 2) }
        add(&queue, opened: [1])
        _ = queue.next(at: at(0))
        _ = queue.handle(.writeFailed, at: at(0))
        _ = queue.next(at: at(0))
        _ = queue.handle(.reserveFailed, at: at(0))
        #expect(text(queue.next(at: at(0))) == "-" && queue.deadline == at(1))
        add(&queue, opened: [2, 3, 4], rejected: [5, 6, 7], at: 0.5)
        #expect(queue.lost == 2 && queue.unwritten == 5)
        #expect(
            text(queue.next(at: at(1))) == "w o2 o3 o4 o6 o7", "the oldest went first, refusals not for opened gates")
        _ = queue.handle(.writeFailed, at: at(1))
        #expect(text(queue.next(at: at(1))) == "r o2 o3 o4 o6 o7", "the reserve's pause is over too")
    }

    @Test func aDiskThatDoesNotAnswerDelaysNoVisitAndWaitingRecordsAreCounted() {
        var queue = queue()
        add(&queue, opened: [1])
        #expect(text(queue.next(at: at(0))) == "w o1" && queue.deadline == at(10))
        add(&queue, rejected: [2], at: 1)
        #expect(queue.handle(.intent(intent(3)), at: at(1)) == [], "it may answer yet")
        #expect(text(queue.next(at: at(9.9))) == "-" && queue.unwritten == 0 && queue.inMemory == 2)
        #expect(text(queue.next(at: at(10))) == "-" && queue.isStalled && queue.unwritten == 2 && queue.deadline == nil)
        #expect(queue.handle(.intent(intent(4)), at: at(11)) == [Samples.visit(4)], "answered at once")
        _ = queue.handle(.finish, at: at(12))
        #expect(text(queue.next(at: at(12))) == "-" && queue.inMemory == 2 && queue.lost == 0)
        _ = queue.handle(.written(refused: []), at: at(13))
        #expect(!queue.isStalled && queue.unwritten == 0)
        #expect(text(queue.next(at: at(13))) == "w i3 o2")
    }

    @Test func decisionsAreWrittenAtOnceAndKeptWhileTheDiskRefuses() {
        func decision(_ number: Int) -> KeeperQueue.Event {
            .decision(UnwrittenDecision(outcome(number, Samples.accepted), names: []))
        }
        var queue = queue { $0.decisions = 2 }
        add(&queue, rejected: [1])
        _ = queue.handle(decision(2), at: at(0))
        #expect(text(queue.next(at: at(0))) == "w d2 o1", "before the outcomes")
        _ = queue.handle(decision(3), at: at(0))
        #expect(text(queue.next(at: at(0))) == "-" && queue.unwritten == 0)
        _ = queue.handle(.written(refused: []), at: at(0))
        #expect(text(queue.next(at: at(0))) == "w d3", "nothing else is waited for")
        _ = queue.handle(.writeFailed, at: at(0))
        #expect(queue.unwritten == 1 && queue.inMemory == 0, "told at once")
        #expect(text(queue.next(at: at(0.5))) == "-" && queue.deadline == at(1))
        // The outcome of the visit, which contains more than the decision, is written into the reserve.
        add(&queue, opened: [3], at: 0.6)
        #expect(text(queue.next(at: at(0.6))) == "r o3" && queue.unwritten == 1)
        _ = queue.handle(.reserved, at: at(0.6))
        for number in 4...5 { _ = queue.handle(decision(number), at: at(0.7)) }
        _ = queue.handle(.intent(intent(6)), at: at(0.7))
        #expect(text(queue.next(at: at(0.7))) == "w i6", "an intent is tried alone")
        _ = queue.handle(.writeFailed, at: at(0.7))
        #expect(text(queue.next(at: at(1.7))) == "w+ d4 d5", "the newest")
        _ = queue.handle(.writeFailed, at: at(1.7))
        _ = queue.handle(.finish, at: at(1.7))
        #expect(text(queue.next(at: at(1.7))) == "w+ d4 d5", "one more chance")
        _ = queue.handle(.writeFailed, at: at(1.7))
        #expect(text(queue.next(at: at(1.7))) == "end" && queue.lost == 0)
    }

    @Test func phonesThatBroughtNothingGiveWayFirst() {
        let junk = Outcome(
            .failed, reasons: [Outcome.Reason("transfer.silence")], gate: .shut, software: Samples.software)
        var queue = queue { $0.ordinary = 3 }
        add(&queue, rejected: [1])
        _ = queue.handle(.outcome(outcome(2, junk)), at: at(0))
        add(&queue, rejected: [3, 4])
        #expect(queue.lost == 1 && text(queue.next(at: at(0))) == "w o1 o3 o4")
    }

    @Test func theEndMakesOneAttemptOfEachKindAndCountsTheRest() {
        for (disk, reserve, steps, lost, reserved) in [
            (true, true, ["w o1 o2", "end"], 0, 0), (false, true, ["w o1 o2", "r o1 o2", "end"], 0, 2),
            (false, false, ["w o1 o2", "r o1 o2", "end"], 2, 0),
        ] {
            var queue = queue()
            add(&queue, opened: [1], rejected: [2])
            _ = queue.handle(.finish, at: at(0))
            var seen: [String] = []
            while let step = queue.next(at: at(0)) {
                seen.append(text(step))
                switch step {
                case .write: _ = queue.handle(disk ? .written(refused: []) : .writeFailed, at: at(0))
                case .reserve: _ = queue.handle(reserve ? .reserved : .reserveFailed, at: at(0))
                case .end: break
                }
                if seen.count > 9 { break }
            }
            #expect(seen == steps && queue.lost == lost && queue.reserved == reserved)
            #expect(queue.handle(.intent(intent(3)), at: at(1)) == [Samples.visit(3)], "nobody writes it any more")
            add(&queue, opened: [4], at: 1)
            #expect(queue.lost == lost + 1)
        }
    }

    @Test func theReserveOfAnEarlierRunIsWrittenFirst() {
        var queue = queue(reserved: 40)
        #expect(queue.unwritten == 40 && text(queue.next(at: at(0))) == "w+")
        _ = queue.handle(.written(refused: []), at: at(0))
        _ = queue.handle(.restored(left: 8, refused: 3), at: at(0))
        #expect(queue.lost == 3)
        // A reserve that cannot be read delays nothing.
        #expect(text(queue.next(at: at(0))) == "w+")
        _ = queue.handle(.written(refused: []), at: at(0))
        _ = queue.handle(.restoreFailed, at: at(0))
        add(&queue, opened: [1])
        #expect(text(queue.next(at: at(0))) == "w o1")
        _ = queue.handle(.written(refused: []), at: at(0))
        #expect(text(queue.next(at: at(0))) == "-" && queue.deadline == at(1))
        #expect(text(queue.next(at: at(1))) == "w+")
    }

    @Test func oneThatTheRulesRefuseIsCountedAndHoldsUpNothing() {
        var queue = queue()
        add(&queue, opened: [1, 2])
        _ = queue.next(at: at(0))
        _ = queue.handle(.written(refused: [Samples.visit(1)]), at: at(0))
        #expect(queue.lost == 1 && text(queue.next(at: at(0))) == "-")
    }

    @Test func tooManyIntentsCostTheOldestAndAnEndedVisitNeedsNone() {
        var queue = queue { $0.intents = 2 }
        #expect(queue.handle(.intent(intent(1)), at: at(0)) == [] && queue.handle(.intent(intent(2)), at: at(0)) == [])
        #expect(queue.handle(.intent(intent(3)), at: at(0)) == [Samples.visit(1)])
        #expect(queue.handle(.outcome(outcome(2, Samples.rejected)), at: at(0)) == [Samples.visit(2)])
        #expect(text(queue.next(at: at(0))) == "w i3 o2")
    }

    @Test func anyOrderOfEventsLosesNothingUncounted() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<300 {
            var queue = queue {
                ($0.opened, $0.ordinary, $0.batch) = (4, 3, 2)
            }
            var (given, written, inReserve, time, intents) = (0, 0, 0, 0.0, Set<Text>())
            var hasFinished = false
            var isOver = false
            for turn in 0..<400 where !isOver {
                time += Double.random(in: 0...0.4, using: &random)
                if turn == 300 {
                    hasFinished = true
                    _ = queue.handle(.finish, at: at(time))
                }
                if !hasFinished, Bool.random(using: &random) {
                    given += 1
                    let kind = Int.random(in: 0...2, using: &random)
                    let code: Text = ["transfer.silence", "transfer.crc"][given % 2]
                    let junk = Outcome(
                        .failed, reasons: [Outcome.Reason(code)], gate: .shut, software: Samples.software)
                    _ = queue.handle(
                        .outcome(outcome(given, [Samples.accepted, Samples.rejected, junk][kind])), at: at(time))
                } else if !hasFinished, Bool.random(using: &random) {
                    intents.insert(Samples.visit(5000 + turn))
                    for intent in queue.handle(.intent(intent(5000 + turn)), at: at(time)) { intents.remove(intent) }
                }
                let works = Bool.random(using: &random)
                switch queue.next(at: at(time)) {
                case .write(let now, _, let outcomes, let restoring):
                    intents.subtract(now.map(\.intent))
                    guard works else {
                        _ = queue.handle(.writeFailed, at: at(time))
                        continue
                    }
                    written += outcomes.reduce(0) { $0 + $1.visits }
                    _ = queue.handle(.written(refused: []), at: at(time))
                    guard restoring else { continue }
                    written += inReserve
                    inReserve = 0
                    _ = queue.handle(.restored(left: 0, refused: 0), at: at(time))
                case .reserve(let outcomes):
                    if works { inReserve += outcomes.reduce(0) { $0 + $1.visits } }
                    _ = queue.handle(works ? .reserved : .reserveFailed, at: at(time))
                case .end: isOver = true
                case nil:
                    if let deadline = queue.deadline {
                        #expect(deadline > at(time), "a deadline that has come has a step")
                    }
                }
            }
            #expect(isOver && intents.isEmpty)
            #expect(written + inReserve + queue.lost == given)
        }
    }
}

@Suite struct ReserveLogTests {
    private let seed = [UInt8](repeating: 7, count: ReserveLog.seedBytes)

    private func file(_ bodies: [[UInt8]]) -> (log: ReserveLog, bytes: [UInt8]) {
        var log = ReserveLog(seed: seed)
        let records = bodies.flatMap { log.append($0) }
        return (log, seed + records)
    }

    @Test func recordsAreReadAsWritten() throws {
        let named = UnwrittenOutcome(
            visit: Samples.visit(1), outcome: Samples.accepted, stamp: Samples.stamp(), signedDigests: [[1, 2]]
        ).named(under: try #require(SiteKey([UInt8](repeating: 1, count: 32))))
        #expect(named.signedDigests.isEmpty && named.outcome.credential?.name?.utf8.count == 64)
        let (log, bytes) = file([named.bytes(), [1], [2, 3]])
        let read = ReserveLog.read(bytes + [UInt8](repeating: 0, count: 100))
        #expect(read.log == log && read.bodies == [named.bytes(), [1], [2, 3]])
        let back = try #require(UnwrittenOutcome(bytes: read.bodies[0]))
        #expect(back.visit == named.visit && back.outcome == named.outcome && back.intent == named.visit)
        var withIntent = named
        withIntent.intent = "11111111-0000-4000-8000-000000000001"
        #expect(UnwrittenOutcome(bytes: withIntent.bytes())?.intent == withIntent.intent)
        #expect(UnwrittenOutcome(bytes: [1]) == nil)
    }

    @Test func aTornOrChangedRecordEndsIt() {
        let bodies: [[UInt8]] = [[1, 2, 3], [4, 5, 6, 7], [8]]
        let bytes = file(bodies).bytes
        for count in 0...bytes.count {
            let read = ReserveLog.read(Array(bytes.prefix(count))).bodies
            #expect(read == Array(bodies.prefix(read.count)))
            #expect(count < bytes.count || read.count == 3)
        }
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 0x20
            let read = ReserveLog.read(changed).bodies
            #expect(read.count < 3 && read == Array(bodies.prefix(read.count)), "byte \(index)")
        }
    }

    @Test func remainsOfAnEarlierUseAreNoRecord() {
        let old = file([[1, 1, 1], [2, 2, 2], [3, 3, 3]]).bytes
        var log = ReserveLog(seed: [UInt8](repeating: 9, count: ReserveLog.seedBytes))
        var bytes = [UInt8](repeating: 9, count: ReserveLog.seedBytes) + log.append([4, 4, 4])
        bytes += old.dropFirst(bytes.count)
        #expect(ReserveLog.read(bytes).bodies == [[4, 4, 4]])
    }
}
