import Clocks
import Credentials
import Encoding
import Glibc
import Kiosk
import Ledger
import LinuxIO
import Simulation
import Synchronization
import TestKit
import Testing
import Tuvali
import Workbench

@testable import GateService

/// The record contains what the relay's line did, not what was ordered. The state of the credential follows
/// the same result.
@Suite(.timeLimit(.minutes(5)), .tags(.realTime)) struct OpeningsTests {
    private let line = TestLines()
    private let watch = OpeningWatch()

    private func panel() throws -> LinePanel {
        LinePanel(
            [:], lamps: nil,
            relay: try Relay(WatchedBank(line.bank(), watch, clock: .system), line: "gate") { _ in }, watch: watch)
    }

    /// Plays one accepted visitor; returns the record of the gate, the notes, and the use of the credential.
    private func visit(
        _ panel: any Panel
    ) async throws -> (entries: [ListLedger.Entry], notes: [String], uses: [CredentialUse]) {
        let visitor = try await OneVisitor(panel)
        try await visitor.isRecorded()
        await visitor.end()
        _ = await visitor.seen.waits { $0.notes.last == "stopped" }
        return (visitor.ledger.entries, visitor.seen.state.notes, visitor.ledger.settled)
    }

    @Test func thePulseIsThatOfTheLine() async throws {
        let panel = try panel()
        let (entries, notes, uses) = try await visit(panel)
        #expect(panel.end(within: .seconds(30)))
        let gate = try #require(entries.first?.gate)
        let spans = line.spans("gate")
        try #require(entries.map(\.result) == [.accepted] && spans.count == 1)
        // From before the call that energised the line until after the call that released it: not shorter
        // than the line saw.
        #expect(gate.opened && gate.pulseMilliseconds >= Int(spans[0].length.milliseconds) - 1)
        #expect(notes.count { $0 == "gate" } == 2 && uses == [.ordered, .used])
    }

    @Test("an ordered pulse whose line failed is not recorded as an opening, and costs no credential")
    func aBrokenLine() async throws {
        line.breaks()
        let panel = try panel()
        let (entries, notes, uses) = try await visit(panel)
        #expect(panel.end(within: .seconds(30)))
        #expect(entries.map(\.result) == [.accepted] && entries.first?.gate == .shut)
        #expect(!line.wasActive("gate") && notes.contains("verdict") && uses == [.ordered, .released])
    }

    @Test("what a stalled line does is unknown: it is recorded as ordered, and the credential is used")
    func aLineThatStalls() async throws {
        line.hangs(true)
        let panel = try panel()
        let visitor = try await OneVisitor(panel)
        #expect(await visitor.seen.waits { $0.notes.count { $0 == "gate" } == 2 })
        #expect(visitor.ledger.settled.first == .ordered)
        try await visitor.isRecorded()
        await visitor.end()
        line.hangs(false)
        #expect(panel.end(within: .seconds(30)))
        let entries = visitor.ledger.entries
        #expect(entries.map(\.result) == [.accepted] && entries.first?.gate == .pulsed(milliseconds: 200))
        #expect(visitor.ledger.settled == [.ordered, .used])
    }

    @Test("a line that obeys although its call failed is recorded as an opening")
    func anAnswerThatIsLost() async throws {
        line.breaks(obeys: true)
        let panel = try panel()
        let (entries, _, uses) = try await visit(panel)
        #expect(panel.end(within: .seconds(30)))
        #expect(entries.map(\.result) == [.accepted] && entries.first?.gate?.opened == true && line.wasActive("gate"))
        #expect(uses == [.ordered, .used])
    }

    @Test("a box without a relay judges, says nothing of a gate, and knows a credential that was used")
    func nothingToOpen() async throws {
        let (entries, notes, uses) = try await visit(NoPanel())
        #expect(entries.map(\.result) == [.accepted] && entries.first?.gate == nil)
        #expect(!notes.contains("gate") && notes.contains("verdict") && uses == [.ordered, .used])
    }
}

/// The evaluation of the marks that the threads of the lines write.
@Suite struct OpeningWatchTests {
    private let line = TestLines()

    private func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

