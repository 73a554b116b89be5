import Encoding
import Testing

@testable import BluetoothHost

/// Advertising under interruptions and refusals.
@Suite("Bluetooth host: advertising")
struct AdvertisingTests {
    private static let sequence: [HCIOpcode] = [
        .leSetRandomAddress, .leSetAdvertisingData, .leSetScanResponseData, .leSetAdvertisingEnable,
    ]

    private static func advertisement(_ mark: UInt8) -> Advertisement {
        try! Advertisement(
            address: DeviceAddress(bytes: [mark, 0, 0, 0, 0, 0x40], isRandom: true), data: [mark],
            scanResponse: [mark])
    }

    private static func ready() -> Bench {
        var bench = Bench()
        bench.give(.start)
        return bench
    }

    /// Replays the commands as a phone would observe them. Fails if two advertisements are ever mixed.
    private static func aired(_ bench: Bench) -> [[UInt8]] {
        var shown: [[UInt8]] = []
        var (address, data, response): (UInt8, UInt8, UInt8) = (0, 0, 0)
        var isOn = false
        for command in bench.controller.commands where command.isAccepted {
            let parameters = command.parameters
            switch command.opcode {
            case .leSetRandomAddress:
                #expect(!isOn)
                address = parameters[0]
            case .leSetAdvertisingData:
                #expect(!isOn)
                data = parameters[1]
            case .leSetScanResponseData:
                #expect(!isOn)
                response = parameters[1]
            case .leSetAdvertisingEnable:
                isOn = parameters == [1]
                if isOn { shown.append([address, data, response]) }
            default: break
            }
        }
        return shown
    }

    @Test func changeSwitchesOffFirst() {
        var bench = Self.ready()
        bench.give(.advertise([Self.advertisement(1)]))
        let count = bench.controller.commands.count
        #expect(bench.give(.advertise([Self.advertisement(2)])) == [.advertisingStarted])
        #expect(bench.controller.commands[count...].map(\.opcode) == [.leSetAdvertisingEnable] + Self.sequence)
        #expect(bench.controller.commands[count].parameters == [0])
        #expect(Self.aired(bench) == [[1, 1, 1], [2, 2, 2]])
    }

    /// A second request arrives at each point of the first request's command sequence.
    @Test(arguments: 0..<6)
    func changeInTheMiddle(answersBefore: Int) {
        var bench = Self.ready()
        var answers: [[UInt8]] = []
        func run(_ event: HostEvent) -> [HostAction] {
            var news: [HostAction] = []
            for action in bench.host.handle(event, at: bench.now) {
                if case .send(let packet) = action {
                    answers += bench.controller.receive(packet)
                } else {
                    news.append(action)
                }
            }
            return news
        }
        var news = run(.advertise([Self.advertisement(1)]))
        for _ in 0..<answersBefore where !answers.isEmpty { news += run(.received(answers.removeFirst())) }
        news += run(.advertise([Self.advertisement(2)]))
        while !answers.isEmpty { news += run(.received(answers.removeFirst())) }
        #expect(news.last == .advertisingStarted)
        #expect(Self.aired(bench).last == [2, 2, 2])
        for shown in Self.aired(bench) { #expect(Set(shown).count == 1) }
    }

    /// The request is withdrawn at each point of the command sequence. In the end advertising is off, and the host
    /// reports that once.
    @Test(arguments: 0..<6)
    func withdrawnInTheMiddle(answersBefore: Int) {
        var bench = Self.ready()
        var answers: [[UInt8]] = []
        func run(_ event: HostEvent) -> [HostAction] {
            var news: [HostAction] = []
            for action in bench.host.handle(event, at: bench.now) {
                if case .send(let packet) = action {
                    answers += bench.controller.receive(packet)
                } else {
                    news.append(action)
                }
            }
            return news
        }
        var news = run(.advertise([Self.advertisement(1)]))
        for _ in 0..<answersBefore where !answers.isEmpty { news += run(.received(answers.removeFirst())) }
        news += run(.advertise([]))
        while !answers.isEmpty { news += run(.received(answers.removeFirst())) }
        #expect(news.last == .advertisingStopped)
        #expect(news.filter { $0 == .advertisingStopped }.count == 1)
        let enables = bench.controller.commands.filter { $0.opcode == .leSetAdvertisingEnable }.map(\.parameters)
        #expect(enables.last ?? [0] == [0])
    }

    @Test func stopIsAnsweredAlsoWhenOff() {
        var bench = Self.ready()
        #expect(bench.give(.advertise([])) == [.advertisingStopped])
        bench.give(.advertise([Self.advertisement(1)]))
        #expect(bench.give(.advertise([])) == [.advertisingStopped])
    }

    @Test func ignoredBeforeReady() {
        var bench = Bench()
        #expect(bench.give(.advertise([Self.advertisement(1)])) == [])
        #expect(bench.give(.advertise([])) == [])
        #expect(bench.controller.commands.isEmpty)
    }

    @Test(arguments: [HCIOpcode.leSetAdvertisingParameters] + sequence)
    func refusal(_ opcode: HCIOpcode) {
        var bench = Self.ready()
        bench.controller.statuses = [opcode: 0x12]
        #expect(
            bench.give(.advertise([Self.advertisement(1)])) == [.advertisingRefused(opcode, HCIStatus(rawValue: 0x12))])
        bench.controller.statuses = [:]
        #expect(bench.give(.advertise([Self.advertisement(2)])) == [.advertisingStarted])
        #expect(Self.aired(bench).last == [2, 2, 2])
    }

