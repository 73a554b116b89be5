import Encoding
import Testing

@testable import BluetoothHost

/// The establishment and the end of connections.
@Suite("Bluetooth host: connections")
struct ConnectionTests {
    @Test(arguments: [0x0A, 0x29] as [UInt8])
    func enhancedConnectionComplete(subevent: UInt8) {
        var bench = Bench()
        bench.give(.start)
        var body: [UInt8] = [0, 0x40, 0, 1, 1, 0xA1, 0xA2, 0xA3, 0xA4, 0xA5, 0x46]
        body += [UInt8](repeating: 0, count: 12) + [24, 0, 1, 0, 0xF4, 1, 0]
        if subevent == 0x29 { body += [0xFF, 0, 0] }
        guard case .connected(let connection, _)? = bench.give(.received(Packets.meta(subevent, body))).first else {
            Issue.record("not connected")
            return
        }
        #expect(connection.handle == Bench.phone)
        #expect(connection.parameters == .init(interval: 24, latency: 1, supervisionTimeout: 500))
    }

    @Test func oneConnectionTooMany() {
        var bench = Bench.connected()
        bench.give(.received(Packets.connectionComplete(0x41)))
        bench.give(.advertise([Bench.advertisement]))
        // The connection is refused, and the advertisement is on the air again.
        #expect(bench.give(.received(Packets.connectionComplete(0x42))) == [.advertisingStarted])
        #expect(bench.controller.commands.contains { $0.opcode == .disconnect && $0.parameters == [0x42, 0, 0x14] })
        #expect(bench.att([0x0A, 3, 0], handle: 0x42) == [])
        #expect(bench.values == [])
        #expect(bench.give(.received(Packets.disconnectionComplete(0x42))) == [])
        #expect(bench.ask([0x0A, 3, 0]) != nil)
    }

    @Test func handleGivenOutAgain() {
        var bench = Bench.connected()
        bench.att([0x02, 0x05, 0x02])
        let news = bench.give(.received(Packets.connectionComplete()))
        #expect(news.first == .disconnected(Bench.phone, .unspecified))
        #expect(news.count == 2)
    }

