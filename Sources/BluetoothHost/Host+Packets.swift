import Encoding

/// Packets from the controller: events, and the data of links.
extension Host {
    mutating func receive(
        _ packet: [UInt8], at now: Instant, _ actions: inout [HostAction]
    ) throws(HostFailure) {
        if case .down = phase { return }
        lastHeard = now
        switch packet.first.flatMap(H4Framing.PacketType.init) {
        case .event:
            guard let event = HCIEvent(packet: packet) else { return ignore() }
            try receive(event, at: now, &actions)
        case .acl:
            guard let packet = ACLPacket(packet: packet), case .ready = phase else { return ignore() }
            if let index = index(of: packet.handle) {
                receive(packet, index, at: now, &actions)
            } else if advertiser.isOn || names.holds(packet.handle) {
                early.keep(packet, at: now)
            } else {
                ignore()
            }
        case .command, .synchronous, .isochronous, .none:
            ignore()
        }
    }

    private mutating func ignore() {
        ignoredPackets &+= 1
    }

    private mutating func receive(
        _ event: HCIEvent, at now: Instant, _ actions: inout [HostAction]
    ) throws(HostFailure) {
        switch event {
        case .commandComplete(let opcode, let credits, let parameters):
            let answer = commands.answer(to: opcode, credits: credits, status: nil, returnParameters: parameters)
            if let (command, outcome) = answer { try conclude(command, outcome, at: now, &actions) }
        case .commandStatus(let opcode, let credits, let status):
            let answer = commands.answer(to: opcode, credits: credits, status: status, returnParameters: [])
            if let (command, outcome) = answer { try conclude(command, outcome, at: now, &actions) }
        case .hardwareError(let code):
            throw .hardwareError(code)
        default:
            // Before the controller is ready, any other event dates from before the reset.
            guard case .ready = phase else { return ignore() }
            try receiveWhileReady(event, at: now, &actions)
        }
    }

    private mutating func receiveWhileReady(
        _ event: HCIEvent, at now: Instant, _ actions: inout [HostAction]
    ) throws(HostFailure) {
        switch event {
        case .connectionComplete(.success, let connection):
            try came(connection, at: now, &actions)
        case .connectionComplete:
            try follow(advertiser.attemptFailed(at: now), &actions)
        case .advertisingSetTerminated(let status, let set, let handle):
            guard advertiser.namesConnections else { return ignore() }
            try ended(set, status, by: handle, at: now, &actions)
        case .connectionUpdateComplete(let handle, .success, let parameters):
            guard let index = index(of: handle) else { return ignore() }
            links[index].change(to: parameters, margin: configuration.limits.disconnectionMargin)
            actions.append(.parametersChanged(handle, parameters))
        case .disconnectionComplete(let handle, .success, let reason):
            names.forget(handle)
            early.forget(handle)
            end(handle, reason, at: now, &actions)
        case .numberOfCompletedPackets(let counts):
            for entry in counts { transmitter.completed(entry.handle, entry.count, at: now) }
        case .longTermKeyRequest(let handle):
            commands.enqueue(.leLongTermKeyRequestNegativeReply(handle))
        case .remoteConnectionParameterRequest(let handle, let wanted):
            commands.enqueue(.leRemoteConnectionParameterRequestReply(handle, wanted: wanted))
        case .commandComplete, .commandStatus, .hardwareError, .connectionUpdateComplete, .disconnectionComplete,
            .other:
            break
        }
    }
}
