import Encoding
import Reasons
import Testing

@testable import Kiosk

/// The door alone: edges and orders with their times, and the door's reactions.
@Suite struct DoorTests {
    private static let one = VisitID("1")
    private static let two = VisitID("2")

    /// A door whose inputs are read from the start, and its actions so far.
    private struct Scene {
        var door: Door
        var now = Instant.zero
        var actions: [DoorAction] = []

        init(_ levels: [DoorInput: Bool] = [:], _ configure: (inout DoorSettings) -> Void = { _ in }) {
            var settings = DoorSettings()
            settings.inputs = Dictionary(uniqueKeysWithValues: DoorInput.allCases.map { ($0, .milliseconds(20)) })
            settings.hasFreeOutput = true
            configure(&settings)
            door = Door(settings: settings)
            actions += door.handle(.lines(levels), at: now)
        }

        /// Advances the clock to the given time, from deadline to deadline.
        mutating func wait(until milliseconds: Int64) {
            let end = Instant(nanoseconds: milliseconds * 1_000_000)
            var turns = 0
            while let due = door.deadline, due <= end, turns < 10_000 {
                now = max(now, due)
                actions += door.advance(to: now)
                turns += 1
            }
            #expect(turns < 10_000, "it turns on the spot")
            now = end
            actions += door.advance(to: now)
        }

        mutating func take(_ event: DoorEvent, at milliseconds: Int64) {
            wait(until: milliseconds)
            actions += door.handle(event, at: now)
        }

        mutating func set(_ input: DoorInput, _ isActive: Bool, at milliseconds: Int64) {
            take(.edge(input, isActive: isActive, at: Instant(nanoseconds: milliseconds * 1_000_000)), at: milliseconds)
        }

        mutating func press(_ input: DoorInput, at milliseconds: Int64) {
            set(input, true, at: milliseconds)
            set(input, false, at: milliseconds + 100)
        }

        mutating func open(_ visit: VisitID?, at milliseconds: Int64) {
            take(.opened(visit, until: Instant(nanoseconds: (milliseconds + 200) * 1_000_000)), at: milliseconds)
        }

        /// The results of openings, in order: whether a passage was seen.
        var settled: [String] {
            actions.compactMap { action in
                guard case .settled(let visit, let passage) = action else { return nil }
                return "\(visit?.text ?? "exit") \(passage)"
            }
        }

        var openings: Int { actions.count { $0 == .open } }

        /// Alarms that began and ended, in order.
        var alarms: [String] {
            actions.compactMap { action in
                guard case .report(let report) = action else { return nil }
                return (report.isPresent ? "+" : "-") + report.code.text
            }
        }
    }

    // MARK: - Passage

    @Test func aPassageUsesTheOpening() {
        var scene = Scene()
        scene.open(Self.one, at: 1000)
        scene.press(.passage, at: 2500)
        scene.wait(until: 60_000)
        #expect(scene.settled == ["1 seen"] && scene.alarms.isEmpty)
        #expect(scene.door.status.counters.passages == 1)
    }

    @Test func withoutAPassageTheOpeningLapses() {
        var scene = Scene()
        scene.open(Self.one, at: 1000)
        scene.wait(until: 6299)
        #expect(scene.settled.isEmpty)
        scene.wait(until: 6300)
        #expect(scene.settled == ["1 unseen"] && scene.alarms.isEmpty && scene.door.status.counters.unused == 1)
    }

    /// Edges are reported by another thread. An edge at the last moment counts even if its report arrives
    /// after the end.
    @Test func aPassageInTheLastMomentCounts() {
        var scene = Scene()
        scene.open(Self.one, at: 1000)
        scene.take(.edge(.passage, isActive: true, at: Instant(nanoseconds: 5_990_000_000)), at: 6200)
        scene.wait(until: 10_000)
        #expect(scene.settled == ["1 seen"])
    }

