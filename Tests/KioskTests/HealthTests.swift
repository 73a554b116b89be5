import Encoding
import Kiosk
import Reasons
import Testing

/// The faults in force, their order, and the times at which they are reported.
@Suite struct HealthTests {
    private func at(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }

    private func words(_ changes: [Health.Change]) -> [String] {
        changes.map { "\($0.isPresent ? "+" : "-")\($0.code) \($0.count)" }
    }

    @Test func everyCodeOfTheBoxCanBeInForce() {
        #expect(Health.codes.count > 15)
        #expect(Health.codes.contains(.radioFailed) && Health.codes.contains(.reportsDropped))
        var health = Health()
        for code in Health.codes { health.take(.present(code), at: .zero) }
        #expect(Set(health.faults.map(\.code)) == Set(Health.codes))
        #expect(health.tell(at: .zero).count == Health.codes.count)
    }

    @Test func codesOfOtherOwnersAreIgnored() {
        var health = Health()
        for code in ReasonCode.all where !Health.codes.contains(code) { health.take(.present(code), at: .zero) }
        health.take(.present(.policy("made-up")), at: .zero)
        health.take(.over(.gpioFailed), at: .zero)
        #expect(health.faults.isEmpty && health.deadline == nil && health.tell(at: at(1000)).isEmpty)
        #expect(health.light == .ready)
    }

    @Test func theWorstIsFirst() {
        var health = Health()
        health.take(.present(.logDropped), at: at(1))
        health.take(.present(.agentUnreachable), at: at(0))
        health.take(.present(.gpioFailed), at: at(3))
        health.take(.present(.ledgerLost), at: at(2))
        health.take(.present(.radioFailed), at: at(4))
        #expect(
            health.faults.map(\.code) == [.radioFailed, .ledgerLost, .gpioFailed, .agentUnreachable, .logDropped])
        #expect(health.light == .fault)
        health.take(.over(.radioFailed), at: at(5))
        #expect(health.light == .attention)
        for code in [ReasonCode.ledgerLost, .gpioFailed, .agentUnreachable, .logDropped] {
            #expect(health.light == .attention)
            health.take(.over(code), at: at(6))
        }
        #expect(health.light == .ready)
        health.take(.present(.gateStuck), at: at(7))
        #expect(health.light == .fault)
    }

    @Test func sinceIsTheBeginningOfThisTimeAndTheCountGoesOn() {
        var health = Health()
        for turn in 0..<3 {
            health.take(.present(.gpioFailed, detail: "\(turn)"), at: at(Double(turn) * 10))
            health.take(.present(.gpioFailed), at: at(Double(turn) * 10 + 1))
            #expect(health.faults.map(\.since) == [at(Double(turn) * 10)])
            #expect(health.faults.map(\.count) == [turn + 1])
            #expect(health.faults.map(\.detail) == ["\(turn)"])
            health.take(.over(.gpioFailed), at: at(Double(turn) * 10 + 2))
        }
        // A count given by the reporter takes precedence, and it never decreases.
        health.take(.present(.gpioFailed, count: 40), at: at(100))
        health.take(.present(.gpioFailed, count: 7), at: at(101))
        #expect(health.faults.map(\.count) == [40])
    }

    @Test func aDetailIsCutAtAWholeCharacter() {
        var health = Health()
        health.take(.present(.gpioFailed, detail: String(repeating: "ä", count: 10_000)), at: .zero)
        let detail = health.faults.first?.detail ?? ""
        #expect(detail == String(repeating: "ä", count: 150) + "…")
    }

    @Test func aChangeIsReportedOnceAndAtOnce() {
        var health = Health()
        health.take(.present(.logDropped), at: at(1))
        #expect(health.deadline.map { $0 <= at(1) } == true)
        #expect(words(health.tell(at: at(1))) == ["+fault.log-dropped 1"])
        #expect(health.tell(at: at(1)).isEmpty && health.deadline == nil)
        health.take(.present(.logDropped), at: at(20))
        #expect(health.tell(at: at(20)).isEmpty)
        health.take(.over(.logDropped), at: at(30))
        #expect(words(health.tell(at: at(30))) == ["-fault.log-dropped 1"])
        #expect(health.tell(at: at(4000)).isEmpty && health.deadline == nil)
    }

    @Test func aFaultOfAnInstantIsReportedToo() {
        var health = Health()
        health.take(.present(.gpioFailed), at: at(1))
        health.take(.over(.gpioFailed), at: at(1))
        #expect(words(health.tell(at: at(1))) == ["-fault.gpio 1"])
    }

    @Test func anIntermittentFaultIsReportedSeldomAndWithItsCount() {
        var health = Health()
        var told: [(at: Double, Health.Change)] = []
        var now = 0.0
        for turn in 0..<6000 {
            now = Double(turn) * 0.01
            health.take(turn % 2 == 0 ? .present(.gpioFailed) : .over(.gpioFailed), at: at(now))
            told += health.tell(at: at(now)).map { (now, $0) }
        }
        #expect((8...14).contains(told.count), "\(told.count) in a minute")
        for (first, second) in zip(told, told.dropFirst()) { #expect(second.at - first.at > 4.99) }
        // In the end the last report agrees with the present state.
        while let deadline = health.deadline {
            told += health.tell(at: deadline).map { (Double(deadline.nanoseconds) / 1e9, $0) }
        }
        #expect(told.last?.1.isPresent == false && told.last?.1.count == 3000)
        #expect(health.faults.isEmpty)
    }

    @Test func aGrowingCountIsReportedAgainOnceAMinute() {
        var health = Health()
        var told: [String] = []
        for second in 0..<180 {
            health.take(.present(.ledgerLost, count: second + 1), at: at(Double(second)))
            told += words(health.tell(at: at(Double(second))))
        }
        #expect(told == ["+fault.ledger-lost 1", "+fault.ledger-lost 61", "+fault.ledger-lost 121"])
    }
}
