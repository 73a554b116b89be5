import Encoding

@testable import BluetoothHost

/// A host on a fake controller, with a clock that the test moves.
struct Bench {
    /// The characteristics of the test's service, with the same properties as Tuvali's.
    enum ID {
        static let write = CharacteristicID(rawValue: 6)
        static let readIndicate = CharacteristicID(rawValue: 4)
        static let indicate = CharacteristicID(rawValue: 10)
        static let notify = CharacteristicID(rawValue: 11)
    }

    /// A service with 16- and 128-bit types; its handles are listed in ``Handle``.
    static let service = ServiceDefinition(
        uuid: BluetoothUUID(short: 0x0001),
        characteristics: [
            .init(
                id: ID.write, uuid: BluetoothUUID("00000006-5026-444A-9E0E-D6F2450F3A77")!,
                properties: [.write, .writeWithoutResponse]),
            .init(
                id: ID.readIndicate, uuid: BluetoothUUID("00000004-5026-444A-9E0E-D6F2450F3A77")!,
                properties: [.read, .indicate], value: Array(0..<100)),
            .init(
                id: ID.indicate, uuid: BluetoothUUID("0000000A-5026-444A-9E0E-D6F2450F3A77")!,
                properties: .indicate),
            .init(id: ID.notify, uuid: BluetoothUUID(short: 0x2037), properties: .notify),
        ])

    /// Generic Access 1–5, Generic Attribute 6–9, then the test's service from 10.
    enum Handle {
        static let deviceName: UInt8 = 3
        static let appearance: UInt8 = 5
        static let serviceChanged: UInt8 = 8
        static let serviceChangedConfiguration: UInt8 = 9
        static let service: UInt8 = 10
        static let write: UInt8 = 12
        static let readIndicate: UInt8 = 14
        static let readIndicateConfiguration: UInt8 = 15
        static let indicate: UInt8 = 17
        static let indicateConfiguration: UInt8 = 18
        static let notify: UInt8 = 20
        static let last: UInt8 = 21
    }

    static let phone = ConnectionHandle(rawValue: 0x0040)

    var host: Host
    var controller: FakeController
    var now = Instant.zero
    /// Every action that the host reported so far, without packets.
    var told: [HostAction] = []
    /// The L2CAP PDUs that the phones have received, with their connection.
    var heard: [(handle: UInt16, frame: L2CAPFrame)] = []
    /// The data packets as they were sent.
    var dataPackets: [[UInt8]] = []
    private var partial: [UInt16: [UInt8]] = [:]

    init(
        _ controller: FakeController = FakeController(), services: [ServiceDefinition] = [Bench.service],
        configure: (inout HostConfiguration) -> Void = { _ in }
    ) {
        var configuration = HostConfiguration()
        configuration.deviceName = "Gate"
        configure(&configuration)
        host = Host(configuration: configuration, services: services)
        self.controller = controller
    }

    static let advertisement = try! Advertisement(
        address: DeviceAddress(bytes: [0xAA, 0xFB, 0x0D, 0x94, 0x81, 0x70], isRandom: true),
        data: [0x02, 0x01, 0x06], scanResponse: [0x03, 0x16, 0x02, 0x00])

    /// Returns a bench with a connected phone.
    static func connected(_ controller: FakeController = FakeController()) -> Bench {
        var bench = Bench(controller)
        bench.give(.start)
        bench.give(.advertise([advertisement]))
        bench.give(.received(Packets.connectionComplete()))
        bench.forget()
        return bench
    }

    /// Passes an event to the host, and then the controller's answers, until neither sends anything more.
    /// Returns the actions that the host reported.
    @discardableResult mutating func give(_ event: HostEvent) -> [HostAction] {
        let before = told.count
        var events = [event]
        if case .received(let packet) = event { controller.plays(packet) }
        while !events.isEmpty {
            for action in host.handle(events.removeFirst(), at: now) {
                guard case .send(let packet) = action else {
                    told.append(action)
                    continue
                }
                if packet[0] == 0x02 { hear(packet) }
                events += controller.receive(packet).map { .received($0) }
            }
        }
        return Array(told[before...])
    }

    /// Advances the clock and sends `timer` at each deadline on the way.
    @discardableResult mutating func pass(_ duration: Duration) -> [HostAction] {
        let before = told.count
        let end = now.advanced(by: duration)
        while let deadline = host.deadline, deadline <= end {
            now = max(now, deadline)
            give(.timer)
        }
        now = end
        return Array(told[before...])
    }

    /// Sends a PDU from a phone on the attribute channel; returns the actions that the host reported.
    @discardableResult mutating func att(_ pdu: [UInt8], handle: UInt16 = 0x0040) -> [HostAction] {
        var news: [HostAction] = []
        for packet in Packets.acl(4, pdu, handle: handle) { news += give(.received(packet)) }
        return news
    }

    /// Sends a request and returns the attribute PDU that answers it, or nil.
    mutating func ask(_ pdu: [UInt8]) -> [UInt8]? {
        let before = heard.count
        att(pdu)
        return heard[before...].first { $0.frame.channel == 4 }.map { [UInt8]($0.frame.payload) }
    }

    /// Forgets the actions and PDUs recorded so far.
    mutating func forget() {
        told = []
        heard = []
        dataPackets = []
    }

    /// The attribute PDUs that the phones have received so far.
    var values: [[UInt8]] { heard.filter { $0.frame.channel == 4 }.map { [UInt8]($0.frame.payload) } }

    private mutating func hear(_ packet: [UInt8]) {
        dataPackets.append(packet)
        let header = UInt16(packet[1]) | UInt16(packet[2]) << 8
        let handle = header & 0x0FFF
        let bytes = (header >> 12 == 1 ? partial[handle] ?? [] : []) + packet[5...]
        if bytes.count >= 4, bytes.count == 4 + Int(bytes[0]) + Int(bytes[1]) << 8,
            let frame = L2CAPFrame(complete: bytes[...])
        {
            heard.append((handle, frame))
            partial[handle] = nil
        } else {
            partial[handle] = bytes
        }
    }
}