    @Test func aLineThatIsBeingSwitchedIsWaitedFor() throws {
        let watch = OpeningWatch()
        let bank = WatchedBank(line.bank(), watch, clock: .system)
        try bank.set(active: [])
        let from = SystemClock.now()
        var order = OpeningOrder(from: from, until: from.advanced(by: .seconds(60)))
        #expect(watch.opening(order, at: from) == .lasting, "its thread may not have begun")
        #expect(watch.opening(order, at: order.until.advanced(by: OpeningWatch.late)) == .never)
        try bank.set(active: ["gate"])
        let long = from.advanced(by: .seconds(3600))
        #expect(watch.opening(order, at: long) == .lasting, "however long it takes to be released")
        try bank.set(active: [])
        guard case .over(let length) = watch.opening(order, at: long) else {
            Issue.record("it is over")
            return
        }
        #expect(length >= .zero && length <= from.duration(to: SystemClock.now()))
        // The pulse of the next order does not count for this order, and vice versa.
        order.until = SystemClock.now()
        usleep(60_000)
        let next = OpeningOrder(from: SystemClock.now(), until: from.advanced(by: .seconds(60)))
        try bank.set(active: ["gate"])
        #expect(watch.opening(order, at: long) == .over(length) && watch.opening(next, at: next.from) == .lasting)
        bank.close()
        #expect(watch.opening(next, at: long) != .lasting && watch.opening(order, at: long) == .over(length))
    }

    @Test func aFailedOrderHasOpenedNothing() throws {
        let watch = OpeningWatch()
        let bank = WatchedBank(line.bank(), watch, clock: .system)
        line.breaks()
        let from = SystemClock.now()
        #expect(throws: GPIOError.self) { try bank.set(active: ["gate"]) }
        try bank.set(active: [])
        #expect(watch.opening(OpeningOrder(from: from, until: from), at: from.advanced(by: .seconds(1))) == .never)
    }

    /// The machine may stop the thread after its decision to energise the line, for longer than the rest of
    /// the pulse.
    @Test func aThreadThatIsStoppedBeforeItsCallIsWaitedFor() async throws {
        let watch = OpeningWatch()
        let state = Mutex((decided: Instant?.none, isStopped: true))
        let thread = try LineThread(
            name: "test-stopped", WatchedBank(line.bank(), watch, clock: .system),
            wanted: { now in
                let isFirst = state.withLock { state in
                    defer { state.decided = state.decided ?? now }
                    return state.decided == nil
                }
                guard isFirst else { return LineThread.Wanted(active: []) }
                while state.withLock({ $0.isStopped }) { usleep(1000) }
                return LineThread.Wanted(active: ["gate"], until: now)
            }, failed: { _ in })
        #expect(await becomesTrue { state.withLock({ $0.decided }) != nil })
        let decided = try #require(state.withLock { $0.decided })
        let order = OpeningOrder(from: decided, until: decided.advanced(by: .nanoseconds(1)))
        let late = order.until.advanced(by: .seconds(3600))
        #expect(!line.wasActive("gate") && watch.opening(order, at: late) == .lasting)
        usleep(60_000)
        state.withLock { $0.isStopped = false }
        #expect(await becomesTrue { !line.spans("gate").isEmpty })
        #expect(thread.end(within: .seconds(30)))
        guard case .over(let length) = watch.opening(order, at: late) else {
            Issue.record("it has opened")
            return
        }
        #expect(length >= .milliseconds(60))
    }

    /// A chip was replaced. The thread of the old lines hangs in a call while the thread of the new lines
    /// opens the gate.
    @Test func aThreadThatHangsAndTheNextWriteNothingOverEachOther() async throws {
        let watch = OpeningWatch()
        line.hangs(true)
        nonisolated(unsafe) let old = WatchedBank(line.bank(), watch, clock: .system)
        let thread = try BackgroundThread(name: "test-old", limit: 1)
        var first = OpeningOrder(from: SystemClock.now(), until: SystemClock.now().advanced(by: .seconds(60)))
        thread.run {
            try? old.set(active: ["gate"])
            old.close()
        }
        let late = first.from.advanced(by: .seconds(3600))
        #expect(await becomesTrue { line.isHanging })
        #expect(line.isHanging && watch.opening(first, at: late) == .lasting)
        first.until = SystemClock.now()
        usleep(60_000)
        let bank = WatchedBank(TestLines().bank(), watch, clock: .system)
        usleep(1000)
        let second = OpeningOrder(from: SystemClock.now(), until: SystemClock.now().advanced(by: .seconds(60)))
        #expect(watch.opening(second, at: late) == .never, "a call of before is not about it")
        try bank.set(active: ["gate"])
        #expect(watch.opening(first, at: late) == .lasting, "a call of the next says nothing of it")
        // The call returns at last, and the old line is released: the pulse of the new line continues.
        line.hangs(false)
        #expect(thread.flush(within: .seconds(30)))
        guard case .over = watch.opening(first, at: late) else {
            Issue.record("the first has opened")
            return
        }
        #expect(watch.opening(second, at: late) == .lasting)
        try bank.set(active: [])
        guard case .over = watch.opening(second, at: late) else {
            Issue.record("the second is over")
            return
        }
    }