    @Test func twoPassagesAfterOneOpeningAreOneTooMany() {
        var scene = Scene()
        scene.open(Self.one, at: 1000)
        scene.press(.passage, at: 1500)
        scene.press(.passage, at: 2000)
        scene.wait(until: 11_900)
        #expect(scene.settled == ["1 seen"] && scene.alarms == ["+door.tailgating"])
        scene.wait(until: 20_000)
        #expect(scene.alarms == ["+door.tailgating", "-door.tailgating"])
        #expect(scene.door.status.counters.tailgating == 1 && scene.door.status.counters.passages == 2)
    }

    @Test func openingsAreUsedInTheirOrder() {
        var scene = Scene()
        scene.open(Self.one, at: 1000)
        scene.open(Self.two, at: 2000)
        scene.press(.passage, at: 2500)
        #expect(scene.settled == ["1 seen"])
        scene.wait(until: 20_000)
        #expect(scene.settled == ["1 seen", "2 unseen"])
    }

    @Test func withoutOtherInputsTheDoorContactDetectsPassages() {
        var scene = Scene { $0.inputs = [.contact: .milliseconds(50)] }
        scene.open(Self.one, at: 1000)
        scene.press(.contact, at: 2000)
        // The door closes, and a person opens it again while the opening still lasts.
        scene.press(.contact, at: 2500)
        scene.wait(until: 20_000)
        #expect(scene.settled == ["1 seen"] && scene.alarms.isEmpty && scene.door.status.counters.passages == 1)
    }

    // MARK: - Unseen passages

    /// The first visitor holds the door open for the second, so no edge shows the second passage.
    @Test func aPassageThroughAnOpenDoorIsNotDetected() {
        var scene = Scene { $0.inputs = [.contact: .zero] }
        scene.open(Self.one, at: 1000)
        scene.set(.contact, true, at: 2000)
        scene.open(Self.two, at: 3000)
        scene.set(.contact, false, at: 5000)
        scene.wait(until: 20_000)
        #expect(scene.settled == ["1 seen", "2 unknown"] && scene.door.status.counters.unused == 0)
        // Once the door is shut, the contact shows passages again.
        scene.open(Self.one, at: 21_000)
        scene.wait(until: 40_000)
        #expect(scene.settled.last == "1 unseen" && scene.door.status.counters.unused == 1)
    }

    @Test func twoWhoWaitBeforeADoorMayPassTogether() {
        var scene = Scene { $0.inputs = [.contact: .milliseconds(20)] }
        scene.open(Self.one, at: 1000)
        scene.open(Self.two, at: 1500)
        scene.press(.contact, at: 2000)
        scene.wait(until: 20_000)
        #expect(scene.settled == ["1 seen", "2 unknown"])
    }

    @Test func aStuckInputDetectsNoPassage() {
        var scene = Scene([.passage: true])
        scene.open(Self.one, at: 1000)
        scene.set(.passage, false, at: 3000)
        scene.wait(until: 10_000)
        #expect(scene.settled == ["1 unknown"])
        // The input becomes active only after the wait: a person may stand in the passage.
        scene.open(Self.two, at: 20_000)
        scene.set(.passage, true, at: 25_100)
        scene.wait(until: 40_000)
        #expect(scene.settled == ["1 unknown", "2 unknown"])
    }

    @Test func anOscillatingInputDetectsNoPassage() {
        var scene = Scene { $0.inputs = [.passage: .zero] }
        for edge in 0..<200 as Range<Int64> { scene.set(.passage, edge % 2 == 0, at: 1000 + edge * 5) }
        let passages = scene.door.status.counters.passages
        scene.open(Self.one, at: 2000)
        for edge in 0..<200 as Range<Int64> { scene.set(.passage, edge % 2 == 0, at: 2001 + edge * 5) }
        scene.wait(until: 20_000)
        #expect(scene.settled == ["1 unknown"] && scene.door.status.counters.passages == passages)
    }

    @Test func missedEdgesCountAsAPossiblePassage() {
        var scene = Scene()
        scene.open(Self.one, at: 1000)
        scene.take(.lines([:]), at: 2000)
        scene.open(Self.two, at: 2010)
        // The edge follows so soon that the input may have been active before.
        scene.press(.passage, at: 2050)
        scene.wait(until: 20_000)
        #expect(scene.settled == ["1 unknown", "2 unknown"])
    }

