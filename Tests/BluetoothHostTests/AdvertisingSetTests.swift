import Encoding
import Testing

@testable import BluetoothHost

/// Several simultaneous advertisements, by the commands of Core Specification Vol 4 Part E 7.8.52 to 7.8.58.
@Suite("Bluetooth host: advertising sets")
struct AdvertisingSetTests {
    private static let legacy: Set<HCIOpcode> = [
        .leSetAdvertisingParameters, .leSetRandomAddress, .leSetAdvertisingData, .leSetScanResponseData,
        .leSetAdvertisingEnable,
    ]

    private static func advertisement(_ mark: UInt8) -> Advertisement {
        try! Advertisement(address: address(mark), data: [mark], scanResponse: [mark, mark])
    }

    private static func address(_ mark: UInt8) -> DeviceAddress {
        DeviceAddress(bytes: [mark, 0, 0, 0, 0, 0x40], isRandom: true)
    }

    private static func ready(sets: UInt8 = 4, _ configure: (inout FakeController) -> Void = { _ in }) -> Bench {
        var controller = FakeController()
        controller.leFeatures |= 1 << 12
        controller.advertisingSets = sets
        configure(&controller)
        var bench = Bench(controller)
        bench.give(.start)
        return bench
    }

    private static func terminated(_ set: UInt8, _ handle: UInt16 = 0x40, status: UInt8 = 0) -> [UInt8] {
        Packets.meta(0x12, [status, set, UInt8(handle & 0xFF), UInt8(handle >> 8), 0])
    }

    /// Returns the advertisements that the commands put on the air, by set; fails if a command changes a set
    /// while it is enabled.
    private static func aired(_ bench: Bench, sourceLocation: SourceLocation = #_sourceLocation) -> [UInt8: [[UInt8]]] {
        var (held, shown): ([UInt8: [HCIOpcode: UInt8]], [UInt8: [[UInt8]]]) = ([:], [:])
        var on: Set<UInt8> = []
        for command in bench.controller.commands where command.isAccepted {
            let parameters = command.parameters
            switch command.opcode {
            case .leSetAdvertisingSetRandomAddress, .leSetExtendedAdvertisingData, .leSetExtendedScanResponseData:
                #expect(!on.contains(parameters[0]), sourceLocation: sourceLocation)
                let isAddress = command.opcode == .leSetAdvertisingSetRandomAddress
                held[parameters[0], default: [:]][command.opcode] = parameters[isAddress ? 1 : 4]
            case .leSetExtendedAdvertisingEnable:
                for index in stride(from: 2, to: parameters.count, by: 4) {
                    let set = parameters[index]
                    guard parameters[0] == 1 else {
                        on.remove(set)
                        continue
                    }
                    on.insert(set)
                    let parts = held[set] ?? [:]
                    shown[set, default: []].append([
                        parts[.leSetAdvertisingSetRandomAddress] ?? 0, parts[.leSetExtendedAdvertisingData] ?? 0,
                        parts[.leSetExtendedScanResponseData] ?? 0,
                    ])
                }
            default: break
            }
        }
        return shown
    }

    @Test func aControllerWithSetsIsAskedForThem() {
        let bench = Self.ready()
        let commands = bench.controller.commands
        #expect(commands.map(\.opcode).contains(.leReadNumberOfSupportedAdvertisingSets))
        // The event mask admits the event that names the set of a connection.
        let mask = commands.last { $0.opcode == .leSetEventMask }
        #expect(mask?.parameters == [0x7D, 0x0A, 0x02, 0, 0, 0, 0, 0])
    }

    @Test func theBytes() {
        var bench = Self.ready()
        let before = bench.controller.commands.count
        #expect(bench.give(.advertise([Self.advertisement(1), Self.advertisement(2)])) == [.advertisingStarted])
        let commands = bench.controller.commands[before...]
        let load: [HCIOpcode] = [
            .leSetExtendedAdvertisingParameters, .leSetAdvertisingSetRandomAddress, .leSetExtendedAdvertisingData,
            .leSetExtendedScanResponseData,
        ]
        #expect(commands.map(\.opcode) == load + load + [.leSetExtendedAdvertisingEnable])
        let parameters = commands.map { Hex.encode($0.parameters) }
        // Connectable, scannable, legacy PDUs; 20–30 ms; all channels; own address random; no filter; 1M.
        #expect(parameters[0] == "00130020000030000007010000000000000000" + "7f0100010000")
        #expect(parameters[1] == "00010000000040")
        #expect(parameters[2] == "0003010101" && parameters[3] == "000301020101")
        #expect(parameters[4].hasPrefix("011300") && parameters[4].hasSuffix("7f0100010100"))
        #expect(parameters[8] == "0102" + "00000000" + "01000000")
    }