    @Test func aFrameToAControllerIsWaitedForAndMayBeLost() {
        let watch = OpeningWatch(sendsFrames: true)
        let wires = watch.newMarks(at: at(1))
        let order = OpeningOrder(from: at(1000), until: at(1200))
        #expect(watch.opening(order, at: at(1240)) == .lasting && watch.opening(order, at: at(1250)) == .never)
        wires.frame(isSent: false, begun: at(900))
        #expect(watch.opening(order, at: at(1240)) == .lasting, "that was an earlier one")
        wires.frame(isSent: false, begun: at(1050))
        #expect(watch.opening(order, at: at(1300)) == .never)
        // The duration of a frame does not matter: only its beginning counts.
        wires.frame(isSent: true, begun: at(1100))
        #expect(watch.opening(order, at: at(1300)) == .over(.zero))
        let next = OpeningOrder(from: at(1350), until: at(1550))
        #expect(watch.opening(next, at: at(1400)) == .lasting, "that was the one before")
        wires.frame(isSent: false, begun: at(1360))
        #expect(watch.opening(next, at: at(1400)) == .never)
        let cut = OpeningOrder(from: at(2000), until: at(2010))
        wires.tries(true)
        #expect(watch.opening(cut, at: at(3_600_000)) == .lasting, "its frame is under way")
        wires.frame(isSent: true, begun: at(2020))
        wires.tries(false)
        #expect(watch.opening(cut, at: at(2030)) == .over(.zero), "the thread learned too late that it was cut short")
    }
}

/// Outcomes wait for the result of the gate, and no longer than that.
@Suite struct WaitingOutcomeTests {
    /// A panel with prepared answers.
    private final class AskedPanel: Panel {
        let answers = Mutex<[OpeningOrder: Opening]>([:])
        let opens = true

        func show(_ signal: Signal) {}
        func gate(_ command: Gate.Command, at now: Instant) {}
        func hold(_ role: OutputRole, _ command: Gate.Command, at now: Instant) {}
        func admit(until: Instant, at now: Instant) {}
        func opening(_ order: OpeningOrder, at now: Instant) -> Opening {
            answers.withLock { $0[order] ?? .lasting }
        }
    }

    private let panel = AskedPanel()
    private let accepted = Outcome(
        .accepted, gate: .pulsed(milliseconds: 200), software: Outcome.Software(name: "gatehouse", version: "test"))

    private func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

    private func record(_ visit: VisitID, _ outcome: Outcome) -> VisitRecord {
        VisitRecord(visit, using: nil, outcome)
    }

    /// Reports a visit's pulse of 200 ms, which begins at that millisecond, to `openings`.
    private func open(_ openings: inout Openings, _ visit: VisitID, at start: Int64) {
        openings.told(.open(until: at(start + 200)), at: at(start))
        openings.belongs(to: visit)
    }

    private func answer(_ start: Int64, _ opening: Opening) {
        let order = OpeningOrder(from: at(start), until: at(start + 200))
        panel.answers.withLock { $0[order] = opening }
    }

