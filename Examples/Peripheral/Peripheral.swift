import BluetoothHost
import Encoding
import Glibc
import LinuxIO

/// A Bluetooth LE peripheral with one characteristic that echoes what a phone writes.
@main
struct Peripheral {
    static let echo = CharacteristicID(rawValue: 1)
    static let service = ServiceDefinition(
        uuid: BluetoothUUID(short: 0xFFF0),
        characteristics: [.init(id: echo, uuid: BluetoothUUID(short: 0xFFF1), properties: [.write, .notify])])
    static let address = DeviceAddress(bytes: [1, 2, 3, 4, 5, 0xC6], isRandom: true)

    static func main() throws {
        let words = CommandLine.arguments
        guard words.count == 3, let port = UInt16(words[2]) else { return print("usage: example-peripheral HOST PORT") }
        let radio = try TCPTransport.connect(host: words[1], port: port)
        // Flags, then the name: Core Specification Supplement, Part A.
        let shown = try Advertisement(address: address, data: [2, 1, 6, 5, 9] + "Echo".utf8, scanResponse: [])
        var host = Host(services: [service])
        var events: [HostEvent] = [.start]
        while true {
            // Every occurrence is an event; the host returns the actions to carry out.
            while !events.isEmpty {
                for action in host.handle(events.removeFirst(), at: SystemClock.now()) {
                    switch action {
                    case .send(let packet): if let error = radio.send(packet) { throw error }
                    case .ready, .disconnected: events.append(.advertise([shown]))
                    case .advertisingStarted: print("on the air")
                    case .written(let phone, echo, let value, _): events.append(.notify(phone, echo, value))
                    case .failed(let failure): throw failure
                    default: break
                    }
                }
            }
            fflush(nil)
            var entry = pollfd(fd: radio.descriptor, events: Int16(POLLIN), revents: 0)
            poll(
                &entry, 1,
                host.deadline.map { Int32(max(0, SystemClock.now().duration(to: $0).milliseconds + 1)) } ?? -1)
            for event in radio.receive() {
                switch event {
                case .packet(let packet): events.append(.received(packet))
                case .closed(let error): throw error
                }
            }
            if let deadline = host.deadline, deadline <= SystemClock.now() { events.append(.timer) }
        }
    }
}
