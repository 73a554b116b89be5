import Encoding
import Testing

@testable import BluetoothHost

/// One ordinary visit, from the start to the disconnection: the baseline for all other suites.
@Suite("Bluetooth host: a visit")
struct VisitTests {
    @Test func setUpAsksInTheRightOrder() {
        var bench = Bench()
        let news = bench.give(.start)
        #expect(
            bench.controller.commands.map(\.opcode) == [
                .reset, .readLocalVersion, .readLocalSupportedCommands, .readLocalSupportedFeatures, .readAddress,
                .setEventMask, .leReadBufferSize, .leReadLocalSupportedFeatures, .leReadSupportedStates,
                .leSetEventMask, .leWriteSuggestedDefaultDataLength, .leSetDefaultPHY,
            ])
        guard case .ready(let information)? = news.first, news.count == 1 else {
            Issue.record("not ready: \(news)")
            return
        }
        #expect(information.version == 9)
        #expect(information.manufacturer == 0x0131)
        #expect(information.subversion == 0x5678)
        #expect(information.address?.description == "06:05:04:03:02:01")
        #expect(information.features == 0x0000_0060_0000_0000)
        #expect(information.aclLength == 251)
        #expect(information.aclPackets == 8)
        #expect(information.supportsDataLengthExtension)
        #expect(information.supports2MPHY)
    }

    @Test func advertisementGoesOutAsOneStep() {
        var bench = Bench()
        bench.give(.start)
        let before = bench.controller.commands.count
        #expect(bench.give(.advertise([Bench.advertisement])) == [.advertisingStarted])
        let commands = bench.controller.commands[before...]
        #expect(
            commands.map(\.opcode) == [
                .leSetAdvertisingParameters, .leSetRandomAddress, .leSetAdvertisingData, .leSetScanResponseData,
                .leSetAdvertisingEnable,
            ])
        let parameters = commands.map(\.parameters)
        // ADV_IND, 20–30 ms, own address random, all channels, no filter.
        #expect(Hex.encode(parameters[0]) == "200030000001000000000000000700")
        #expect(Hex.encode(parameters[1]) == "aafb0d948170")
        #expect(parameters[2] == [3, 0x02, 0x01, 0x06] + [UInt8](repeating: 0, count: 28))
        #expect(parameters[3] == [4, 0x03, 0x16, 0x02, 0x00] + [UInt8](repeating: 0, count: 27))
        #expect(parameters[4] == [1])
    }

    @Test func aVisit() {
        var bench = Bench()
        bench.give(.start)
        bench.give(.advertise([Bench.advertisement]))
        bench.forget()

        // The phone connects.
        let connected = bench.give(.received(Packets.connectionComplete()))
        #expect(connected.count == 2)
        #expect(connected.first == .advertisingStopped)
        guard case .connected(let connection, _)? = connected.last else {
            Issue.record("not connected: \(connected)")
            return
        }
        #expect(connection.handle == Bench.phone)
        #expect(connection.role == .peripheral)
        #expect(connection.peer.description == "46:a5:a4:a3:a2:a1")
        #expect(connection.peer.isRandom)
        #expect(connection.parameters == .init(interval: 24, latency: 0, supervisionTimeout: 500))
        let wishes = bench.controller.commands.suffix(2)
        #expect(wishes.map(\.opcode) == [.leSetDataLength, .leSetPHY])
        #expect(wishes.map { Hex.encode($0.parameters) } == ["4000fb004808", "40000002020000"])

        // The phone exchanges MTUs; the host then asks it for a faster connection.
        #expect(bench.att([0x02, 0x05, 0x02]) == [.mtuChanged(Bench.phone, 517)])
        #expect(bench.values == [[0x03, 0x05, 0x02]])
        #expect(
            bench.heard.last?.frame == L2CAPFrame(channel: 5, payload: [0x12, 1, 8, 0, 12, 0, 12, 0, 0, 0, 0x58, 0x02]))

        // The phone discovers services, characteristics and descriptors.
        #expect(
            bench.ask([0x10, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28]) == [
                0x11, 6, 1, 0, 5, 0, 0x00, 0x18, 6, 0, 9, 0, 0x01, 0x18, 10, 0, 21, 0, 0x01, 0x00,
            ])
        let declaration: [UInt8] = [
            0x0C, 12, 0, 0x77, 0x3A, 0x0F, 0x45, 0xF2, 0xD6, 0x0E, 0x9E, 0x4A, 0x44, 0x26, 0x50, 6, 0, 0, 0,
        ]
        #expect(bench.ask([0x08, 10, 0, 12, 0, 0x03, 0x28]) == [0x09, 21, 11, 0] + declaration)
        #expect(bench.ask([0x04, 18, 0, 18, 0]) == [0x05, 1, 18, 0, 0x02, 0x29])

        // The phone writes, with and without response; the host sends the answer before it reports the write.
        #expect(
            bench.att([0x12, Bench.Handle.write, 0, 1, 2, 3])
                == [.written(Bench.phone, Bench.ID.write, [1, 2, 3], withResponse: true)])
        #expect(bench.values.last == [0x13])
        #expect(
            bench.att([0x52, Bench.Handle.write, 0, 4, 5])
                == [.written(Bench.phone, Bench.ID.write, [4, 5], withResponse: false)])

        // The phone never wrote a client configuration; the host notifies it nevertheless.
        #expect(
            bench.give(.notify(Bench.phone, Bench.ID.indicate, [0x00]))
                == [.delivered(Bench.phone, Bench.ID.indicate, confirmed: false)])
        #expect(bench.values.last == [0x1B, Bench.Handle.indicate, 0, 0x00])

        // The application ends the connection.
        #expect(bench.give(.disconnect(Bench.phone, .userTerminated)) == [])
        #expect(bench.controller.commands.last?.opcode == .disconnect)
        #expect(bench.controller.commands.last?.parameters == [0x40, 0x00, 0x13])
        #expect(
            bench.give(.received(Packets.disconnectionComplete(reason: 0x16)))
                == [.disconnected(Bench.phone, .localHostTerminated)])

        // The next visitor is waiting: the host does not send again the data that the controller already has.
        #expect(bench.give(.advertise([Bench.advertisement])) == [.advertisingStarted])
        #expect(bench.controller.commands.suffix(2).map(\.opcode) == [.disconnect, .leSetAdvertisingEnable])
    }
}
