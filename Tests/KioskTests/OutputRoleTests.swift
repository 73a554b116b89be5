import Kiosk
import Reasons
import Testing

/// The table of the outputs: what a further output must agree with.
@Suite struct OutputRoleTests {
    private static let roles = OutputRole.allCases

    @Test func eachOutputHasAKeyAndANameOfItsOwn() {
        #expect(Set(Self.roles.map(\.key)).count == Self.roles.count)
        #expect(Set(Self.roles.map(\.name)).count == Self.roles.count)
        #expect(Set(Self.roles.map(\.title)).count == Self.roles.count)
        #expect(Set(Self.roles.map(\.polarity.key)).isDisjoint(with: Self.roles.map(\.key)))
        for role in Self.roles {
            let section = role.key.prefix { $0 != "." } + "."
            #expect(role.key.count > section.count && role.polarity.key.hasPrefix(section), "\(role.key)")
        }
    }

    /// The configurations and the wiring pages of the gates that exist.
    @Test func keysAndNamesOfTheFirstOutputsStay() {
        let expected = [
            "indicator.blue": ["blue", "indicator.activeLow"], "indicator.amber": ["amber", "indicator.activeLow"],
            "indicator.green": ["green", "indicator.activeLow"], "indicator.red": ["red", "indicator.activeLow"],
            "indicator.tone": ["tone", "indicator.activeLow"], "wiegand.data0": ["data 0", "wiegand.activeLow"],
            "wiegand.data1": ["data 1", "wiegand.activeLow"],
            "door.freeLine": ["free passage", "door.freeActiveLow"], "gate.line": ["gate", "gate.activeLow"],
        ]
        for (key, words) in expected {
            let role = OutputRole(rawValue: key)
            #expect([role?.name, role?.polarity.key] == words && role?.polarity.isActiveLow == false, "\(key)")
        }
    }

    /// The configuration reads the polarity after all outputs that share it.
    @Test func outputsWithOnePolarityAreNeighbours() {
        var before: [String] = []
        for key in Self.roles.map(\.polarity.key) where before.last != key {
            #expect(!before.contains(key), "\(key)")
            before.append(key)
        }
    }

    @Test func everyOutputIsInOneGroupAndTheRelayIsInTheFirst() {
        #expect(OutputRole.groups.first?.map(\.kind) == [.pulse])
        let grouped = OutputRole.groups.flatMap(\.self)
        #expect(grouped.count == Self.roles.count && Set(grouped) == Set(Self.roles))
        // A fault is that of the whole group.
        for group in OutputRole.groups { #expect(Set(group.map { [$0.admits, $0.holdsOpen] }).count == 1) }
        #expect(OutputRole.held.map(\.role) == OutputRole.separate.filter { $0.kind != .pulse })
    }

    @Test func aGateThatStaysOpenIsTheFaultOfWhatHoldsItOpen() {
        for role in Self.roles {
            let opensInMode = role.kind == .held(.free) && role.holdsOpen
            #expect((role.stuck == .gateStuck) == (role.kind == .pulse || opensInMode), "\(role.key)")
            #expect(role.admits == (role.kind == .pulse || role.kind == .wire), "\(role.key)")
        }
    }

    @Test func everyLampOfTheLightHasOneLine() {
        for lamp in Lamp.allCases {
            #expect(Self.roles.count { $0.kind == .lamp(lamp) } == 1)
            #expect(Signal([lamp]).outputs.map(\.name) == [lamp.rawValue])
        }
        #expect(Signal.dark.outputs.isEmpty && Signal(tone: true).outputs.map(\.kind) == [.tone])
        #expect(Signal(Set(Lamp.allCases), tone: true).outputs == OutputRole.signals)
    }
}