    // MARK: - Passages on the way out

    /// The opening by the button is unused, and the visitor's passage is assigned to his own opening.
    @Test(arguments: [DoorInput.passage, .contact]) func aVisitorUsesHisOwnOpening(_ sensor: DoorInput) {
        var scene = Scene { $0.inputs = [sensor: .milliseconds(20)] }
        scene.open(nil, at: 1000)
        scene.open(Self.one, at: 1320)
        scene.press(sensor, at: 3000)
        #expect(scene.settled == ["1 seen"])
        scene.wait(until: 20_000)
        #expect(scene.settled == ["1 seen", sensor == .passage ? "exit unseen" : "exit unknown"])
    }

    @Test func withoutInputsNothingIsAwaited() {
        var scene = Scene { $0.inputs = [:] }
        scene.open(Self.one, at: 1000)
        scene.wait(until: 60_000)
        #expect(scene.settled.isEmpty && scene.door.deadline == nil && scene.door.turnsWaitUntil == .zero)
    }

    @Test func manyOpeningsAreBounded() {
        var scene = Scene()
        for number in 0..<100 as Range<Int64> { scene.open(VisitID("\(number)"), at: 1000 + number) }
        #expect(scene.settled.count == 84 && scene.settled.first == "0 unknown")
    }

    // MARK: - Request to exit

    @Test func aPressAsksForOneOpening() {
        var scene = Scene()
        scene.set(.request, true, at: 1000)
        scene.wait(until: 1019)
        #expect(scene.openings == 0)
        scene.wait(until: 30_000)
        #expect(scene.openings == 1 && scene.door.status.counters.requests == 1)
    }

    @Test func inALockDownOnlyWhereItIsChosen() {
        for isChosen in [false, true] {
            var scene = Scene { $0.exitsWhileLocked = isChosen }
            scene.take(.order(.lock), at: 500)
            scene.press(.request, at: 1000)
            #expect(scene.openings == (isChosen ? 1 : 0))
            #expect(scene.door.status.counters.refusedRequests == (isChosen ? 0 : 1))
        }
    }

    /// The door's handle opens the door before the relay has moved.
    @Test func anExitIsNoForcedDoor() {
        var scene = Scene()
        scene.set(.request, true, at: 1000)
        scene.set(.contact, true, at: 1005)
        scene.set(.request, false, at: 1200)
        scene.set(.contact, false, at: 3000)
        scene.wait(until: 30_000)
        #expect(scene.alarms.isEmpty)
    }

    // MARK: - The contact

    @Test func aDoorOpenedWithoutPermissionIsForced() {
        var scene = Scene()
        scene.set(.contact, true, at: 10_000)
        scene.wait(until: 20_500)
        #expect(scene.alarms == ["+door.forced"])
        scene.set(.contact, false, at: 25_000)
        scene.wait(until: 35_019)
        #expect(scene.alarms == ["+door.forced"])
        scene.wait(until: 35_021)
        #expect(scene.alarms == ["+door.forced", "-door.forced"] && scene.door.status.counters.forced == 1)
    }

    @Test func anOpeningAllowsTheDoorForItsTime() {
        for (at, isForced) in [(5_990, false), (6_010, true)] as [(Int64, Bool)] {
            var scene = Scene()
            scene.open(Self.one, at: 1000)
            scene.set(.contact, true, at: at)
            scene.wait(until: at + 100)
            #expect(scene.alarms.contains("+door.forced") == isForced)
        }
    }

    @Test func aDoorThatStaysOpenIsHeld() {
        var scene = Scene()
        scene.open(Self.one, at: 1000)
        scene.set(.contact, true, at: 2000)
        scene.wait(until: 31_999)
        #expect(scene.alarms.isEmpty)
        scene.wait(until: 32_000)
        #expect(scene.alarms == ["+door.held-open"])
        scene.set(.contact, false, at: 50_000)
        scene.wait(until: 50_020)
        #expect(scene.alarms == ["+door.held-open", "-door.held-open"] && scene.door.status.counters.held == 1)
    }

