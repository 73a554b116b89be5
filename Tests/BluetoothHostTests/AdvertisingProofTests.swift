import Encoding
import Testing

@testable import BluetoothHost

/// The host asks the controller whether it still advertises, and makes no assumption.
@Suite("Bluetooth host: proof of advertising")
struct AdvertisingProofTests {
    private static func onAir(sets: UInt8 = 0, guardsAddress: Bool = true) -> Bench {
        var controller = FakeController()
        controller.guardsAddress = guardsAddress
        controller.advertisingSets = sets
        if sets > 0 { controller.leFeatures |= 1 << 12 }
        var bench = Bench(controller)
        bench.give(.start)
        bench.give(.advertise([Bench.advertisement]))
        bench.controller.forget()
        return bench
    }

    @Test(arguments: [0, 4] as [UInt8]) func theProofIsACommandThatMustBeRefused(_ sets: UInt8) {
        var bench = Self.onAir(sets: sets)
        #expect(bench.pass(.seconds(8)) == [])
        let address: HCIOpcode = sets == 0 ? .leSetRandomAddress : .leSetAdvertisingSetRandomAddress
        #expect(bench.controller.commands.map(\.opcode) == [HCIOpcode](repeating: address, count: 10))
        #expect(bench.controller.commands.allSatisfy { $0.parameters.suffix(6) == Bench.advertisement.address.bytes })
    }

    /// The controller stops advertising without an event. The host puts the same advertisement on the air
    /// again within a second and reports the lapse.
    @Test(arguments: [0, 4] as [UInt8]) func stoppedAdvertisingIsRestarted(_ sets: UInt8) {
        var bench = Self.onAir(sets: sets)
        bench.pass(.seconds(2))
        for count in 1...3 {
            bench.controller.fallSilent()
            #expect(bench.pass(.seconds(1)) == [.advertisingLapsed(count)])
            #expect(bench.controller.onAir == [0])
        }
    }

    @Test func advertisingThatStopsBeforeTheFirstProof() {
        var bench = Self.onAir()
        bench.controller.fallSilent()
        #expect(bench.pass(.seconds(1)) == [.advertisingLapsed(1)])
        #expect(bench.controller.onAir == [0])
    }

    /// A controller that accepts every command but does not advertise is reported as failed.
    @Test func aControllerThatOnlyClaimsToAdvertise() {
        var bench = Self.onAir()
        bench.pass(.seconds(2))
        bench.controller.guardsAddress = false
        #expect(bench.pass(.seconds(1)).last == .failed(.advertisingDead))
    }

    /// If a controller accepts an address at any time, its answer proves nothing. The host then switches advertising
    /// off and on periodically.
    @Test func anAnswerThatMeansNothing() {
        var bench = Self.onAir(guardsAddress: false)
        #expect(bench.pass(.seconds(1)) == [])
        bench.controller.forget()
        #expect(bench.pass(.seconds(31)) == [])
        let enables = bench.controller.commands.filter { $0.opcode == .leSetAdvertisingEnable }.map(\.parameters)
        #expect(enables == [[0], [1], [0], [1], [0], [1]])
        #expect(!bench.controller.commands.contains { $0.opcode == .leSetRandomAddress })
        #expect(bench.controller.onAir == [0])
    }

    /// A phone connects while the host asks the controller whether it still advertises. The connection ends
    /// advertising. The host reports no lapse.
    @Test func aConnectionMeanwhile() {
        var bench = Self.onAir()
        bench.pass(.seconds(2))
        bench.now = bench.now.advanced(by: .milliseconds(800))
        let asked = bench.host.handle(.timer, at: bench.now)
        #expect(asked.count == 1)
        bench.give(.received(Packets.connectionComplete()))
        #expect(bench.give(.received(bench.controller.complete(.leSetRandomAddress, [0]))) == [.advertisingStopped])
        #expect(bench.give(.advertise([Bench.advertisement])) == [.advertisingStarted])
    }

    @Test func aMissingAnswerMeansAFailedController() {
        var bench = Self.onAir()
        bench.controller.silent = [.leSetRandomAddress]
        #expect(
            bench.pass(.seconds(3)) == [.advertisingStopped, .failed(.commandTimedOut(.leSetRandomAddress))])
    }
}
