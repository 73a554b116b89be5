import Encoding

extension VirtualController {
    mutating func command(_ code: UInt16, _ parameters: [UInt8]) {
        let opcode = HCIOpcode(rawValue: code)
        if hasFailed, opcode != .reset { return }
        if unansweredCommand { report(.commandWithoutCredit(opcode: code)) }
        // A lost command never returns its credit. Only the host's timeout ends the wait.
        if let opcode, traits.silentCommands.contains(opcode) { return }
        if let due = losses.first, now >= due {
            losses.removeFirst()
            return
        }
        unansweredCommand = true
        guard let opcode, isSupported(opcode) else {
            return status(code, HCIError.unknownCommand)
        }
        let length = opcode.parameterLength
        guard opcode.hasVariableLength ? parameters.count >= length : parameters.count == length else {
            report(.parameterLength(opcode: code, length: parameters.count))
            return complete(opcode, HCIError.invalidParameters)
        }
        if HCIOpcode.advertisingSets.contains(opcode) || HCIOpcode.legacyAdvertising.contains(opcode) {
            let isOfSets = HCIOpcode.advertisingSets.contains(opcode)
            guard usesSets ?? isOfSets == isOfSets else {
                report(.mixedAdvertising(opcode: code))
                return complete(opcode, HCIError.commandDisallowed)
            }
            // Setting the address of an advertising set does not determine the host's family of commands, so ignore the
            // command here.
            if opcode != .leSetAdvertisingSetRandomAddress { usesSets = isOfSets }
        }
        var reader = ByteReader(parameters)
        do throws(ByteReader.Truncated) {
            try execute(opcode, &reader)
        } catch {
            complete(opcode, HCIError.invalidParameters)
        }
    }

    /// Sends Command Complete with a status and return parameters (7.7.14). The event grants one command credit.
    mutating func complete(_ opcode: HCIOpcode, _ status: UInt8 = 0, _ values: [UInt8] = []) {
        event(0x0E, [1, UInt8(truncatingIfNeeded: opcode.rawValue), UInt8(opcode.rawValue >> 8), status] + values)
    }

    /// Sends Command Status (7.7.15). The event grants one command credit.
    mutating func status(_ opcode: UInt16, _ status: UInt8) {
        event(0x0F, [status, 1, UInt8(truncatingIfNeeded: opcode), UInt8(opcode >> 8)])
    }

    private mutating func execute(_ opcode: HCIOpcode, _ reader: inout ByteReader) throws(ByteReader.Truncated) {
        switch opcode {
        case .reset:
            reset()
            complete(opcode)
        case .setEventMask:
            eventMask = try reader.uint64LE()
            complete(opcode)
        case .leSetEventMask:
            leEventMask = try reader.uint64LE()
            complete(opcode)
        case .readLEHostSupport: complete(opcode, 0, [1, 0])
        case .writeLEHostSupport: complete(opcode)
        case .readLocalVersion, .readLocalSupportedCommands, .readLocalSupportedFeatures, .readBufferSize, .readBDADDR,
            .leReadBufferSize, .leReadLocalSupportedFeatures, .leReadSupportedStates, .leReadFilterAcceptListSize,
            .leClearFilterAcceptList, .leRand, .leReadAdvertisingTxPower, .leReadMaximumDataLength:
            complete(opcode, 0, capabilities(opcode))
        case .leSetRandomAddress, .leSetAdvertisingParameters, .leSetAdvertisingData, .leSetScanResponseData,
            .leSetAdvertisingEnable:
            complete(opcode, try advertising(opcode, &reader))
        case .leReadAdvertisingSets: complete(opcode, 0, [UInt8(truncatingIfNeeded: traits.advertisingSets)])
        case .leSetAdvertisingSetRandomAddress, .leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingData,
            .leSetExtendedScanResponseData, .leSetExtendedAdvertisingEnable:
            let status = try advertisingSet(opcode, &reader)
            complete(opcode, status, opcode == .leSetExtendedAdvertisingParameters ? [0] : [])
        case .leReadSuggestedDataLength:
            complete(opcode, 0, [UInt8].littleEndian(suggestedLength.octets, suggestedLength.time))
        case .leWriteSuggestedDataLength:
            let (octets, time) = (try reader.uint16LE(), try reader.uint16LE())
            guard (27...251).contains(octets), (328...17040).contains(time) else {
                return complete(opcode, HCIError.invalidParameters)
            }
            suggestedLength = (octets, time)
            complete(opcode)
        case .leSetDefaultPHY: complete(opcode)
        default: try connection(opcode, try reader.uint16LE(), &reader)
        }
    }

