import Encoding

@testable import BluetoothHost

/// A controller that answers at once. The test determines the properties in its reports, and the commands that it does
/// not know, leaves unanswered or refuses. The test plays the events of the air.
struct FakeController {
    var aclLength: UInt16 = 251
    var aclPackets: UInt8 = 8
    var sharesBuffers = false
    /// Data length extension (DLE) and 2M PHY.
    var leFeatures: UInt64 = 1 << 5 | 1 << 8
    /// The answer to Read Local Supported Commands. By default, all commands are supported.
    var supportedCommands = [UInt8](repeating: 0xFF, count: 64)
    var unknown: Set<HCIOpcode> = []
    var silent: Set<HCIOpcode> = []
    var statuses: [HCIOpcode: UInt8] = [:]
    /// Credits granted with each answer.
    var credits: UInt8 = 1
    /// The answer to LE Read Number of Supported Advertising Sets.
    var advertisingSets: UInt8 = 0
    /// Whether the controller refuses a new address for an advertisement that is on the air.
    var guardsAddress = true
    /// The advertising sets on the air; legacy advertising also counts as set 0.
    private(set) var onAir: Set<UInt8> = []
    /// Whether the controller completes data packets by itself.
    var completesData = true

    /// A command as the controller received it.
    struct Command {
        let opcode: HCIOpcode
        let parameters: [UInt8]
        /// Whether the command took effect.
        let isAccepted: Bool
    }

    /// Every command received, in order.
    private(set) var commands: [Command] = []

    static let address: [UInt8] = [0x01, 0x02, 0x03, 0x04, 0x05, 0x06]

    /// Forgets the commands received so far.
    mutating func forget() {
        commands = []
    }

    /// Returns the controller's packets in answer to a packet from the host.
    mutating func receive(_ packet: [UInt8]) -> [[UInt8]] {
        switch packet.first {
        case 0x01:
            let opcode = HCIOpcode(rawValue: UInt16(packet[1]) | UInt16(packet[2]) << 8)
            let parameters = Array(packet[4...])
            let isGuarded = isGuarded(opcode, parameters) && !silent.contains(opcode)
            let isAccepted =
                !isGuarded && !unknown.contains(opcode) && !silent.contains(opcode) && statuses[opcode] == nil
            commands.append(Command(opcode: opcode, parameters: parameters, isAccepted: isAccepted))
            if isGuarded { return [complete(opcode, [0x0C])] }
            if isAccepted { switchOn(opcode, parameters) }
            return answer(opcode)
        case 0x02 where completesData:
            return [event(0x13, [1, packet[1], packet[2] & 0x0F, 1, 0])]
        default:
            return []
        }
    }

    /// Ends advertising without an event.
    mutating func fallSilent() { onAir = [] }

    /// Updates the controller's state for a packet that the test plays to the host: a connection ends
    /// advertising.
    mutating func plays(_ packet: [UInt8]) {
        guard packet.count > 5, packet[0] == 4, packet[1] == 0x3E else { return }
        if packet[3] == 0x12 { onAir.remove(packet[5]) }
        if advertisingSets == 0, [0x01, 0x0A].contains(packet[3]) { onAir = [] }
    }

    private mutating func switchOn(_ opcode: HCIOpcode, _ parameters: [UInt8]) {
        switch opcode {
        case .reset: onAir = []
        case .leSetAdvertisingEnable: onAir = parameters == [1] ? [0] : []
        case .leSetExtendedAdvertisingEnable:
            let sets = stride(from: 2, to: parameters.count, by: 4).map { parameters[$0] }
            if parameters[0] == 1 { onAir.formUnion(sets) } else { onAir.subtract(sets) }
        default: break
        }
    }

    private func isGuarded(_ opcode: HCIOpcode, _ parameters: [UInt8]) -> Bool {
        switch opcode {
        case .leSetRandomAddress, .leSetAdvertisingParameters: guardsAddress && onAir.contains(0)
        case .leSetAdvertisingSetRandomAddress, .leSetExtendedAdvertisingParameters:
            guardsAddress && onAir.contains(parameters[0])
        default: false
        }
    }