    @Test func whoIsLetThroughAnOpenDoorGivesItItsTimeAgain() {
        var scene = Scene()
        scene.open(Self.one, at: 1000)
        scene.set(.contact, true, at: 2000)
        scene.open(Self.two, at: 25_000)
        scene.wait(until: 54_999)
        #expect(scene.alarms.isEmpty)
        scene.wait(until: 55_000)
        #expect(scene.alarms == ["+door.held-open"])
    }

    // MARK: - Tamper and fire

    @Test func tamperAndFireAreReportedWhileTheyLast() {
        for (input, code) in [(DoorInput.tamper, "door.tamper"), (.fire, "door.fire")] {
            var scene = Scene()
            scene.set(input, true, at: 1000)
            scene.set(input, false, at: 9000)
            scene.wait(until: 9020)
            #expect(scene.alarms == ["+" + code, "-" + code])
            #expect(scene.door.mode == .normal)
        }
    }

    @Test func aFireOpensOnlyWhereItIsChosen() {
        var scene = Scene { $0.fireOpens = true }
        scene.set(.fire, true, at: 1000)
        scene.wait(until: 1020)
        #expect(scene.door.mode == .free && scene.door.status.cause == .fire)
        // A cable that burns through does not show whether there is a fire.
        scene.take(.linesLost(detail: "gone"), at: 2000)
        #expect(scene.door.mode == .free)
        scene.take(.order(.lock), at: 3000)
        #expect(scene.door.mode == .locked && scene.door.status.cause == .order)
        scene.take(.order(.none), at: 4000)
        scene.take(.lines([:]), at: 5000)
        #expect(scene.door.mode == .normal)
    }

    // MARK: - Faulty inputs

    @Test func aChatteringContactIsOneChange() {
        var scene = Scene()
        scene.open(Self.one, at: 1000)
        for bounce in 0..<10 as Range<Int64> { scene.set(.passage, bounce % 2 == 0, at: 2000 + bounce) }
        scene.set(.passage, true, at: 2011)
        for bounce in 0..<11 as Range<Int64> { scene.set(.passage, bounce % 2 == 1, at: 2500 + bounce) }
        scene.wait(until: 30_000)
        #expect(scene.settled == ["1 seen"] && scene.door.status.counters.passages == 1 && scene.alarms.isEmpty)
    }

    /// Edges that arrive together and late are distinguished by their times.
    @Test func edgesThatArriveLateAreJudgedByTheirTimes() {
        var scene = Scene()
        scene.open(Self.one, at: 1000)
        scene.open(Self.two, at: 1001)
        for (at, level) in [(2000, true), (2060, false), (2100, true), (2105, false), (2150, true), (2199, false)] {
            scene.take(
                .edge(.passage, isActive: level, at: Instant(nanoseconds: Int64(at) * 1_000_000)), at: 2200)
        }
        scene.wait(until: 2300)
        #expect(scene.settled == ["1 seen", "2 seen"], "the one of 5 ms is none")
    }

    @Test func anOscillatingLineIsReportedAndDoesNothing() {
        var scene = Scene()
        for edge in 0..<400 as Range<Int64> { scene.set(.request, edge % 2 == 0, at: 1000 + edge * 5) }
        #expect(scene.alarms == ["+door.input"] && scene.openings == 0)
        scene.wait(until: 10_000)
        #expect(scene.alarms == ["+door.input", "-door.input"])
    }

    /// The kernel's debounce time is shorter than the period of the oscillation, so the kernel reports each edge.
    @Test(arguments: [5, 20] as [Int64]) func anOscillatingButtonOpensNothingOnceItIsDetected(_ apart: Int64) {
        var scene = Scene { $0.inputs[.request] = .zero }
        for edge in 0..<400 as Range<Int64> { scene.set(.request, edge % 2 == 0, at: 1000 + edge * apart) }
        #expect(scene.alarms == ["+door.input"] && (1...13).contains(scene.openings))
        scene.wait(until: 20_000)
        #expect(scene.alarms == ["+door.input", "-door.input"])
        let before = scene.openings
        scene.press(.request, at: 21_000)
        #expect(scene.openings == before + 1)
    }

