import Encoding
import Testing

@testable import Simulation

@Suite struct ControllerTests {
    private static var withSets: ControllerTraits {
        var traits = ControllerTraits()
        traits.advertisingSets = 6
        return traits
    }

    /// Sends a command and returns the packets that the controller sent to the host.
    private func send(
        _ controller: inout VirtualController, _ opcode: UInt16, _ parameters: [UInt8] = [], at now: Instant = .zero
    ) -> [VirtualController.Action] {
        controller.handle(
            .fromHost([1] + [UInt8].littleEndian(opcode) + [UInt8(parameters.count)] + parameters), at: now)
    }

    private func complete(_ opcode: HCIOpcode, _ values: [UInt8]) -> VirtualController.Action {
        .toHost([4, 0x0E, UInt8(3 + values.count), 1] + [UInt8].littleEndian(opcode.rawValue) + values)
    }

    /// Returns a controller with all events unmasked and a connection 0x0040.
    private func connected(_ traits: ControllerTraits = ControllerTraits()) -> VirtualController {
        var controller = VirtualController(traits: traits)
        _ = send(&controller, 0x0C01, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x3F])
        _ = send(&controller, 0x2001, [0xFF, 0xFF, 0, 0, 0, 0, 0, 0])
        let peer = DeviceAddress(bytes: [1, 2, 3, 4, 5, 0x46], isRandom: true)
        let parameters = ConnectionParameters(interval: 24, timeout: 72)
        _ = controller.handle(.air(.connected(handle: 0x40, peer: peer, parameters: parameters)), at: .zero)
        return controller
    }

    @Test func everyCommandAnswers() {
        for opcode in HCIOpcode.allCases {
            var controller = connected(Self.withSets)
            var parameters = [UInt8](repeating: 0, count: opcode.parameterLength)
            if parameters.count >= 2, opcode.rawValue != 0x200A { parameters[0] = 0x40 }
            let answers = send(&controller, opcode.rawValue, parameters).compactMap { action -> [UInt8]? in
                guard case .toHost(let packet) = action, packet[1] == 0x0E || packet[1] == 0x0F else { return nil }
                return packet
            }
            #expect(answers.count == 1, "\(opcode)")
            let credit = answers.first.map { $0[1] == 0x0E ? $0[3] : $0[4] }
            #expect(credit == 1, "\(opcode)")
        }
    }

    @Test func wrongParameterLengthIsInvalid() {
        for opcode in HCIOpcode.allCases where !opcode.hasVariableLength {
            var controller = connected(Self.withSets)
            let actions = send(
                &controller, opcode.rawValue, [UInt8](repeating: 0, count: opcode.parameterLength + 1))
            #expect(
                actions == [
                    .violation(.parameterLength(opcode: opcode.rawValue, length: opcode.parameterLength + 1)),
                    complete(opcode, [0x12]),
                ], "\(opcode)")
        }
    }

    @Test func unknownCommandGetsStatus1() {
        var controller = VirtualController()
        #expect(send(&controller, 0x2036) == [.toHost([4, 0x0F, 4, 0x01, 1, 0x36, 0x20])])
        var old = VirtualController(traits: .zero2W)
        #expect(send(&old, 0x2024, [251, 0, 0x48, 8]) == [.toHost([4, 0x0F, 4, 0x01, 1, 0x24, 0x20])])
    }

    @Test func supportedCommandsFollowTheTraits() {
        for (traits, octet34) in [(ControllerTraits(), UInt8(0x01)), (.zero2W, 0)] {
            var controller = VirtualController(traits: traits)
            guard case .toHost(let packet) = send(&controller, 0x1002).first else { return #expect(Bool(false)) }
            let mask = packet.dropFirst(7)
            #expect(mask.count == 64)
            #expect(mask[mask.startIndex + 34] == octet34)
            // The bits of LE Set Event Mask to LE Set Advertising Data, and of scan response data and enable
            // (6.27).
            #expect(mask[mask.startIndex + 25] == 0b1111_0111)
            #expect(mask[mask.startIndex + 26] & 0b11 == 0b11)
        }
    }

    @Test func capabilities() {
        var controller = VirtualController(traits: .raspberryPi4)
        #expect(send(&controller, 0x2002) == [complete(.leReadBufferSize, [0, 251, 0, 8])])
        #expect(send(&controller, 0x2003) == [complete(.leReadLocalSupportedFeatures, [0, 0x2F, 0, 0, 0, 0, 0, 0, 0])])
        #expect(send(&controller, 0x1009) == [complete(.readBDADDR, [0, 0x01, 0x00, 0x5E, 0x27, 0xEB, 0xB8])])
        var small = VirtualController(traits: .zero2W)
        #expect(send(&small, 0x2002) == [complete(.leReadBufferSize, [0, 27, 0, 8])])
        #expect(send(&small, 0x2003) == [complete(.leReadLocalSupportedFeatures, [0, 0x0F, 0, 0, 0, 0, 0, 0, 0])])
        let first = send(&controller, 0x2018)
        #expect(first != send(&controller, 0x2018))
    }

    @Test func advertisingNeedsItsParts() {
        var controller = VirtualController()
        let parameters: [UInt8] = [0x20, 0, 0x20, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 7, 0]
        let data = { (bytes: [UInt8]) in
            [UInt8(bytes.count)] + bytes + [UInt8](repeating: 0, count: 31 - bytes.count)
        }
        #expect(send(&controller, 0x2006, parameters) == [complete(.leSetAdvertisingParameters, [0])])
        // Advertising from a random own address that was never set fails (7.8.9).
        #expect(send(&controller, 0x200A, [1]) == [complete(.leSetAdvertisingEnable, [0x12])])
        _ = send(&controller, 0x2005, [1, 2, 3, 4, 5, 0x46])
        _ = send(&controller, 0x2008, data([2, 1, 6]))
        _ = send(&controller, 0x2009, data([9, 9]))
        let advertiser = Advertiser(
            address: DeviceAddress(bytes: [1, 2, 3, 4, 5, 0x46], isRandom: true), data: [2, 1, 6],
            scanResponse: [9, 9], interval: .milliseconds(20))
        #expect(
            send(&controller, 0x200A, [1]) == [
                .air(.advertise(advertiser)), complete(.leSetAdvertisingEnable, [0]),
            ])
        #expect(send(&controller, 0x2005, [6, 5, 4, 3, 2, 0x41]) == [complete(.leSetRandomAddress, [0x0C])])
        #expect(send(&controller, 0x2006, parameters) == [complete(.leSetAdvertisingParameters, [0x0C])])
        #expect(
            send(&controller, 0x200A, [0]) == [.air(.advertise(nil)), complete(.leSetAdvertisingEnable, [0])])
        #expect(
            send(&controller, 0x2006, [0x10] + parameters.dropFirst()) == [
                complete(.leSetAdvertisingParameters, [0x12])
            ])
        var traits = ControllerTraits()
        traits.advertisesWhileConnected = false
        var busy = connected(traits)
        #expect(send(&busy, 0x200A, [1]) == [complete(.leSetAdvertisingEnable, [0x0C])])
    }

    @Test func masksHideEvents() {
        let peer = DeviceAddress(bytes: [1, 2, 3, 4, 5, 0x46], isRandom: true)
        let event = VirtualController.Event.air(
            .connected(handle: 0x40, peer: peer, parameters: ConnectionParameters(interval: 24, timeout: 72)))
        let head: [UInt8] = [0, 0x40, 0, 1, 1, 1, 2, 3, 4, 5, 0x46]
        let tail: [UInt8] = [24, 0, 0, 0, 72, 0, 0]
        let zeros = [UInt8](repeating: 0, count: 12)
        // After Reset the LE Meta event is masked (7.3.1).
        var controller = VirtualController()
        #expect(controller.handle(event, at: .zero) == [.air(.advertise(nil))])
        for (mask, subevent, expected) in [
            (UInt8(0x00), UInt8(0x01), head + tail), (0x02, 0x0A, head + zeros + tail),
        ] {
            controller = VirtualController()
            _ = send(&controller, 0x0C01, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x3F])
            _ = send(&controller, 0x2001, [0xFF, mask, 0, 0, 0, 0, 0, 0])
            #expect(
                controller.handle(event, at: .zero) == [
                    .air(.advertise(nil)),
                    .toHost([4, 0x3E, UInt8(expected.count + 1), subevent] + expected),
                ])
        }
    }

    @Test func dataCreditsAreHeldToAccount() {
        var traits = ControllerTraits()
        traits.aclBuffers = 2
        traits.aclLength = 27
        var controller = connected(traits)
        let packet: [UInt8] = [2, 0x40, 0, 3, 0, 1, 2, 3]
        let sent = VirtualController.Action.air(.send(handle: 0x40, bytes: [1, 2, 3], start: true))
        #expect(controller.handle(.fromHost(packet), at: .zero) == [sent])
        #expect(controller.handle(.fromHost(packet), at: .zero) == [sent])
        #expect(
            controller.handle(.fromHost(packet), at: .zero) == [
                .violation(.aclWithoutBuffer), .toHost([4, 0x1A, 1, 1]),
            ])
        #expect(
            controller.handle(.air(.completed(handle: 0x40)), at: .zero) == [.toHost([4, 0x13, 5, 1, 0x40, 0, 1, 0])])
        let continuation: [UInt8] = [2, 0x40, 0x10, 1, 0, 9]
        #expect(
            controller.handle(.fromHost(continuation), at: .zero) == [
                .air(.send(handle: 0x40, bytes: [9], start: false))
            ])
        #expect(
            controller.handle(.fromHost([2, 0x40, 0x20, 1, 0, 9]), at: .zero) == [.violation(.packetBoundaryFlag(2))])
        let long = [2, 0x40, 0, 28, 0] + [UInt8](repeating: 0, count: 28)
        #expect(controller.handle(.fromHost(long), at: .zero) == [.violation(.aclTooLong(length: 28))])
        #expect(
            controller.handle(.fromHost([2, 0x41, 0, 1, 0, 1]), at: .zero) == [.violation(.unknownHandle(0x41))])
        for broken: [UInt8] in [[], [1, 3, 0x0C], [1, 3, 0x0C, 1], [2, 0x40, 0, 2, 0, 1], [7, 0, 0, 0]] {
            #expect(controller.handle(.fromHost(broken), at: .zero) == [.violation(.malformedPacket)])
        }
    }

    @Test func inboundDataKeepsTheAirsPacketsByDefault() {
        let first = [UInt8](repeating: 7, count: 27)
        let pieces: [([UInt8], Bool)] = [([25, 0, 4, 0] + first.dropFirst(4), true), ([1, 2], false)]
        for isWhole in [false, true] {
            var traits = ControllerTraits()
            traits.deliversWholePDUs = isWhole
            var controller = connected(traits)
            var packets: [VirtualController.Action] = []
            for (bytes, start) in pieces {
                packets += controller.handle(.air(.received(handle: 0x40, bytes: bytes, start: start)), at: .zero)
            }
            let expected: [VirtualController.Action] =
                isWhole
                ? [.toHost([2, 0x40, 0x20, 29, 0] + pieces[0].0 + pieces[1].0)]
                : [.toHost([2, 0x40, 0x20, 27, 0] + pieces[0].0), .toHost([2, 0x40, 0x10, 2, 0] + pieces[1].0)]
            #expect(packets == expected)
        }
    }

    @Test func linkEvents() {
        var controller = connected()
        let change = { (change: Link.Change) in VirtualController.Event.air(.changed(handle: 0x40, change)) }
        #expect(
            controller.handle(change(.payload(toCentral: 27, toPeripheral: 251)), at: .zero) == [
                .toHost([4, 0x3E, 11, 0x07, 0x40, 0, 27, 0, 0x48, 0x01, 251, 0, 0x48, 0x08])
            ])
        #expect(
            controller.handle(change(.phy(.le2M)), at: .zero) == [.toHost([4, 0x3E, 6, 0x0C, 0, 0x40, 0, 2, 2])])
        #expect(
            controller.handle(change(.parameters(ConnectionParameters(interval: 12, timeout: 600))), at: .zero) == [
                .toHost([4, 0x3E, 10, 0x03, 0, 0x40, 0, 12, 0, 0, 0, 0x58, 0x02])
            ])
        #expect(
            controller.handle(.air(.disconnected(handle: 0x40, reason: 0x13)), at: .zero) == [
                .toHost([4, 0x05, 4, 0, 0x40, 0, 0x13])
            ])
        #expect(controller.handle(.air(.disconnected(handle: 0x40, reason: 0x13)), at: .zero) == [])
    }

    @Test func quirks() {
        var traits = ControllerTraits()
        traits.silentCommands = [.leSetPHY]
        traits.hardwareError = (Instant(nanoseconds: 5), 0x42)
        traits.responseTime = .nanoseconds(2)
        var controller = connected(traits)
        _ = controller.handle(.timer, at: Instant(nanoseconds: 3))
        #expect(send(&controller, 0x2032, [0x40, 0, 0, 2, 2, 0, 0], at: Instant(nanoseconds: 3)) == [])
        #expect(send(&controller, 0x1009, at: Instant(nanoseconds: 3)) == [])
        #expect(
            send(&controller, 0x2018, at: Instant(nanoseconds: 4)) == [
                .violation(.commandWithoutCredit(opcode: 0x2018))
            ])
        #expect(controller.deadline == Instant(nanoseconds: 5))
        let actions = controller.handle(.timer, at: Instant(nanoseconds: 7))
        #expect(actions.contains(.toHost([4, 0x10, 1, 0x42])))
        #expect(actions.contains(.air(.dropAll)))
        #expect(send(&controller, 0x1009, at: Instant(nanoseconds: 8)) == [])
        _ = send(&controller, 0x0C03, at: Instant(nanoseconds: 9))
        #expect(controller.handle(.timer, at: Instant(nanoseconds: 11)) == [complete(.reset, [0])])
    }
}
