import BluetoothHost
import Encoding
import Kiosk
import Ledger
import Simulation
import Testing
import Tuvali

@testable import Kiosk

/// Phones that send no payload cost one intent and few records, and all are counted.
@Suite struct JunkTests {
    /// Phones that repeatedly identify themselves and disconnect use a single intent, which the honest
    /// visitor then uses.
    @Test func anUnusedIntentServesTheNextVisit() throws {
        let storm = (0..<6).map { _ in Simulation.Visit.test(misbehaviour: .leaves(.identified)) }
        let gate = try TestGate(visits: storm + [.test()])
        #expect(gate.run())
        #expect(Set(gate.intents).count == 1)
        #expect(gate.outcomes.map(\.outcome.result) == [.accepted])
        #expect(gate.outcomes.map(\.intent) == Array(gate.intents.prefix(1)))
        #expect(gate.counters.visits == [.abandoned: 6, .outcome(.accepted): 1])
        #expect(gate.breaches == [])
    }

    /// Each phone has a visit id of its own, whatever intent it uses: no other phone has log lines under a
    /// visitor's id.
    @Test func sixHundredPhonesHaveSixHundredIds() throws {
        let storm = (0..<600).map { number in
            Simulation.Visit.test(
                .iPhone, arrival: .at(.milliseconds(1000 + 200 * number)), misbehaviour: .leaves(.identified))
        }
        let gate = try TestGate(visits: storm + [.test(arrival: .at(.seconds(300)))])
        #expect(gate.run())
        let notes = gate.trace.flatMap(\.actions).compactMap { action in
            if case .note(let note, let visit?) = action { (note: note.name, visit: visit) } else { nil }
        }
        func visits(_ name: String) -> [VisitID] { notes.filter { $0.note == name }.map(\.visit) }
        let connected = visits("phone.connected")
        #expect(connected.count > 550 && Set(connected).count == connected.count)
        #expect(Set(visits("visit.ended")).count == visits("visit.ended").count)
        #expect(Set(gate.intents).count < 100, "intents go on to the next phone")
        #expect(Set(connected.map(\.text)).isDisjoint(with: gate.intents.map(\.text)))
        // The log lines of the admitted visitor begin with his connection.
        let accepted = try #require(gate.outcomes.last { $0.outcome.result == .accepted })
        let lines = notes.filter { $0.visit == accepted.visit }.map(\.note)
        #expect(lines.first == "phone.connected" && lines.count { $0 == "phone.connected" } == 1)
        #expect(lines.count { $0 == "visit.ended" } == 1 && gate.intents.contains { $0 == accepted.intent })
        #expect(gate.breaches == [])
    }

