import Encoding

extension VirtualController {
    /// Handles commands for one connection. The first parameter of these commands is `handle`.
    mutating func connection(
        _ opcode: HCIOpcode, _ handle: UInt16, _ reader: inout ByteReader
    ) throws(ByteReader.Truncated) {
        let exists = connections[handle & 0x0FFF] != nil
        let bytes = [UInt8].littleEndian(handle)
        switch opcode {
        case .readRSSI, .leReadPHY, .leSetDataLength, .leLongTermKeyNegativeReply, .leRemoteParameterRequestReply,
            .leRemoteParameterRequestNegativeReply:
            guard exists else { return complete(opcode, HCIError.unknownConnection, bytes) }
            switch opcode {
            case .readRSSI: complete(opcode, 0, bytes + [UInt8(bitPattern: -50)])
            case .leReadPHY: complete(opcode, 0, bytes + [1, 1])
            case .leSetDataLength:
                let (octets, time) = (try reader.uint16LE(), try reader.uint16LE())
                guard (27...251).contains(octets), (328...17040).contains(time) else {
                    return complete(opcode, HCIError.invalidParameters, bytes)
                }
                complete(opcode, 0, bytes)
                emit(.negotiateDataLength(handle: handle, transmit: Int(octets)))
            // Refuse answers to requests of the peer, because the host never receives such requests.
            default: complete(opcode, HCIError.commandDisallowed, bytes)
            }
        default:
            status(opcode.rawValue, exists ? 0 : HCIError.unknownConnection)
            if exists { try begin(opcode, handle, &reader) }
        }
    }

    /// Handles commands that are answered with a status first and an event later.
    private mutating func begin(
        _ opcode: HCIOpcode, _ handle: UInt16, _ reader: inout ByteReader
    ) throws(ByteReader.Truncated) {
        let bytes = [UInt8].littleEndian(handle)
        switch opcode {
        case .disconnect: emit(.terminate(handle: handle, reason: try reader.uint8()))
        case .readRemoteVersion: event(0x0C, [0] + bytes + [traits.version, 0x0F, 0, 0, 0])
        case .leReadRemoteFeatures: metaEvent(0x04, [0] + bytes + [0x2F, 0x01, 0, 0, 0, 0, 0, 0])
        case .leConnectionUpdate:
            let (shortest, longest) = (try reader.uint16LE(), try reader.uint16LE())
            let (latency, timeout) = (try reader.uint16LE(), try reader.uint16LE())
            emit(
                .requestParameters(
                    handle: handle,
                    ConnectionParameters(interval: max(shortest, longest), latency: latency, timeout: timeout)))
        case .leSetPHY:
            _ = try reader.uint8()
            let (transmit, receive) = (try reader.uint8(), try reader.uint8())
            let prefers2M = traits.supports2M && transmit & 2 != 0 && receive & 2 != 0
            emit(.negotiatePHY(handle: handle, prefers2M: prefers2M))
        default: break
        }
    }

    /// Handles ACL data from the host. The data occupies one controller buffer until the peer acknowledges it (Vol 4
    /// Part E 4.1.1).
    mutating func aclData(_ header: UInt16, _ data: [UInt8]) {
        let handle = header & 0x0FFF
        guard connections[handle] != nil else {
            // The host may not know yet that the connection has ended: this is no violation.
            if let told = reportedEnd[handle], told >= now { return }
            return report(.unknownHandle(handle))
        }
        guard header & 0x2000 == 0 else {
            return report(.packetBoundaryFlag(UInt8(header >> 12 & 3)))
        }
        guard data.count <= Int(traits.aclLength) else { return report(.aclTooLong(length: data.count)) }
        let used = connections.values.reduce(0) { $0 + $1.buffersInUse }
        guard used < Int(traits.aclBuffers) else {
            report(.aclWithoutBuffer)
            return event(0x1A, [1])
        }
        connections[handle]?.buffersInUse += 1
        emit(.send(handle: handle, bytes: data, start: header & 0x3000 == 0))
    }

    mutating func heard(_ air: AirEvent) {
        switch air {
        case .connected(let handle, let peer, let parameters, let set):
            connected(handle, peer, parameters)
            if sets[set] != nil { end(set, by: handle) }
        case .received(let handle, let bytes, let start): received(handle, bytes, start)
        case .completed(let handle):
            guard traits.completesPackets, let connection = connections[handle], connection.buffersInUse > 0 else {
                return
            }
            connections[handle]?.buffersInUse -= 1
            event(0x13, [1] + [UInt8].littleEndian(handle, 1))
        case .changed(let handle, let change):
            if connections[handle] != nil { changed(handle, change) }
        case .disconnected(let handle, let reason):
            guard connections.removeValue(forKey: handle) != nil else { return }
            reportedEnd[handle] = now.advanced(by: traits.responseTime)
            event(0x05, [0] + [UInt8].littleEndian(handle) + [reason])
        }
    }

    private mutating func connected(_ handle: UInt16, _ peer: DeviceAddress, _ real: ConnectionParameters) {
        connections[handle] = Connection()
        if usesSets != true {
            isAdvertising = false
            emit(.advertise(nil))
        }
        let told = traits.reportedParameters ?? real
        let head = [0] + [UInt8].littleEndian(handle) + [1, peer.isRandom ? 1 : 0] + peer.bytes
        let tail = [UInt8].littleEndian(told.interval, told.latency, told.timeout) + [0]
        if traits.hasEnhancedConnectionComplete, leEventMask & 1 << 9 != 0 {
            metaEvent(0x0A, head + [UInt8](repeating: 0, count: 12) + tail)
        } else {
            metaEvent(0x01, head + tail)
        }
    }

    private mutating func received(_ handle: UInt16, _ bytes: [UInt8], _ start: Bool) {
        guard var connection = connections[handle] else { return }
        guard traits.deliversWholePDUs else { return aclToHost(handle, bytes, start: start) }
        connection.inbound = start ? bytes : connection.inbound + bytes
        let pdu = connection.inbound
        if pdu.count >= 4, pdu.count >= 4 + Int(pdu[0]) + Int(pdu[1]) << 8 {
            connection.inbound = []
            aclToHost(handle, pdu, start: true)
        }
        connections[handle] = connection
    }

    private mutating func aclToHost(_ handle: UInt16, _ bytes: [UInt8], start: Bool) {
        let header = handle | (start ? 0x2000 : 0x1000)
        toHost([0x02] + [UInt8].littleEndian(header, UInt16(truncatingIfNeeded: bytes.count)) + bytes)
    }

    private mutating func changed(_ handle: UInt16, _ change: Link.Change) {
        let bytes = [UInt8].littleEndian(handle)
        switch change {
        case .parameters(let new):
            metaEvent(0x03, [0] + bytes + [UInt8].littleEndian(new.interval, new.latency, new.timeout))
        case .payload(let toCentral, let toPeripheral):
            let (transmit, receive) = (UInt16(toCentral), UInt16(toPeripheral))
            metaEvent(
                0x07,
                bytes
                    + [UInt8].littleEndian(
                        transmit, (transmit + 14) * 8, receive, (receive + 14) * 8))
        case .phy(let phy): metaEvent(0x0C, [0] + bytes + [phy.rawValue, phy.rawValue])
        }
    }
}