    /// A visitor passes long after the pulse: other visits have opened the gate meanwhile, and the panel has
    /// forgotten the order.
    @Test func theOrderIsLookedAtWhenItIsOver() {
        var openings = Openings()
        open(&openings, VisitID("1"), at: 1000)
        answer(1000, .over(.milliseconds(201)))
        #expect(openings.deadline(after: at(1000)) == at(1200))
        #expect(openings.takeKnown(panel, at: at(1200)).isEmpty && openings.deadline(after: at(1200)) == nil)
        answer(1000, .never)
        let entry = openings.take(record(VisitID("1"), accepted), panel: panel)
        #expect(entry?.record.outcome.gate == .pulsed(milliseconds: 201) && entry?.use == .used)
    }

    /// Record and credential follow one result, whether the outcome or the result is first.
    @Test(arguments: [true, false]) func nothingEnergisedReleasesTheCredential(_ isEarly: Bool) {
        var openings = Openings()
        open(&openings, VisitID("1"), at: 1000)
        if isEarly {
            answer(1000, .never)
            #expect(openings.takeKnown(panel, at: at(1250)).isEmpty)
        }
        var entry = openings.take(record(VisitID("1"), accepted), panel: panel)
        if !isEarly {
            #expect(entry == nil && openings.takeKnown(panel, at: at(1200)).isEmpty)
            answer(1000, .never)
            entry = openings.takeKnown(panel, at: at(1250)).first
        }
        #expect(entry?.record.outcome.gate == .shut && entry?.use == .released)
    }

    /// The gate opened and no visitor passed: the record says that it opened, and the operator's setting
    /// decides about the credential.
    @Test func withoutAPassageTheOperatorsChoiceCounts() {
        var openings = Openings()
        for number in 1...2 {
            open(&openings, VisitID("\(number)"), at: Int64(number) * 1000)
            answer(Int64(number) * 1000, .over(.milliseconds(200)))
        }
        openings.unused(VisitID("1"))
        for number in 1...2 { #expect(openings.take(record(VisitID("\(number)"), accepted), panel: panel) == nil) }
        let known = openings.takeKnown(panel, at: at(2300)).sorted { $0.record.visit.text < $1.record.visit.text }
        #expect(known.map(\.record.outcome.gate?.opened) == [true, true] && known.map(\.use) == [.released, .used])
    }

    /// A rejected visitor has no order, and a gate without a relay has no result.
    @Test func withoutAnOrderOrAGateThereIsNothingToAsk() {
        var openings = Openings()
        let rejected = Outcome(
            .rejected, gate: .shut, software: Outcome.Software(name: "gatehouse", version: "test"))
        #expect(openings.take(record(VisitID("1"), rejected), panel: panel)?.use == .released)
        open(&openings, VisitID("2"), at: 1000)
        let entry = openings.take(record(VisitID("2"), accepted), panel: NoPanel())
        #expect(entry?.use == .used && entry?.record.outcome.gate == nil)
    }

    /// A line that hangs does not delay an outcome forever: the opening is recorded as ordered, and the
    /// credential counts as used, even if no visitor has passed so far.
    @Test(arguments: [false, true]) func theWaitHasAnEnd(isUnused: Bool) {
        var openings = Openings()
        open(&openings, VisitID("1"), at: 1000)
        if isUnused { openings.unused(VisitID("1")) }
        #expect(openings.take(record(VisitID("1"), accepted), panel: panel) == nil)
        let end = at(1200).advanced(by: Openings.patience)
        #expect(openings.takeKnown(panel, at: end.advanced(by: .milliseconds(-1))).isEmpty)
        #expect(openings.deadline(after: at(1300)) == at(1305))
        let known = openings.takeKnown(panel, at: end)
        #expect(known.map(\.record.outcome.gate) == [.pulsed(milliseconds: 200)] && known.map(\.use) == [.used])
        #expect(openings.deadline(after: end) == nil)
    }

    /// At the end of the program, an order that has opened nothing is not recorded as an opening.
    @Test func theLastAreAskedOnceMore() {
        var openings = Openings()
        for number in 1...2 {
            open(&openings, VisitID("\(number)"), at: Int64(number) * 1000)
            #expect(openings.take(record(VisitID("\(number)"), accepted), panel: panel) == nil)
        }
        answer(1000, .never)
        let last = openings.takeKnown(panel, at: at(2100), isLast: true)
        #expect(last.map(\.record.outcome.gate) == [.shut, .pulsed(milliseconds: 200)])
        #expect(last.map(\.use) == [.released, .used])
    }
}
