import CLinuxShims
import Encoding
import Foundation
import Synchronization
import TestKit
import Testing

@testable import LinuxIO

@Suite("The opener of the radio", .tags(.realTime))
struct RadioOpenerTests {
    /// Makes a listening socket and one request on it. Returns the results of the requester and of the
    /// opener.
    private func ask(
        user: UInt32 = Accounts.user, _ take: @escaping @Sendable () throws(ChannelRefusal) -> Int32
    ) throws -> (asker: Result<Int32, ChannelRefusal>, opener: TransportError?) {
        let folder = try TestFolder()
        let path = folder.path + "/radio"
        let listener = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(listener) }
        #expect(withUnixAddress(path) { bind(listener, $0, $1) } == 0 && listen(listener, 1) == 0)
        let failure = Mutex<TransportError?>(nil)
        let done = DispatchSemaphore(value: 0)
        try Threads.start("opener") {
            let connection = accept(listener, nil, nil)
            do throws(TransportError) {
                try RadioOpener.answer(connection, user: user, device: "hci3", take: take)
            } catch {
                failure.withLock { $0 = error }
            }
            close(connection)
            done.signal()
        }
        let asker = Result { () throws(ChannelRefusal) in try RadioOpener.ask(path) }
        done.wait()
        return (asker, failure.withLock(\.self))
    }

    @Test("the service gets the descriptor itself, and the opener keeps none")
    func passes() throws {
        var ends: [Int32] = [0, 0]
        #expect(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0)
        let controller = ends[0]
        let (asker, opener) = try ask { [end = ends[1]] in end }
        #expect(opener == nil)
        let transport = PacketTransport(descriptor: try asker.get())
        #expect(fcntl(transport.descriptor, F_GETFD) == FD_CLOEXEC)
        #expect(transport.send([1, 3, 12, 0]) == nil)
        #expect(Sockets.readAll(controller, 4) == [1, 3, 12, 0])
        // The opener's own copy of the descriptor is closed, so closing this one releases the adapter.
        transport.close()
        #expect(Sockets.readAll(controller, 1) == [])
        close(controller)
    }

    @Test(
        "a refusal of the kernel arrives with its meaning", arguments: [(EBUSY, "hci3 is in use"), (ENODEV, "no such")])
    func refuses(_ code: Int32, _ text: String) throws {
        let (asker, opener) = try ask { () throws(ChannelRefusal) in throw ChannelRefusal(step: .binding, code: code) }
        #expect(throws: ChannelRefusal(step: .binding, code: code)) { try asker.get() }
        #expect("\(try #require(opener))".contains(text))
    }

    @Test("another user gets nothing, and the adapter is not touched for him")
    func stranger() throws {
        let (asker, opener) = try ask(user: Accounts.user + 1) { () throws(ChannelRefusal) in
            Issue.record("the adapter was taken")
            throw ChannelRefusal(step: .binding, code: EBUSY)
        }
        #expect(throws: ChannelRefusal(step: .asking, code: ECONNRESET)) { try asker.get() }
        #expect(opener == .opener("user \(Accounts.user) may not have hci3"))
    }

    @Test("it stays for a minute, and an answer may take nine seconds", .tags(.exact))
    func times() {
        #expect(RadioOpener.idle == .seconds(60) && RadioOpener.limit == .seconds(9))
    }

    @Test("it serves one request after the other, logs the same text once, and ends without further requests")
    func serves() throws {
        let folder = try TestFolder()
        let path = folder.path + "/radio"
        let listener = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(listener) }
        #expect(withUnixAddress(path) { bind(listener, $0, $1) } == 0 && listen(listener, 4) == 0)
        let said = Recorder<TransportError?>()
        let done = DispatchSemaphore(value: 0)
        try Threads.start("opener") {
            // No adapter has this address: nothing is touched, whatever adapters this machine has.
            try? RadioOpener.serve(listener, user: Accounts.user, idle: .seconds(1)) {
                "00:00:00:00:00:00"
            } say: { error in
                said.add(error)
            }
            done.signal()
        }
        let refusals = (0..<3).map { _ in
            #expect(throws: ChannelRefusal.self) { try RadioOpener.ask(path) }
        }
        #expect(Set(refusals).count == 1 && [EAFNOSUPPORT, ENODEV].contains(refusals[0]?.code))
        #expect(done.wait(timeout: .now() + 60) == .success)
        #expect(said.count == 1)
    }

    @Test(
        "each request has the adapter that is configured then; one that has left, or finds none configured, costs nothing"
    )
    func configured() throws {
        let folder = try TestFolder()
        let path = folder.path + "/radio"
        let listener = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(listener) }
        #expect(withUnixAddress(path) { bind(listener, $0, $1) } == 0 && listen(listener, 4) == 0)
        // A client that connected, and has already closed the connection to ask again later.
        let impatient = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0)
        #expect(withUnixAddress(path) { connect(impatient, $0, $1) } == 0)
        close(impatient)
        let configured = Mutex<[String?]>([nil, "00:00:00:00:00:00"])
        let done = DispatchSemaphore(value: 0)
        try Threads.start("opener") {
            try? RadioOpener.serve(listener, user: Accounts.user, idle: .seconds(1)) {
                configured.withLock { $0.removeFirst() }
            } say: { _ in
            }
            done.signal()
        }
        #expect(throws: ChannelRefusal(step: .asking, code: EINVAL)) { try RadioOpener.ask(path) }
        let refusal = #expect(throws: ChannelRefusal.self) { try RadioOpener.ask(path) }
        #expect([EAFNOSUPPORT, ENODEV].contains(refusal?.code))
        #expect(done.wait(timeout: .now() + 60) == .success && configured.withLock(\.isEmpty))
    }

    @Test("a missing opener is reported with its remedy")
    func absent() throws {
        let folder = try TestFolder()
        let path = folder.path + "/left"
        let listener = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0)
        #expect(withUnixAddress(path) { bind(listener, $0, $1) } == 0)
        close(listener)
        let error = #expect(throws: TransportError.self) { try HCIUserChannel.open("hci0", opener: path) }
        #expect(error == .opener("Connection refused"))
        #expect(error?.remedy.contains("gatehouse-radio.socket") == true)
    }

    @Test("a block by hardware is distinguished from one by software", .tags(.exact))
    func blocks() {
        let refusal = ChannelRefusal(step: .binding, code: ERFKILL)
        let soft = Adapters.Adapter(name: "hci0", location: "", softBlocked: true, hardBlocked: false)
        let hard = Adapters.Adapter(name: "hci0", location: "", softBlocked: false, hardBlocked: true)
        #expect(refusal.meaning(for: "hci0", adapters: [soft]) == .blocked)
        #expect(refusal.meaning(for: "hci0", adapters: [hard]) == .switchedOff)
        let absent = ChannelRefusal(step: .lowering, code: ENODEV).meaning(for: "hci1", adapters: [soft])
        #expect("\(absent)" == "hci1: no such adapter or device; there is hci0")
    }

    @Test("a missing adapter is reported at once, and awaited from then on")
    func missing() {
        let looks = Mutex(0)
        let missing = MissingAdapter(patience: .seconds(30)) {
            looks.withLock {
                $0 += 1; return $0 > 3
            }
        }
        #expect(throws: TransportError.notFound("hci0")) {
            try missing.open { () throws(TransportError) -> Int in throw .notFound("hci0") }
        }
        #expect(looks.withLock(\.self) == 0)
        #expect(throws: TransportError.busy("hci0")) {
            try missing.open { () throws(TransportError) -> Int in throw .busy("hci0") }
        }
        #expect(looks.withLock(\.self) == 4)
        #expect(throws: Never.self) { try missing.open { () throws(TransportError) -> Int in 1 } }
        #expect(looks.withLock(\.self) == 4)
    }
}