    /// Some controllers cannot advertise during a connection. The host reports this and does not fail.
    @Test func disallowedWhileConnected() {
        var bench = Bench.connected()
        bench.controller.statuses = [.leSetAdvertisingEnable: 0x0C]
        #expect(
            bench.give(.advertise([Self.advertisement(1)]))
                == [.advertisingRefused(.leSetAdvertisingEnable, .commandDisallowed)])
        #expect(bench.ask([0x0A, 3, 0]) != nil)
    }

    /// The controller believes that advertising is already on. The host switches it off and tries exactly once more.
    @Test func disagreementAboutBeingOff() {
        var bench = Self.ready()
        bench.controller.statuses = [.leSetRandomAddress: 0x0C]
        #expect(
            bench.give(.advertise([Self.advertisement(1)]))
                == [.advertisingRefused(.leSetRandomAddress, .commandDisallowed)])
        let enables = bench.controller.commands.filter { $0.opcode == .leSetAdvertisingEnable }
        #expect(enables.map(\.parameters) == [[0]])
    }

    /// A controller may refuse to switch off advertising that is already off. The host continues.
    @Test func disableDisallowed() {
        var bench = Self.ready()
        bench.give(.advertise([Self.advertisement(1)]))
        bench.controller.statuses = [.leSetAdvertisingEnable: 0x0C]
        bench.controller.fallSilent()
        let count = bench.controller.commands.count
        bench.give(.advertise([Self.advertisement(2)]))
        #expect(bench.controller.commands[count...].map(\.opcode) == [.leSetAdvertisingEnable] + Self.sequence)
    }

    @Test func silenceIsAFailure() {
        var bench = Self.ready()
        bench.controller.silent = [.leSetScanResponseData]
        #expect(bench.give(.advertise([Self.advertisement(1)])) == [])
        #expect(bench.pass(.seconds(2)) == [.failed(.commandTimedOut(.leSetScanResponseData))])
    }

    /// A phone connects while the next advertisement is being set up: the host does not put that
    /// advertisement on the air.
    @Test func connectionInTheMiddle() {
        var bench = Self.ready()
        bench.give(.advertise([Self.advertisement(1)]))
        _ = bench.host.handle(.advertise([Self.advertisement(2)]), at: bench.now)
        let news = bench.give(.received(Packets.connectionComplete()))
        #expect(news.count == 1)
        #expect(
            bench.give(.received(bench.controller.complete(.leSetAdvertisingEnable, [0]))) == [.advertisingStopped])
        #expect(Self.aired(bench) == [[1, 1, 1]])
    }

    @Test func failedAttemptIsFollowedByTheSameAdvertisement() {
        var bench = Self.ready()
        bench.give(.advertise([Self.advertisement(1)]))
        #expect(bench.give(.received(Packets.connectionComplete(status: 0x3E))) == [.advertisingStarted])
        #expect(Self.aired(bench) == [[1, 1, 1], [1, 1, 1]])
        bench.give(.advertise([]))
        #expect(bench.give(.received(Packets.connectionComplete(status: 0x3E))) == [])
    }
}