    /// Core Specification Vol 4 Part E 7.7.65.1 gives the ranges. If a link does not end, the host waits for the
    /// supervision timeout. A damaged event must not set the timeout to ten minutes.
    @Test(arguments: [
        (0, 0, 0, 6, 0, 10), (24, 3, 500, 24, 3, 500), (0x0C80, 0x01F3, 0x0C80, 0x0C80, 0x01F3, 0x0C80),
        (0xFFFF, 0xFFFF, 0xFFFF, 0x0C80, 0x01F3, 0x0C80),
    ])
    func parametersOutOfRange(
        interval: UInt16, latency: UInt16, timeout: UInt16, _ kept: UInt16, _ keptLatency: UInt16, _ keptTimeout: UInt16
    ) throws {
        var body: [UInt8] = []
        for value in [interval, latency, timeout] { body.appendLE(value) }
        var reader = ByteReader(body)
        let parameters = try ConnectionParameters(&reader)
        #expect(
            parameters
                == ConnectionParameters(interval: kept, latency: keptLatency, supervisionTimeout: keptTimeout))
        #expect(parameters.supervisionTime <= .seconds(32))
    }

    @Test func aClosingLinkIgnoresRequests() {
        var bench = Bench.connected()
        bench.give(.disconnect(Bench.phone, .userTerminated))
        #expect(bench.att([0x52, Bench.Handle.write, 0, 1]) == [])
        #expect(bench.att([0x0A, 3, 0]) == [])
        #expect(bench.values == [])
        #expect(
            bench.give(.notify(Bench.phone, Bench.ID.notify, [1]))
                == [.notDelivered(Bench.phone, Bench.ID.notify, .notConnected)])
        bench.give(.disconnect(Bench.phone, .userTerminated))
        #expect(bench.controller.commands.filter { $0.opcode == .disconnect }.count == 1)
    }

    @Test func valuesThatWaitWhenTheEndIsAskedFor() {
        var bench = Bench.connected()
        bench.att([0x12, Bench.Handle.indicateConfiguration, 0, 2, 0])
        bench.give(.notify(Bench.phone, Bench.ID.indicate, [1]))
        bench.give(.notify(Bench.phone, Bench.ID.indicate, [2]))
        let lost = HostAction.notDelivered(Bench.phone, Bench.ID.indicate, .notConnected)
        #expect(bench.give(.disconnect(Bench.phone, .userTerminated)) == [lost, lost])
        #expect(bench.give(.received(Packets.disconnectionComplete())).count == 1)
    }

    /// Frames that were queued before the disconnection are still sent, so the phone receives the last
    /// message.
    @Test func framesQueuedBeforeTheEndStillGoOut() {
        var controller = FakeController()
        controller.aclPackets = 1
        controller.completesData = false
        var bench = Bench.connected(controller)
        for value: UInt8 in 1...2 { bench.give(.notify(Bench.phone, Bench.ID.notify, [value])) }
        bench.give(.disconnect(Bench.phone, .userTerminated))
        #expect(
            bench.give(.received([0x04, 0x13, 5, 1, 0x40, 0x00, 1, 0]))
                == [.delivered(Bench.phone, Bench.ID.notify, confirmed: false)])
        #expect(bench.values.count == 2)
    }

    /// After a restart, nothing that was queued before it is sent.
    @Test func restartDropsWhatWaits() {
        var controller = FakeController()
        controller.aclPackets = 1
        controller.completesData = false
        var bench = Bench.connected(controller)
        for value: UInt8 in 1...3 { bench.give(.notify(Bench.phone, Bench.ID.notify, [value])) }
        bench.give(.start)
        bench.give(.received([0x04, 0x13, 5, 1, 0x40, 0x00, 1, 0]))
        #expect(bench.values.count == 1)
    }

    /// The answer to the phone precedes the report to the application, which may for example cause a notification.
    @Test func packetsComeBeforeEvents() {
        var bench = Bench.connected()
        let packet = Packets.acl(4, [0x12, Bench.Handle.write, 0, 1])[0]
        let actions = bench.host.handle(.received(packet), at: bench.now)
        guard case .send(let answer)? = actions.first, case .written? = actions.last else {
            Issue.record("\(actions)")
            return
        }
        #expect(answer.last == 0x13)
    }

    /// A command that is queued when its connection ends must not affect the next connection with the same
    /// handle.
    @Test func waitingCommandsEndWithTheirConnection() {
        var bench = Bench()
        bench.controller.silent = [.leSetDataLength]
        bench.give(.start)
        bench.give(.received(Packets.connectionComplete()))
        bench.give(.disconnect(Bench.phone, .userTerminated))
        bench.give(.received(Packets.disconnectionComplete()))
        bench.give(.received(Packets.connectionComplete()))
        bench.pass(.seconds(5))
        #expect(!bench.controller.commands.contains { $0.opcode == .disconnect })
        #expect(bench.ask([0x0A, 3, 0]) != nil)
    }

    @Test func disconnectionThatIsNeverReported() {
        var bench = Bench.connected()
        bench.give(.disconnect(Bench.phone, .userTerminated))
        // The host waits for the supervision timeout of 5 s plus 2 s. Then it repeats the command and waits for another
        // 2 s.
        #expect(bench.pass(.milliseconds(6999)) == [])
        #expect(bench.controller.commands.count { $0.opcode == .disconnect } == 1)
        #expect(bench.pass(.milliseconds(2000)) == [])
        #expect(bench.controller.commands.count { $0.opcode == .disconnect } == 2)
        #expect(
            bench.pass(.milliseconds(1))
                == [.disconnected(Bench.phone, .unspecified), .failed(.disconnectionStalled(Bench.phone))])
    }

    /// If a phone chose a longer supervision timeout while its link is being ended, the host waits for the longer
    /// timeout before it reports a failure of the controller.
    @Test func theTimeoutThatIsInForceCounts() {
        var bench = Bench.connected()
        bench.give(.disconnect(Bench.phone, .userTerminated))
        bench.give(.received(Packets.meta(0x03, [0, 0x40, 0x00, 12, 0, 0, 0, 0x80, 0x0C])))
        #expect(bench.pass(.milliseconds(33_999)) == [])
        #expect(bench.controller.commands.count { $0.opcode == .disconnect } == 1)
        // A shorter timeout does not shorten a wait that has begun, because it may not yet be in force.
        bench.give(.received(Packets.meta(0x03, [0, 0x40, 0x00, 12, 0, 0, 0, 0x58, 0x02])))
        #expect(bench.pass(.milliseconds(1)) == [])
        #expect(bench.controller.commands.count { $0.opcode == .disconnect } == 2)
    }

    /// The event that reports the end of a link was lost. The other phone's link is not affected.
    @Test func disconnectionWhoseReportWasLost() {
        var bench = Bench.connected()
        bench.give(.disconnect(Bench.phone, .userTerminated))
        bench.give(.received(Packets.connectionComplete(0x41)))
        bench.controller.statuses = [.disconnect: 0x02]
        #expect(bench.pass(.seconds(8)) == [.disconnected(Bench.phone, .unknownConnection)])
        #expect(bench.att([0x0A, 3, 0], handle: 0x41) == [])
        #expect(bench.values.count == 1)
    }

    @Test func disconnectionOfWhatIsGone() {
        var bench = Bench.connected()
        bench.controller.statuses = [.disconnect: 0x02]
        #expect(
            bench.give(.disconnect(Bench.phone, .userTerminated)) == [.disconnected(Bench.phone, .unknownConnection)])
        #expect(bench.give(.disconnect(Bench.phone, .userTerminated)) == [])
        #expect(bench.give(.received(Packets.disconnectionComplete())) == [])
    }

    @Test func disconnectionThatFails() {
        var bench = Bench.connected()
        #expect(bench.give(.received([0x04, 0x05, 4, 0x0C, 0x40, 0, 0x13])) == [])
        #expect(bench.ask([0x0A, 3, 0]) != nil)
    }
}
