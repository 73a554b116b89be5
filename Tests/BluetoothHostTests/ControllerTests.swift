import Encoding
import Testing

@testable import BluetoothHost

/// Controllers with few features, without answers, or with faults.
@Suite("Bluetooth host: controllers")
struct ControllerTests {
    private static func isReady(_ news: [HostAction]) -> ControllerInformation? {
        for case .ready(let information) in news { return information }
        return nil
    }

    private static let optional: [HCIOpcode] = [
        .readLocalVersion, .readLocalSupportedCommands, .readLocalSupportedFeatures, .readAddress, .leSetEventMask,
        .leReadBufferSize, .leReadLocalSupportedFeatures, .leReadSupportedStates, .leWriteSuggestedDefaultDataLength,
        .leSetDefaultPHY,
    ]

    @Test(arguments: optional)
    func unknownOptionalCommand(_ opcode: HCIOpcode) {
        var bench = Bench()
        bench.controller.unknown = [opcode]
        #expect(Self.isReady(bench.give(.start)) != nil)
    }

    @Test(arguments: optional)
    func silentOptionalCommand(_ opcode: HCIOpcode) {
        var bench = Bench()
        bench.controller.silent = [opcode]
        #expect(bench.give(.start) == [])
        #expect(bench.pass(.milliseconds(999)) == [])
        #expect(Self.isReady(bench.pass(.milliseconds(1))) != nil)
    }

    @Test(arguments: optional)
    func refusedOptionalCommand(_ opcode: HCIOpcode) {
        for status: UInt8 in [0x0C, 0x11, 0x12, 0x1F, 0xFF] {
            var bench = Bench()
            bench.controller.statuses = [opcode: status]
            #expect(Self.isReady(bench.give(.start)) != nil)
        }
    }

    @Test func everyOptionalCommandUnknown() {
        var bench = Bench()
        bench.controller.unknown = Set(Self.optional)
        let information = Self.isReady(bench.give(.start))
        #expect(information?.version == nil)
        #expect(information?.address == nil)
        #expect(information?.aclLength == 251)  // from Read Buffer Size
    }

    @Test(arguments: [HCIOpcode.reset, .setEventMask])
    func mandatoryCommand(_ opcode: HCIOpcode) {
        var unknown = Bench()
        unknown.controller.unknown = [opcode]
        #expect(unknown.give(.start) == [.failed(.commandFailed(opcode, .unknownCommand))])
        var refused = Bench()
        refused.controller.statuses = [opcode: 0x1F]
        #expect(refused.give(.start) == [.failed(.commandFailed(opcode, .unspecified))])
        var silent = Bench()
        silent.controller.silent = [opcode]
        silent.give(.start)
        #expect(silent.pass(.milliseconds(1999)) == [])
        #expect(silent.pass(.milliseconds(1)) == [.failed(.commandTimedOut(opcode))])
        #expect(silent.host.deadline == nil)
        // A new start is enough to recover.
        silent.controller.silent = []
        #expect(Self.isReady(silent.give(.start)) != nil)
    }

    @Test func sharedBuffers() {
        var bench = Bench()
        bench.controller.sharesBuffers = true
        bench.controller.aclLength = 1021
        let information = Self.isReady(bench.give(.start))
        #expect(information?.aclLength == 1021)
        #expect(bench.controller.commands.map(\.opcode).contains(.readBufferSize))
    }

    @Test func noBuffersAtAll() {
        var bench = Bench()
        bench.controller.unknown = [.leReadBufferSize, .readBufferSize]
        #expect(bench.give(.start) == [.failed(.noDataBuffers)])
        bench.controller.unknown = []
        bench.controller.aclLength = 5
        #expect(bench.give(.start) == [.failed(.noDataBuffers)])
        bench.controller.aclLength = 27
        bench.controller.aclPackets = 0
        #expect(bench.give(.start) == [.failed(.noDataBuffers)])
    }

