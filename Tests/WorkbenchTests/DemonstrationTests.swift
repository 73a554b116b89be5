import Encoding
import Kiosk
import Testing
import Tuvali
import Workbench

/// Every scenario of `gatehouse demo` ends as its text says.
@Suite struct DemonstrationTests {
    @Test(arguments: DemoScenario.names, [1, 2, 3] as [UInt64])
    func theDemonstrationEndsAsExpected(_ name: String, seed: UInt64) throws {
        let scenario = try #require(DemoScenario.named(name))
        let settings = KioskSettings(name: try Identifier("Gatehouse"), softwareVersion: "test")
        let random = [UInt8](repeating: UInt8(seed), count: 64)
        var unreachable = 0
        let demonstration = try Demonstration(
            scenario, settings: settings, seed: seed, random: random, realTime: { .zero },
            onEvent: { event, _ in if case .agentUnreachable = event { unreachable += 1 } })
        let result = demonstration.run()
        #expect(result.isAsExpected(try #require(scenario.ending)), "\(result)")
        #expect((unreachable > 0) == (name == "agent-down"))
    }

    @Test func anUnknownScenarioIsNone() {
        #expect(DemoScenario.named("nonsense") == nil)
    }
}