@Suite("Resetting an adapter")
struct AdapterResetTests {
    private let tree: TestFolder

    init() throws { tree = try TestFolder() }

    private func file(_ path: String, _ text: String = "") throws {
        let url = URL(fileURLWithPath: "\(tree.path)/\(path)")
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    private func link(_ path: String, to target: String) throws {
        let url = URL(fileURLWithPath: "\(tree.path)/\(path)")
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: url.path, withDestinationPath: "\(tree.path)/\(target)")
    }

    private func text(_ path: String) -> String {
        String(decoding: FileManager.default.contents(atPath: "\(tree.path)/\(path)") ?? Data(), as: UTF8.self)
    }

    private func run(_ device: String) throws -> [String] {
        try AdapterReset(system: tree.path, pause: 0).run(device).map { String($0.dropFirst(tree.path.count)) }
    }

    @Test("USB: the port of the adapter, and no other device")
    func usb() throws {
        try file("devices/usb1/authorized", "hub")
        for port in ["1-1", "1-2"] {
            try file("devices/usb1/\(port)/authorized", "?")
            try file("devices/usb1/\(port)/bDeviceClass", "e0\n")
            try file("devices/usb1/\(port)/bDeviceSubClass", "01\n")
            try file("devices/usb1/\(port)/bDeviceProtocol", "01\n")
            try link("bus/usb/devices/\(port)", to: "devices/usb1/\(port)")
        }
        try file("devices/usb1/1-2/1-2:1.0/bluetooth/hci0/uevent")
        // A single interface can be deauthorised, but that does not make the kernel find it again.
        try file("devices/usb1/1-2/1-2:1.0/authorized", "?")
        try file("devices/usb1/1-2/1-2:1.0/bInterfaceClass", "e0\n")
        try link("class/bluetooth/hci0/device", to: "devices/usb1/1-2/1-2:1.0")
        #expect(try run("hci0") == ["/devices/usb1/1-2/1-2:1.0"])
        #expect(text("devices/usb1/1-2/authorized") == "1" && text("devices/usb1/1-1/authorized") == "?")
        #expect(text("devices/usb1/1-2/1-2:1.0/authorized") == "?")
        #expect(text("devices/usb1/authorized") == "hub")
        // For an adapter that has vanished, every device that may be this adapter is reset.
        #expect(try run("hci1") == ["/bus/usb/devices/1-1", "/bus/usb/devices/1-2"])
        #expect(text("devices/usb1/1-1/authorized") == "1")
    }