    /// A Zero 2 W: Bluetooth 4.1, no data length extension, no 2M PHY.
    @Test func plainController() {
        var bench = Bench()
        bench.controller.leFeatures = 0
        bench.give(.start)
        bench.give(.advertise([Bench.advertisement]))
        bench.give(.received(Packets.connectionComplete()))
        let opcodes = Set(bench.controller.commands.map(\.opcode))
        #expect(
            opcodes.isDisjoint(with: [
                .leWriteSuggestedDefaultDataLength, .leSetDefaultPHY, .leSetDataLength, .leSetPHY,
            ]))
    }

    /// The host does not send a command that the controller's list lacks, even if the feature bits are set.
    @Test func unannouncedCommands() {
        var bench = Bench()
        bench.controller.supportedCommands = [UInt8](repeating: 0, count: 64)
        bench.controller.supportedCommands[35] = 0x40  // LE Set PHY only
        bench.give(.start)
        bench.give(.received(Packets.connectionComplete()))
        let opcodes = Set(bench.controller.commands.map(\.opcode))
        #expect(opcodes.contains(.leSetPHY))
        #expect(
            opcodes.isDisjoint(with: [.leWriteSuggestedDefaultDataLength, .leSetDefaultPHY, .leSetDataLength]))
    }

    /// Bumble's controller does not support LE Set Data Length and never answers LE Set PHY. The visit
    /// continues, and the host does not try either command again.
    @Test func silentSetPHY() {
        var bench = Bench()
        bench.controller.unknown = [.leSetDataLength]
        bench.controller.silent = [.leSetPHY]
        bench.give(.start)
        bench.give(.received(Packets.connectionComplete()))
        #expect(bench.ask([0x0A, 3, 0]) != nil)
        bench.give(.disconnect(Bench.phone, .userTerminated))
        #expect(bench.controller.commands.last?.opcode == .leSetPHY)
        bench.pass(.seconds(1))
        #expect(bench.controller.commands.last?.opcode == .disconnect)
        bench.give(.received(Packets.disconnectionComplete()))
        let count = bench.controller.commands.count
        #expect(bench.give(.received(Packets.connectionComplete())).count == 1)
        #expect(bench.controller.commands.count == count)
    }

    /// A late answer to a command that timed out is not taken for the answer to the next command.
    @Test func lateAnswer() {
        var bench = Bench()
        bench.controller.silent = [.readLocalVersion, .readLocalSupportedCommands]
        bench.give(.start)
        bench.pass(.seconds(1))
        #expect(bench.controller.commands.last?.opcode == .readLocalSupportedCommands)
        let late = bench.controller.complete(.readLocalVersion, [0, 9, 0, 0, 9, 0, 0, 0, 0])
        #expect(bench.give(.received(late)) == [])
        #expect(bench.controller.commands.last?.opcode == .readLocalSupportedCommands)
        #expect(Self.isReady(bench.pass(.seconds(1)))?.version == nil)
    }

    @Test func creditsAreAwaited() {
        var bench = Bench()
        bench.controller.credits = 0
        bench.give(.start)
        #expect(bench.controller.commands.map(\.opcode) == [.reset])
        bench.controller.credits = 1
        #expect(Self.isReady(bench.give(.received([0x04, 0x0E, 3, 1, 0, 0]))) != nil)
    }

    @Test func creditsThatNeverCome() {
        var bench = Bench()
        bench.controller.credits = 0
        bench.give(.start)
        // The host sends one command without a credit after a timeout; it gives up at the second.
        #expect(bench.pass(.milliseconds(3999)) == [])
        #expect(bench.pass(.milliseconds(1)) == [.failed(.commandTimedOut(.readLocalSupportedCommands))])
    }

    @Test func commandStatusInPlaceOfCommandComplete() {
        var bench = Bench()
        bench.controller.silent = [.readLocalVersion]
        bench.give(.start)
        #expect(Self.isReady(bench.give(.received([0x04, 0x0F, 4, 0x01, 1, 0x01, 0x10]))) != nil)
        var mandatory = Bench()
        mandatory.controller.silent = [.reset]
        mandatory.give(.start)
        #expect(
            mandatory.give(.received([0x04, 0x0F, 4, 0x0C, 1, 0x03, 0x0C]))
                == [.failed(.commandFailed(.reset, .commandDisallowed))])
    }

    @Test func answerWithoutStatus() {
        var bench = Bench()
        bench.controller.silent = [.reset]
        bench.give(.start)
        #expect(
            bench.give(.received([0x04, 0x0E, 3, 1, 0x03, 0x0C]))
                == [.failed(.commandFailed(.reset, .unspecified))])
    }

    @Test func hardwareErrorEndsEverything() {
        var bench = Bench.connected()
        #expect(
            bench.give(.received([0x04, 0x10, 1, 0x42]))
                == [.disconnected(Bench.phone, .unspecified), .failed(.hardwareError(0x42))])
        #expect(bench.host.deadline == nil)
        #expect(bench.att([0x0A, 3, 0]) == [])
        #expect(bench.give(.advertise([Bench.advertisement])) == [])
        #expect(Self.isReady(bench.give(.start)) != nil)
        #expect(bench.give(.advertise([Bench.advertisement])) == [.advertisingStarted])
    }

    @Test func hardwareErrorWhileAdvertising() {
        var bench = Bench()
        bench.give(.start)
        bench.give(.advertise([Bench.advertisement]))
        #expect(
            bench.give(.received([0x04, 0x10, 1, 0x00])) == [.advertisingStopped, .failed(.hardwareError(0))])
    }

    @Test func lostTransport() {
        var bench = Bench.connected()
        #expect(
            bench.give(.transportLost)
                == [.disconnected(Bench.phone, .unspecified), .failed(.transportLost)])
    }

    @Test func restartWithinAVisit() {
        var bench = Bench.connected()
        #expect(Self.isReady(bench.give(.start)) != nil)
        #expect(bench.att([0x0A, 3, 0]) == [])
        #expect(bench.values == [])
    }

    @Test func watchdogAsksForASignOfLife() {
        var bench = Bench()
        bench.give(.start)
        let count = bench.controller.commands.count
        bench.pass(.milliseconds(9999))
        #expect(bench.controller.commands.count == count)
        bench.pass(.milliseconds(20002))
        #expect(bench.controller.commands[count...].map(\.opcode) == [.readAddress, .readAddress, .readAddress])
        bench.controller.silent = [.readAddress]
        #expect(
            bench.pass(.seconds(12)) == [.failed(.commandTimedOut(.readAddress))])
    }

    @Test func watchdogAcceptsAnyAnswer() {
        var bench = Bench()
        bench.give(.start)
        bench.controller.unknown = [.readAddress]
        #expect(bench.pass(.seconds(60)) == [])
    }

    @Test func watchdogCanBeSwitchedOff() {
        var bench = Bench(configure: { $0.watchdogInterval = nil })
        bench.give(.start)
        #expect(bench.host.deadline == nil)
    }

    @Test func failuresSayWhatHelps() {
        let failures: [HostFailure] = [
            .commandTimedOut(.reset), .commandFailed(.leSetRandomAddress, .commandDisallowed), .noDataBuffers,
            .hardwareError(0x42), .disconnectionStalled(Bench.phone), .buffersKept,
            .transportLost,
        ]
        for failure in failures { #expect(failure.description.contains(":")) }
        #expect(failures[1].description.contains("LE Set Random Address (0x2005) with command disallowed (0x0C)"))
    }
}