    /// Presses at the speed of a finger, for any length of time.
    @Test func aQuickPressCounts() {
        var scene = Scene { $0.inputs[.request] = .zero }
        for press in 0..<80 as Range<Int64> {
            scene.set(.request, true, at: 1000 + press * 125)
            scene.set(.request, false, at: 1060 + press * 125)
        }
        #expect(scene.openings == 80 && scene.alarms.isEmpty)
    }

    @Test func levelsActiveAtTheStartDoNotCount() {
        var scene = Scene([.passage: true, .request: true, .contact: true, .tamper: true])
        scene.wait(until: 100)
        #expect(scene.openings == 0 && scene.settled.isEmpty && scene.alarms == ["+door.tamper"])
        scene.wait(until: 30_000)
        #expect(scene.alarms == ["+door.tamper", "+door.held-open"])
        scene.wait(until: 60_000)
        #expect(scene.alarms == ["+door.tamper", "+door.held-open", "+door.input"])
        for input in [DoorInput.passage, .request] { scene.set(input, false, at: 70_000) }
        scene.wait(until: 70_100)
        #expect(scene.alarms.last == "-door.input" && scene.openings == 0)
        scene.press(.request, at: 71_000)
        #expect(scene.openings == 1)
    }

    /// A source of input lines may report the initially active ones as edges.
    @Test func levelsReportedAsEdgesAtTheStartDoNotCount() {
        var scene = Scene()
        for input in [DoorInput.passage, .request, .contact, .tamper] { scene.set(input, true, at: 1) }
        scene.wait(until: 5000)
        #expect(scene.openings == 0 && scene.alarms == ["+door.tamper"] && scene.door.status.counters.passages == 0)
        scene.wait(until: 40_000)
        #expect(scene.alarms == ["+door.tamper", "+door.held-open"])
    }

    /// Edges with the time of the start report the initial state; the thread may deliver them late.
    @Test(arguments: [0, 20] as [Int64]) func lateEdgesOfTheStartDoNotCount(_ debounce: Int64) {
        var scene = Scene { settings in
            for input in DoorInput.allCases { settings.inputs[input] = .milliseconds(debounce) }
        }
        for input in [DoorInput.passage, .request, .contact] {
            scene.take(.edge(input, isActive: true, at: Instant(nanoseconds: 1_000_000)), at: 450)
        }
        scene.wait(until: 5000)
        #expect(scene.openings == 0 && scene.alarms.isEmpty && scene.door.status.counters.passages == 0)
    }

    @Test func lostInputsAreReportedUntilTheyAreBack() {
        var scene = Scene()
        scene.open(Self.one, at: 1000)
        scene.set(.contact, true, at: 1500)
        scene.set(.tamper, true, at: 1600)
        scene.take(.linesLost(detail: "the chip is gone"), at: 2000)
        #expect(scene.settled == ["1 unknown"])
        scene.open(Self.two, at: 3000)
        #expect(scene.settled == ["1 unknown", "2 unknown"])
        #expect(scene.alarms == ["+door.tamper", "+door.inputs", "-door.tamper"])
        // Edges of lines that are lost are ignored.
        scene.press(.request, at: 4000)
        #expect(scene.openings == 0 && scene.door.status.inputs[.contact] == .some(nil))
        scene.take(.lines([.contact: false]), at: 5000)
        #expect(scene.alarms.last == "-door.inputs" && scene.door.status.inputs[.contact] == .some(false))
    }

    @Test func whoWasLetInWhenTheInputsVanishedMayHavePassed() {
        var scene = Scene { $0.inputs[.contact] = nil }
        scene.open(Self.one, at: 1000)
        scene.take(.linesLost(detail: "gone"), at: 2000)
        #expect(scene.settled == ["1 unknown"])
    }