    /// The previous advertisement stays on the air while the new one is loaded, and neither is changed.
    @Test func aNewOneJoinsThoseThatAreThere() {
        var bench = Self.ready()
        bench.give(.advertise([Self.advertisement(1)]))
        let before = bench.controller.commands.count
        bench.give(.advertise([Self.advertisement(2), Self.advertisement(1)]))
        let enables = bench.controller.commands[before...].filter { $0.opcode == .leSetExtendedAdvertisingEnable }
        #expect(enables.map(\.parameters) == [[1, 1, 1, 0, 0, 0]])
        #expect(bench.controller.onAir == [0, 1])
        bench.give(.advertise([Self.advertisement(2)]))
        #expect(bench.controller.onAir == [1])
        #expect(Self.aired(bench) == [0: [[1, 1, 1]], 1: [[2, 2, 2]]])
    }

    /// The host does not report a connection until an event names its set. It keeps earlier PDUs, and the other sets
    /// stay on the air.
    @Test func aConnectionIsNamed() {
        var bench = Self.ready()
        bench.give(.advertise([Self.advertisement(1), Self.advertisement(2), Self.advertisement(3)]))
        #expect(bench.give(.received(Packets.connectionComplete())) == [])
        #expect(bench.att([0x02, 0x05, 0x02]) == [])
        bench.pass(.milliseconds(99))
        let news = bench.give(.received(Self.terminated(1)))
        guard case .connected(let connection, let address)? = news.first else {
            Issue.record("not connected: \(news)")
            return
        }
        #expect(connection.handle == Bench.phone && address == Self.address(2))
        #expect(news.dropFirst() == [.mtuChanged(Bench.phone, 517)])
        #expect(bench.controller.onAir == [0, 2])
        // When the same advertisements are requested again, only this set has to be switched on.
        let before = bench.controller.commands.count
        #expect(
            bench.give(.advertise([Self.advertisement(1), Self.advertisement(2), Self.advertisement(3)]))
                == [.advertisingStarted])
        #expect(bench.controller.commands[before...].map(\.opcode) == [.leSetExtendedAdvertisingEnable])
        #expect(bench.controller.commands.last?.parameters == [1, 1, 1, 0, 0, 0])
    }

    @Test func noKeyIsGuessed() {
        var bench = Self.ready()
        bench.give(.advertise([Self.advertisement(1), Self.advertisement(2)]))
        for handle in [0x40, 0x41] as [UInt16] {
            bench.give(.received(Packets.connectionComplete(handle)))
            let news = bench.pass(.milliseconds(100))
            guard case .connected(_, to: nil)? = news.first else {
                Issue.record("\(news)")
                return
            }
            bench.give(.received(Packets.disconnectionComplete(handle)))
        }
        // If a controller never names the set, the host concludes that it does not support sets.
        bench.give(.received(Packets.connectionComplete(0x42)))
        guard case .failed(let failure)? = bench.pass(.milliseconds(100)).last else {
            Issue.record("goes on")
            return
        }
        #expect(failure == .advertisingSetsUnreported && failure.isOfAdvertisingSets)
    }

    @Test func aConnectionThatEndsBeforeItIsNamed() {
        var bench = Self.ready()
        bench.give(.advertise([Self.advertisement(1)]))
        bench.give(.received(Packets.connectionComplete()))
        #expect(bench.give(.received(Packets.disconnectionComplete())) == [])
        #expect(bench.give(.received(Self.terminated(0))) == [.advertisingStopped, .advertisingStarted])
        #expect(bench.controller.onAir == [0])
        #expect(bench.pass(.milliseconds(500)) == [])
    }

    /// With more advertisements than sets, each of the first advertisements has a set of its own. The others share the
    /// last set in turn.
    @Test func moreThanThereAreSets() {
        var bench = Self.ready(sets: 2)
        bench.give(.advertise((1...4).map { Self.advertisement($0) }))
        bench.pass(.milliseconds(700))
        let aired = Self.aired(bench)
        #expect(aired[0] == [[1, 1, 1]])
        #expect(aired[1] == [[2, 2, 2], [3, 3, 3], [4, 4, 4], [2, 2, 2]])
    }

    /// With one advertiser, every second turn belongs to the first advertisement.
    @Test func turnsOfALegacyController() {
        var bench = Bench()
        bench.give(.start)
        bench.give(.advertise((1...3).map { Self.advertisement($0) }))
        bench.pass(.milliseconds(1100))
        let enabled = bench.controller.commands.filter { $0.opcode == .leSetRandomAddress && $0.isAccepted }
        #expect(enabled.map { $0.parameters[0] } == [1, 2, 1, 3, 1, 2])
        #expect(Set(bench.controller.commands.map(\.opcode)).isDisjoint(with: HCIOpcode.advertisingSets))
    }

    /// Frequent connections neither end nor lengthen the time slice of an advertisement. Each advertisement gets
    /// its share.
    @Test func turnsInAStorm() {
        var bench = Bench()
        bench.give(.start)
        for handle in 0x40..<0x80 as Range<UInt16> {
            bench.give(.advertise((1...3).map { Self.advertisement($0) }))
            bench.pass(.milliseconds(60))
            bench.give(.received(Packets.connectionComplete(handle)))
            bench.give(.advertise([]))
            bench.give(.received(Packets.disconnectionComplete(handle)))
            bench.pass(.milliseconds(60))
        }
        let shown = bench.controller.commands.filter { $0.opcode == .leSetRandomAddress && $0.isAccepted }
            .map { $0.parameters[0] }
        let counts = [1, 2, 3].map { mark in shown.count { $0 == mark } }
        #expect(counts[0] > 12 && counts[1] > 6 && counts[2] > 6, "\(counts)")
    }

    @Test(arguments: [0, 1] as [UInt8]) func tooFewSetsMeanLegacyCommandsAfterAReset(_ sets: UInt8) {
        var bench = Self.ready(sets: sets)
        #expect(bench.give(.advertise([Self.advertisement(1)])) == [.advertisingStarted])
        let opcodes = bench.controller.commands.map(\.opcode)
        #expect(opcodes.count { $0 == .reset } == 2)
        let last = opcodes.lastIndex(of: .reset) ?? 0
        #expect(Set(opcodes[last...]).isDisjoint(with: HCIOpcode.advertisingSets))
    }

    @Test func withoutAListOrTheFeatureNothingIsTried() {
        for change in [{ $0.unknown = [.readLocalSupportedCommands] }, { $0.leFeatures = 0 }]
            as [(inout FakeController) -> Void]
        {
            var bench = Self.ready(change)
            bench.give(.advertise([Self.advertisement(1)]))
            #expect(Set(bench.controller.commands.map(\.opcode)).isDisjoint(with: HCIOpcode.advertisingSets))
        }
    }

    /// If the controller refuses or does not answer a command for sets, the host fails with that reason and
    /// does not mix the two command families.
    @Test(arguments: HCIOpcode.advertisingSets.dropLast()) func refusal(_ opcode: HCIOpcode) {
        for isSilent in [false, true] {
            var bench = Self.ready()
            if isSilent { bench.controller.silent = [opcode] } else { bench.controller.statuses = [opcode: 0x12] }
            var news = bench.give(.advertise([Self.advertisement(1)]))
            news += bench.pass(.seconds(3))
            guard case .failed(let failure)? = news.last else {
                Issue.record("\(news)")
                continue
            }
            #expect(failure.isOfAdvertisingSets)
            #expect(Self.legacy.isDisjoint(with: bench.controller.commands.map(\.opcode)))
        }
    }

    /// While a connection exists, a refusal is a limit of the controller and not a failure.
    @Test func refusalDuringAConnection() {
        var bench = Self.ready()
        bench.give(.advertise([Self.advertisement(1)]))
        bench.give(.received(Packets.connectionComplete()))
        bench.give(.received(Self.terminated(0)))
        bench.controller.statuses = [.leSetExtendedAdvertisingEnable: 0x0C]
        #expect(
            bench.give(.advertise([Self.advertisement(1)])) == [
                .advertisingRefused(.leSetExtendedAdvertisingEnable, .commandDisallowed)
            ])
    }

    /// Requests at any moment, with connections and answers in any order. Advertisements are never mixed on the air,
    /// and in the end the last request is on the air.
    @Test(arguments: [2, 3, 6] as [UInt8]) func anyOrder(_ sets: UInt8) {
        var random = SeededRandom(seed: UInt64(sets))
        for _ in 0..<300 {
            var bench = Self.ready(sets: sets)
            var (answers, handle): ([[UInt8]], UInt16) = ([], 0x40)
            func give(_ event: HostEvent) {
                for case .send(let packet) in bench.host.handle(event, at: bench.now) {
                    answers += bench.controller.receive(packet)
                }
            }
            var wish: [Advertisement] = []
            for _ in 0..<20 {
                switch random.below(8) {
                case 0, 1:
                    wish = (0..<random.below(5)).map { _ in Self.advertisement(UInt8(1 + random.below(9))) }
                    wish = wish.enumerated().filter { !wish[..<$0.offset].contains($0.element) }.map(\.element)
                    give(.advertise(wish))
                case 2:
                    guard answers.isEmpty, let set = bench.controller.onAir.min() else { continue }
                    for packet in [Packets.connectionComplete(handle), Self.terminated(set, handle)] {
                        bench.controller.plays(packet)
                        give(.received(packet))
                    }
                    give(.received(Packets.disconnectionComplete(handle)))
                    handle += 1
                    give(.advertise(wish))
                case 3:
                    bench.now = bench.now.advanced(by: .milliseconds(random.below(400)))
                    give(.timer)
                default: if !answers.isEmpty { give(.received(answers.removeFirst())) }
                }
            }
            while !answers.isEmpty { give(.received(answers.removeFirst())) }
            for shown in Self.aired(bench).values.joined() { #expect(Set(shown).count == 1) }
            #expect(bench.controller.onAir.count == min(wish.count, Int(sets)))
        }
    }
}
