import Encoding
import Testing

@testable import BluetoothHost

/// Notifications and indications (Core Specification Vol 3 Part F 3.4.7).
@Suite("Bluetooth host: notifications and indications")
struct PushTests {
    private static let wantsIndications: [UInt8] = [0x12, Bench.Handle.indicateConfiguration, 0, 2, 0]

    @Test func clientConfigurationIsReportedAndRead() {
        var bench = Bench.connected()
        #expect(bench.att(Self.wantsIndications) == [.subscribed(Bench.phone, Bench.ID.indicate, .indications)])
        #expect(bench.ask([0x0A, Bench.Handle.indicateConfiguration, 0]) == [0x0B, 2, 0])
        #expect(bench.ask([0x0A, Bench.Handle.readIndicateConfiguration, 0]) == [0x0B, 0, 0])
        #expect(
            bench.att([0x52, Bench.Handle.indicateConfiguration, 0, 0, 0])
                == [.subscribed(Bench.phone, Bench.ID.indicate, .none)])
    }

    @Test func clientConfigurationEndsWithTheConnection() {
        var bench = Bench.connected()
        bench.att(Self.wantsIndications)
        bench.give(.received(Packets.disconnectionComplete()))
        bench.give(.received(Packets.connectionComplete()))
        #expect(bench.ask([0x0A, Bench.Handle.indicateConfiguration, 0]) == [0x0B, 0, 0])
    }

    @Test func serviceChangedIsTheServersOwn() {
        var bench = Bench.connected()
        #expect(bench.att([0x12, Bench.Handle.serviceChangedConfiguration, 0, 2, 0]) == [])
        #expect(bench.values == [[0x13]])
    }

    @Test func notificationWhereWanted() {
        var bench = Bench.connected()
        bench.att([0x12, Bench.Handle.indicateConfiguration, 0, 1, 0])
        bench.give(.notify(Bench.phone, Bench.ID.indicate, [7]))
        #expect(bench.values.last == [0x1B, Bench.Handle.indicate, 0, 7])
    }

    @Test func oneIndicationAtATime() {
        var bench = Bench.connected()
        bench.att(Self.wantsIndications)
        bench.forget()
        for value: UInt8 in 1...3 { #expect(bench.give(.notify(Bench.phone, Bench.ID.indicate, [value])) == []) }
        #expect(bench.values == [[0x1D, Bench.Handle.indicate, 0, 1]])
        for value: UInt8 in 2...3 {
            #expect(bench.att([0x1E]) == [.delivered(Bench.phone, Bench.ID.indicate, confirmed: true)])
            #expect(bench.values.last == [0x1D, Bench.Handle.indicate, 0, value])
        }
        #expect(bench.att([0x1E]) == [.delivered(Bench.phone, Bench.ID.indicate, confirmed: true)])
        #expect(bench.att([0x1E]) == [])
        #expect(bench.values.count == 3)
    }

    @Test func orderIsKeptAcrossCharacteristics() {
        var bench = Bench.connected()
        bench.att(Self.wantsIndications)
        bench.forget()
        bench.give(.notify(Bench.phone, Bench.ID.indicate, [1]))
        bench.give(.notify(Bench.phone, Bench.ID.notify, [2]))
        #expect(bench.values.count == 1)
        bench.att([0x1E])
        #expect(bench.values.last == [0x1B, Bench.Handle.notify, 0, 2])
    }

    @Test func missingConfirmationFallsBackToNotifications() {
        var bench = Bench.connected()
        bench.att(Self.wantsIndications)
        bench.forget()
        bench.give(.notify(Bench.phone, Bench.ID.indicate, [1]))
        bench.give(.notify(Bench.phone, Bench.ID.indicate, [2]))
        #expect(bench.pass(.milliseconds(4999)) == [])
        let delivered = HostAction.delivered(Bench.phone, Bench.ID.indicate, confirmed: false)
        #expect(bench.pass(.milliseconds(1)) == [.unconfirmed(Bench.phone, Bench.ID.indicate), delivered, delivered])
        let handle = Bench.Handle.indicate
        #expect(bench.values == [[0x1D, handle, 0, 1], [0x1B, handle, 0, 1], [0x1B, handle, 0, 2]])
        // The late confirmation has no effect, and the host sends no further indication.
        #expect(bench.att([0x1E]) == [])
        bench.give(.notify(Bench.phone, Bench.ID.indicate, [3]))
        #expect(bench.values.last == [0x1B, handle, 0, 3])
    }

    @Test func phoneThatLeavesIsReported() {
        var bench = Bench.connected()
        bench.att(Self.wantsIndications)
        for value: UInt8 in 1...2 { bench.give(.notify(Bench.phone, Bench.ID.indicate, [value])) }
        let lost = HostAction.notDelivered(Bench.phone, Bench.ID.indicate, .notConnected)
        #expect(
            bench.give(.received(Packets.disconnectionComplete(reason: 0x08)))
                == [lost, lost, .disconnected(Bench.phone, .connectionTimeout)])
        #expect(bench.give(.notify(Bench.phone, Bench.ID.indicate, [3])) == [lost])
    }

    @Test func refusals() {
        var bench = Bench.connected()
        let unknown = CharacteristicID(rawValue: 999)
        #expect(
            bench.give(.notify(Bench.phone, unknown, [1]))
                == [.notDelivered(Bench.phone, unknown, .unknownCharacteristic)])
        #expect(
            bench.give(.notify(Bench.phone, Bench.ID.write, [1]))
                == [.notDelivered(Bench.phone, Bench.ID.write, .unknownCharacteristic)])
        bench.att(Self.wantsIndications)
        for _ in 0..<65 { #expect(bench.give(.notify(Bench.phone, Bench.ID.indicate, [1])) == []) }
        #expect(
            bench.give(.notify(Bench.phone, Bench.ID.indicate, [1]))
                == [.notDelivered(Bench.phone, Bench.ID.indicate, .queueFull)])
    }

    @Test func mtuThatShrinksCutsWhatWaits() {
        var bench = Bench.connected()
        bench.att([0x02, 0x05, 0x02])
        bench.att(Self.wantsIndications)
        bench.give(.notify(Bench.phone, Bench.ID.indicate, [1]))
        bench.give(.notify(Bench.phone, Bench.ID.indicate, [UInt8](repeating: 2, count: 100)))
        bench.att([0x02, 23, 0])
        bench.att([0x1E])
        #expect(bench.values.last?.count == 23)
    }
}