    /// As many phones as have room identify themselves, leave and come again: each intent passes to the next
    /// phone, and the ledger hardly grows.
    @Test func aCrowdThatBringsNothingFillsNoLedger() throws {
        let storm = (0..<60).map { number in
            Simulation.Visit.test(
                .iPhone, arrival: .at(.milliseconds(1000 + 60 * number)), misbehaviour: .leaves(.identified))
        }
        let gate = try TestGate(visits: storm)
        #expect(gate.run())
        #expect((gate.counters.visits[.abandoned] ?? 0) > 40)
        // The bound is the largest number of phones that were identified at once: each leaves its intent to
        // the next phone. Here they leave at once.
        var (present, most): (Set<VisitID>, Int) = ([], 0)
        for case .note(let note, let visit?) in gate.trace.flatMap(\.actions) {
            switch note {
            case .identified: present.insert(visit)
            case .visitEnded: present.remove(visit)
            default: break
            }
            most = max(most, present.count)
        }
        #expect(Set(gate.intents).count == most && (1...10).contains(most), "\(Set(gate.intents).count), \(most)")
        let records = gate.outcomes.count
        #expect(records <= 2)
        gate.run(for: .seconds(900))
        // Unused intents are closed one at a time: such phones cause at most one record a minute, day and
        // night.
        let times = gate.trace.flatMap { turn in
            turn.actions.compactMap { if case .recordOutcome = $0 { turn.at } else { nil } }
        }
        #expect(times.count == Set(gate.intents).count)
        for (one, next) in zip(times, times.dropFirst()) { #expect(one.duration(to: next) >= .seconds(60)) }
        #expect(gate.breaches == [])
    }

    /// Phones that announce a credential and leave are recorded once, and all are counted.
    @Test func aStormOfBrokenTransfersIsOneRecord() throws {
        let record = MisbehaviourTests.incompressible
        let storm = (0..<6).map { _ in Simulation.Visit.test(record: record, misbehaviour: .leaves(.chunk(3))) }
        let gate = try TestGate(visits: storm + [.test()])
        #expect(gate.run())
        #expect(gate.outcomes.map(\.outcome.result) == [.failed, .accepted])
        #expect(Set(gate.intents).count == 2)
        #expect(gate.counters.visits == [.outcome(.failed): 6, .outcome(.accepted): 1])
        #expect(gate.breaches == [])
    }

    /// An intent that is no longer needed is closed with a record that includes the visits that were only
    /// counted; also when the kiosk stops.
    @Test(arguments: [true, false]) func anUnneededIntentIsClosed(_ byStopping: Bool) throws {
        let record = MisbehaviourTests.incompressible
        let storm = (0..<3).map { _ in Simulation.Visit.test(record: record, misbehaviour: .leaves(.chunk(3))) }
        let gate = try TestGate(visits: storm)
        #expect(gate.run())
        #expect(gate.outcomes.count == 1 && Set(gate.intents).count == 2)
        if byStopping { gate.inject(.stop) } else { gate.run(for: .seconds(61)) }
        #expect(Set(gate.outcomes.map(\.intent)) == Set(gate.intents))
        // The intent that no phone used is recorded under its own id.
        #expect(gate.outcomes.last?.visit.text == gate.outcomes.last?.intent?.text)
        // There were three visits: each record describes one, and the second record counts one more.
        #expect(gate.outcomes.map(\.outcome.repeated) == [0, 1])
        #expect(gate.outcomes.last?.outcome.repeatedSpan.map { $0.lowerBound < $0.upperBound } == true)
        #expect(
            gate.outcomes.last?.outcome.reasons.map(\.code) == ["transfer.disconnected", "transfer.left-sending"])
        #expect(gate.gateChanges.isEmpty && gate.breaches == [])
    }

    /// An intent that the ledger holds is closed in the end, even if the ledger refuses it to every second
    /// phone that requests it again.
    @Test func anIntentThatWasRefusedLaterIsNotForgotten() throws {
        let visits = (0..<40).map { number in
            Simulation.Visit.test(
                .iPhone, arrival: .at(.seconds(1 + 10 * number)), misbehaviour: .leaves(.identified))
        }
        let gate = try TestGate(visits: visits)
        for number in 0..<40 {
            gate.intentFailure = number.isMultiple(of: 2) ? nil : .database("the disk is busy")
            gate.run(for: .seconds(10))
        }
        gate.intentFailure = nil
        #expect(gate.run() && gate.intents.count > 30 && Set(gate.intents).count == 1)
        gate.inject(.stop)
        #expect(Set(gate.outcomes.compactMap(\.intent)) == Set(gate.intents) && gate.breaches == [])
    }

    /// Phones that come and go for hours use the unused intents again and again. Counted visits are recorded
    /// nevertheless.
    @Test func countsAreReportedDuringASiege() throws {
        let record = MisbehaviourTests.incompressible
        // They arrive together, so that two intents are left and one of them is always unused.
        let storm = (0..<3).map { _ in
            Simulation.Visit.test(record: record, arrival: .at(.seconds(1)), misbehaviour: .leaves(.chunk(3)))
        }
        let siege = (0..<80).map { number in
            Simulation.Visit.test(
                .iPhone, arrival: .at(.seconds(30 + 15 * number)), misbehaviour: .leaves(.identified))
        }
        let gate = try TestGate(visits: storm + siege)
        gate.run(for: .seconds(580))
        #expect(gate.outcomes.map(\.outcome.repeated) == [0])
        gate.run(for: .seconds(320))
        #expect(gate.outcomes.map(\.outcome.repeated) == [0, 1])
        #expect(gate.run(limit: .seconds(1200)) && gate.breaches == [])
    }

    /// A visit that ended earlier in the same turn does not take an intent.
    @Test func aVisitThatIsOverTakesNoIntent() throws {
        var kiosk = Kiosk(settings: KioskSettings(name: try Identifier("Spare"), softwareVersion: "test"), at: .zero)
        kiosk.keep(VisitIntent(id: IntentID("unused"), state: .durable), at: .zero)
        #expect(kiosk.takeSpare(for: ConnectionHandle(rawValue: 1)) == nil && kiosk.spares.count == 1)
    }
}