    @Test func anEdgeOfTheFutureIsOfNow() {
        var scene = Scene()
        scene.open(Self.one, at: 1000)
        scene.take(.edge(.passage, isActive: true, at: Instant(nanoseconds: .max)), at: 2000)
        scene.wait(until: 2020)
        #expect(scene.settled == ["1 seen"])
    }

    // MARK: - Lock-down and free passage

    @Test func theSourcesOfOrders() {
        let soon = Instant(nanoseconds: 20_000_000_000)
        var scene = Scene { $0.fireOpens = true }
        func mode() -> String { "\(scene.door.mode) \(scene.door.status.cause)" }
        scene.take(.schedule(.free, until: soon), at: 100)
        #expect(mode() == "free schedule")
        scene.take(.order(.lock), at: 200)
        #expect(mode() == "locked order")
        scene.set(.fire, true, at: 300)
        scene.wait(until: 400)
        #expect(mode() == "locked order")
        scene.take(.order(.none), at: 500)
        #expect(mode() == "free fire")
        scene.set(.fire, false, at: 600)
        scene.take(.schedule(.locked, until: soon), at: 700)
        #expect(mode() == "locked schedule")
        scene.take(.order(.free(until: Instant(nanoseconds: 5_000_000_000))), at: 800)
        #expect(mode() == "free order")
        scene.wait(until: 5000)
        #expect(mode() == "locked schedule")
    }

    /// The schedule must be repeated, or its free passage ends.
    @Test func theScheduleIsALease() {
        var scene = Scene()
        scene.take(.schedule(.free, until: Instant(nanoseconds: .max)), at: 1000)
        scene.wait(until: 30_999)
        #expect(scene.door.mode == .free)
        scene.wait(until: 31_000)
        #expect(scene.door.mode == .normal && scene.door.deadline == nil)
    }

    /// If the schedule's source hangs, the lock-down stays, so that its failure admits no visitor.
    @Test func aLockDownByTheScheduleEndsWhenTheScheduleSaysSo() {
        var scene = Scene()
        scene.take(.schedule(.locked, until: Instant(nanoseconds: .max)), at: 1000)
        scene.wait(until: 3_600_000)
        #expect(scene.door.mode == .locked && scene.door.status.cause == .schedule && scene.door.deadline == nil)
        scene.take(.schedule(.normal, until: Instant(nanoseconds: .max)), at: 3_600_001)
        #expect(scene.door.mode == .normal)
    }

    @Test func anOrderForFreePassageEnds() {
        var scene = Scene()
        scene.take(.order(.free(until: Instant(nanoseconds: .max))), at: 1000)
        scene.wait(until: 86_400_999)
        #expect(scene.door.mode == .free)
        scene.wait(until: 86_401_000)
        #expect(scene.door.mode == .normal)
    }

    @Test func withoutAnOutputPassageIsNeverFree() {
        var scene = Scene {
            $0.hasFreeOutput = false
            $0.fireOpens = true
        }
        scene.take(.order(.free(until: Instant(nanoseconds: 9_000_000_000))), at: 100)
        scene.take(.schedule(.free, until: Instant(nanoseconds: 9_000_000_000)), at: 200)
        scene.set(.fire, true, at: 300)
        scene.wait(until: 1000)
        #expect(scene.door.mode == .normal)
    }

    @Test func inFreePassageNoPassageIsTailgating() {
        var scene = Scene()
        scene.take(.order(.free(until: Instant(nanoseconds: 100_000_000_000))), at: 100)
        for time in [1000, 2000, 3000] as [Int64] { scene.press(.passage, at: time) }
        scene.set(.contact, true, at: 4000)
        scene.wait(until: 99_000)
        #expect(scene.alarms.isEmpty && scene.door.status.counters.passages == 3)
        // The door must be shut from now on.
        scene.wait(until: 129_999)
        #expect(scene.alarms.isEmpty)
        scene.wait(until: 130_000)
        #expect(scene.alarms == ["+door.held-open"])
    }
}