    private func answer(_ opcode: HCIOpcode) -> [[UInt8]] {
        if silent.contains(opcode) { return [] }
        if unknown.contains(opcode) { return [complete(opcode, [0x01])] }
        if let status = statuses[opcode] { return [complete(opcode, [status])] }
        switch opcode {
        case .disconnect, .leSetPHY:
            return [event(0x0F, [0, credits] + bytes(opcode))]
        case .leReadNumberOfSupportedAdvertisingSets: return [complete(opcode, [0, advertisingSets])]
        case .leSetExtendedAdvertisingParameters: return [complete(opcode, [0, 0])]
        case .readLocalVersion: return [complete(opcode, [0, 9, 0x34, 0x12, 9, 0x31, 0x01, 0x78, 0x56])]
        case .readLocalSupportedCommands: return [complete(opcode, [0] + supportedCommands)]
        case .readLocalSupportedFeatures: return [complete(opcode, [0, 0, 0, 0, 0, 0x60, 0, 0, 0])]
        case .readAddress: return [complete(opcode, [0] + Self.address)]
        case .leReadBufferSize:
            return [complete(opcode, sharesBuffers ? [0, 0, 0, 0] : [0] + buffers + [aclPackets])]
        case .readBufferSize: return [complete(opcode, [0] + buffers + [64, aclPackets, 0, 1, 0])]
        case .leReadLocalSupportedFeatures:
            var features: [UInt8] = []
            features.appendLE(leFeatures)
            return [complete(opcode, [0] + features)]
        case .leSetDataLength, .leLongTermKeyRequestNegativeReply, .leRemoteConnectionParameterRequestReply:
            return [complete(opcode, [0, 0x40, 0x00])]
        default: return [complete(opcode, [0])]
        }
    }

    private var buffers: [UInt8] { [UInt8(aclLength & 0xFF), UInt8(aclLength >> 8)] }

    private func bytes(_ opcode: HCIOpcode) -> [UInt8] {
        [UInt8(opcode.rawValue & 0xFF), UInt8(opcode.rawValue >> 8)]
    }

    func complete(_ opcode: HCIOpcode, _ returnParameters: [UInt8]) -> [UInt8] {
        event(0x0E, [credits] + bytes(opcode) + returnParameters)
    }

    func event(_ code: UInt8, _ parameters: [UInt8]) -> [UInt8] {
        [0x04, code, UInt8(parameters.count)] + parameters
    }
}

/// Events and data that the tests play.
enum Packets {
    /// LE Connection Complete as a controller sends it to a peripheral: interval 30 ms, timeout 5 s.
    static func connectionComplete(
        _ handle: UInt16 = 0x0040, status: UInt8 = 0, interval: UInt16 = 24, timeout: UInt16 = 500
    ) -> [UInt8] {
        var event: [UInt8] = [0x04, 0x3E, 19, 0x01, status]
        event.appendLE(handle)
        event += [0x01, 0x01, 0xA1, 0xA2, 0xA3, 0xA4, 0xA5, 0x46]
        event.appendLE(interval)
        event.appendLE(UInt16(0))
        event.appendLE(timeout)
        return event + [0x00]
    }

    static func disconnectionComplete(_ handle: UInt16 = 0x0040, reason: UInt8 = 0x13) -> [UInt8] {
        [0x04, 0x05, 4, 0, UInt8(handle & 0xFF), UInt8(handle >> 8), reason]
    }

    static func meta(_ subevent: UInt8, _ parameters: [UInt8]) -> [UInt8] {
        [0x04, 0x3E, UInt8(parameters.count + 1), subevent] + parameters
    }

    /// Returns a phone's data in fragments of at most `size` bytes.
    static func acl(
        _ channel: UInt16, _ payload: [UInt8], handle: UInt16 = 0x0040, size: Int = 65535
    ) -> [[UInt8]] {
        let bytes = L2CAPFrame(channel: channel, payload: payload).bytes
        return stride(from: 0, to: bytes.count, by: size).map { start in
            piece(Array(bytes[start..<min(start + size, bytes.count)]), handle: handle, boundary: start == 0 ? 2 : 1)
        }
    }

    /// Returns one data packet with the given packet boundary flag.
    static func piece(_ data: [UInt8], handle: UInt16 = 0x0040, boundary: UInt16) -> [UInt8] {
        var packet: [UInt8] = [0x02]
        packet.appendLE(handle | boundary << 12)
        packet.appendLE(UInt16(data.count))
        return packet + data
    }
}