    private mutating func capabilities(_ opcode: HCIOpcode) -> [UInt8] {
        switch opcode {
        case .readLocalVersion:
            [traits.version, 0, 0, traits.version] + [UInt8].littleEndian(traits.manufacturer, 0)
        case .readLocalSupportedCommands: supportedCommands
        // BR/EDR is not supported; LE is (Vol 2 Part C 3.2, byte 4 bits 5 and 6).
        case .readLocalSupportedFeatures: [0, 0, 0, 0, 0x60, 0, 0, 0]
        case .readBufferSize: [0, 0, 0, 0, 0, 0, 0]
        case .readBDADDR: traits.publicAddress
        case .leReadBufferSize: [UInt8].littleEndian(traits.aclLength) + [traits.aclBuffers]
        case .leReadLocalSupportedFeatures: localFeatures
        // Bit 38: connectable advertising while connected as a peripheral (7.8.27).
        case .leReadSupportedStates:
            [0xFF, 0xFF, 0xFF, 0xFF, traits.advertisesWhileConnected ? 0xFF : 0xBF, 0x03, 0, 0]
        case .leReadFilterAcceptListSize: [8]
        case .leRand: random.bytes(8)
        case .leReadAdvertisingTxPower: [0]
        case .leReadMaximumDataLength: [UInt8].littleEndian(251, 2120, 251, 2120)
        default: []
        }
    }

    /// The LE feature bits (Vol 6 Part B 4.6): encryption, parameter request, extended reject and
    /// peripheral-initiated features exchange; data length and 2M if supported.
    private var localFeatures: [UInt8] {
        [
            0x0F | (traits.supportsDataLength ? 0x20 : 0),
            (traits.supports2M ? 0x01 : 0) | (traits.advertisingSets > 0 ? 0x10 : 0), 0, 0, 0, 0, 0, 0,
        ]
    }

    private var supportedCommands: [UInt8] {
        var mask = [UInt8](repeating: 0, count: 64)
        for opcode in HCIOpcode.allCases where isSupported(opcode) {
            let (octet, bit) = opcode.supportBit
            mask[octet] |= 1 << UInt8(bit)
        }
        return mask
    }

    private mutating func advertising(
        _ opcode: HCIOpcode, _ reader: inout ByteReader
    ) throws(ByteReader.Truncated) -> UInt8 {
        switch opcode {
        case .leSetRandomAddress:
            if isAdvertising, traits.guardsAddress { return HCIError.commandDisallowed }
            randomAddress = Array(try reader.take(6))
        case .leSetAdvertisingParameters:
            if isAdvertising { return HCIError.commandDisallowed }
            let (shortest, longest) = (try reader.uint16LE(), try reader.uint16LE())
            let (type, own) = (try reader.uint8(), try reader.uint8())
            _ = try reader.take(7)
            let channels = try reader.uint8()
            guard (0x20...0x4000).contains(shortest), (shortest...0x4000).contains(max(shortest, longest)),
                longest >= shortest, type <= 4, own <= 3, channels & 7 != 0
            else { return HCIError.invalidParameters }
            advertisingParameters = AdvertisingParameters(interval: shortest, type: type, ownAddressType: own)
        case .leSetAdvertisingData, .leSetScanResponseData:
            let length = Int(try reader.uint8())
            guard length <= 31 else { return HCIError.invalidParameters }
            let data = Array(try reader.take(length))
            if opcode == .leSetAdvertisingData { advertisingData = data } else { scanResponseData = data }
            if isAdvertising { emit(.advertise(advertiser)) }
        default:
            switch try reader.uint8() {
            case 0:
                if isAdvertising { emit(.advertise(nil)) }
                isAdvertising = false
            case 1:
                guard advertisingParameters.ownAddressType & 1 == 0 || randomAddress != nil else {
                    return HCIError.invalidParameters
                }
                guard mayConnect || advertisingParameters.type > 1 else { return HCIError.commandDisallowed }
                isAdvertising = true
                emit(.advertise(advertiser))
            default: return HCIError.invalidParameters
            }
        }
        return 0
    }

    /// Whether another connection is possible. Some controllers refuse connectable advertising during a connection, and
    /// all refuse it at the limit of connections.
    var mayConnect: Bool {
        connections.isEmpty || traits.advertisesWhileConnected && connections.count < traits.connections
    }

    private var advertiser: Advertiser? {
        guard advertisingParameters.type == 0 else { return nil }
        let isRandom = advertisingParameters.ownAddressType & 1 == 1
        return Advertiser(
            address: DeviceAddress(
                bytes: isRandom ? randomAddress ?? [] : traits.publicAddress, isRandom: isRandom),
            data: advertisingData, scanResponse: scanResponseData,
            interval: .microseconds(Int64(advertisingParameters.interval) * 625))
    }
}

extension [UInt8] {
    /// Encodes the numbers as 2 bytes each, least significant first.
    static func littleEndian(_ values: UInt16...) -> [UInt8] {
        values.reduce(into: []) { $0.appendLE($1) }
    }
}
