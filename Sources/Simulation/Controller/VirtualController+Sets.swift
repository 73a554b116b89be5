import Encoding

/// An advertising set with legacy PDUs (Core Specification Vol 4 Part E 7.8.52 to 7.8.56).
struct AdvertisingSet: Sendable {
    /// The minimum interval in units of 0.625 ms.
    var interval: UInt32 = 0x20
    var address: [UInt8]?
    var data: [UInt8] = []
    var scanResponse: [UInt8] = []
    var isOn = false

    /// The advertisement of the set.
    var advertiser: Advertiser {
        Advertiser(
            address: DeviceAddress(bytes: address ?? [], isRandom: true), data: data, scanResponse: scanResponse,
            interval: .microseconds(Int64(interval) * 625))
    }
}

extension VirtualController {
    /// Handles commands for advertising sets. Returns the status code of the command (0: success).
    mutating func advertisingSet(_ opcode: HCIOpcode, _ reader: inout ByteReader) throws(ByteReader.Truncated) -> UInt8
    {
        if opcode == .leSetExtendedAdvertisingEnable { return try enableSets(&reader) }
        let handle = try reader.uint8()
        if opcode == .leSetExtendedAdvertisingParameters { return try setParameters(of: handle, &reader) }
        guard let set = sets[handle] else { return HCIError.unknownAdvertisingSet }
        switch opcode {
        case .leSetAdvertisingSetRandomAddress:
            if set.isOn, traits.guardsAddress { return HCIError.commandDisallowed }
            sets[handle]?.address = Array(try reader.take(6))
        default:
            // Legacy PDUs must be set with one command and have at most 31 bytes (7.8.54).
            let (operation, _, length) = (try reader.uint8(), try reader.uint8(), Int(try reader.uint8()))
            guard operation == 3, length <= 31 else { return HCIError.invalidParameters }
            let data = Array(try reader.take(length))
            if opcode == .leSetExtendedAdvertisingData {
                sets[handle]?.data = data
            } else {
                sets[handle]?.scanResponse = data
            }
            if set.isOn { emit(.advertise(sets[handle]?.advertiser, set: handle)) }
        }
        return 0
    }

    private mutating func setParameters(of handle: UInt8, _ reader: inout ByteReader) throws(ByteReader.Truncated)
        -> UInt8
    {
        guard Int(handle) < traits.advertisingSets, handle <= 0xEF else { return HCIError.invalidParameters }
        if sets[handle]?.isOn == true { return HCIError.commandDisallowed }
        let properties = try reader.uint16LE()
        let (low, middle) = (UInt32(try reader.uint8()), UInt32(try reader.uint8()))
        let shortest = low | middle << 8 | UInt32(try reader.uint8()) << 16
        _ = try reader.take(3)
        let (channels, own) = (try reader.uint8(), try reader.uint8())
        _ = try reader.take(9)
        let primary = try reader.uint8()
        guard properties == 0x13, shortest >= 0x20, channels & 7 != 0, own == 1, primary == 1 else {
            return HCIError.invalidParameters
        }
        sets[handle, default: AdvertisingSet()].interval = shortest
        return 0
    }

    private mutating func enableSets(_ reader: inout ByteReader) throws(ByteReader.Truncated) -> UInt8 {
        let (isOn, count) = (try reader.uint8(), try reader.uint8())
        guard isOn <= 1, isOn == 0 || count > 0 else { return HCIError.invalidParameters }
        if isOn == 0, count == 0 {
            silence()
            return 0
        }
        var handles: [UInt8] = []
        for _ in 0..<count {
            handles.append(try reader.uint8())
            _ = try reader.take(3)
        }
        guard Set(handles).count == handles.count else { return HCIError.invalidParameters }
        guard handles.allSatisfy({ sets[$0] != nil }) else { return HCIError.unknownAdvertisingSet }
        if isOn == 1 {
            guard handles.allSatisfy({ sets[$0]?.address != nil }) else { return HCIError.invalidParameters }
            guard mayConnect else { return HCIError.commandDisallowed }
        }
        for handle in handles {
            sets[handle]?.isOn = isOn == 1
            emit(.advertise(isOn == 1 ? sets[handle]?.advertiser : nil, set: handle))
        }
        return 0
    }

    /// Ends the advertising of a set because a phone has connected to it. The event about the set follows the event of
    /// the connection (7.7.65.18).
    mutating func end(_ set: UInt8, by handle: UInt16) {
        sets[set]?.isOn = false
        emit(.advertise(nil, set: set))
        guard let delay = traits.namesAdvertisingSets else { return }
        metaEvent(0x12, [0, set] + [UInt8].littleEndian(handle) + [0], after: delay)
    }
}