    @Test("USB, where the port itself can be switched: that, and the device is left alone")
    func port() throws {
        try file("devices/usb1/usb1-port2/disable", "?")
        try file("devices/usb1/1-2/authorized", "?")
        try file("devices/usb1/1-2/bDeviceClass", "ff\n")
        try link("devices/usb1/1-2/port", to: "devices/usb1/usb1-port2")
        try file("devices/usb1/1-2/1-2:1.0/bluetooth/hci0/uevent")
        try link("class/bluetooth/hci0/device", to: "devices/usb1/1-2/1-2:1.0")
        #expect(try run("hci0") == ["/devices/usb1/1-2/1-2:1.0"])
        #expect(text("devices/usb1/usb1-port2/disable") == "0" && text("devices/usb1/1-2/authorized") == "?")
    }

    @Test("of several that could be it, one that refuses keeps the others from nothing")
    func refusal() throws {
        for port in ["1-1", "1-2"] {
            for (name, value) in [("Class", "e0\n"), ("SubClass", "01\n"), ("Protocol", "01\n")] {
                try file("devices/usb1/\(port)/bDevice\(name)", value)
            }
            try link("bus/usb/devices/\(port)", to: "devices/usb1/\(port)")
        }
        try file("devices/usb1/1-2/authorized", "?")
        #expect(try run("hci0") == ["/bus/usb/devices/1-2"] && text("devices/usb1/1-2/authorized") == "1")
        try FileManager.default.removeItem(atPath: "\(tree.path)/devices/usb1/1-2/authorized")
        #expect(throws: SystemError.self) { try run("hci0") }
    }

    @Test("a chip on a serial line: its driver lets go and takes it again")
    func serial() throws {
        for name in ["unbind", "bind"] { try file("bus/serial/drivers/hci_uart_bcm/\(name)") }
        try file("devices/soc/serial0/serial0-0/uevent")
        try link("devices/soc/serial0/serial0-0/subsystem", to: "bus/serial")
        try link("devices/soc/serial0/serial0-0/driver", to: "bus/serial/drivers/hci_uart_bcm")
        try link("bus/serial/drivers/hci_uart_bcm/serial0-0", to: "devices/soc/serial0/serial0-0")
        try link("class/bluetooth/hci0/device", to: "devices/soc/serial0/serial0-0")
        #expect(try run("hci0") == ["/devices/soc/serial0/serial0-0"])
        #expect(text("bus/serial/drivers/hci_uart_bcm/unbind") == "serial0-0")
        #expect(text("bus/serial/drivers/hci_uart_bcm/bind") == "serial0-0")
        try FileManager.default.removeItem(atPath: "\(tree.path)/class")
        #expect(try run("hci0") == ["/bus/serial/drivers/hci_uart_bcm/serial0-0"])
    }

    @Test("an adapter without a place of its own is left alone")
    func virtual() throws {
        try file("class/bluetooth/hci0/uevent")
        try file("devices/usb1/1-1/authorized", "?")
        #expect(try run("hci0") == [])
    }
}
