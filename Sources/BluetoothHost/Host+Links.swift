import Encoding

/// Connections: their beginning, what passes through them, their end.
extension Host {
    /// A connection has come about; with advertising sets it waits for the word which of them it belongs to.
    mutating func came(_ connection: Connection, at now: Instant, _ actions: inout [HostAction]) throws(HostFailure) {
        // A handle that is given out again means that the end of its last connection went unreported.
        end(connection.handle, .unspecified, at: now, &actions)
        if advertiser.namesConnections {
            if !names.hold(connection, at: now) { try sendAway(connection, at: now, &actions) }
            return
        }
        guard links.count < configuration.limits.connections else { return try sendAway(connection, at: now, &actions) }
        let (advertisement, isSilent) = advertiser.connected()
        if isSilent { actions.append(.advertisingStopped) }
        try begin(connection, to: advertisement?.address, at: now, &actions)
    }

    /// An advertising set has ended.
    mutating func ended(
        _ set: UInt8, _ status: HCIStatus, by handle: ConnectionHandle, at now: Instant, _ actions: inout [HostAction]
    ) throws(HostFailure) {
        let (advertisement, isSilent) = advertiser.ended(set, byConnection: status == .success)
        guard status == .success else { return try follow(advertiser.expire(at: now), &actions) }
        if isSilent { actions.append(.advertisingStopped) }
        // One that has gone meanwhile is told to nobody, so nobody would ask again.
        guard let connection = names.named(handle) else { return try follow(advertiser.goOn(at: now), &actions) }
        try begin(connection, to: advertisement?.address, at: now, &actions)
    }

    private mutating func sendAway(
        _ connection: Connection, at now: Instant, _ actions: inout [HostAction]
    ) throws(HostFailure) {
        commands.enqueue(.disconnect(connection.handle, .lowResources))
        try follow(advertiser.attemptFailed(at: now), &actions)
    }

    mutating func begin(
        _ connection: Connection, to address: DeviceAddress?, at now: Instant, _ actions: inout [HostAction]
    ) throws(HostFailure) {
        guard case .ready(let information) = phase else { return }
        let handle = connection.handle
        guard links.count < configuration.limits.connections else { return try sendAway(connection, at: now, &actions) }
        links.append(Link(connection, database: database, configuration: configuration))
        transmitter.open(handle)
        actions.append(.connected(connection, to: address))
        for wish in [
            information.supportsDataLengthExtension ? HCICommand.leSetDataLength(handle) : nil,
            information.supports2MPHY ? HCICommand.leSetPHY(handle) : nil,
        ] {
            if let wish, information.announces(wish.opcode) { commands.enqueue(wish) }
        }
        for packet in early.take(for: handle, at: now) {
            if let index = index(of: handle) { receive(packet, index, at: now, &actions) }
        }
    }

    mutating func end(
        _ handle: ConnectionHandle, _ reason: HCIStatus, at now: Instant, _ actions: inout [HostAction]
    ) {
        guard let index = index(of: handle) else { return }
        for value in links[index].pusher.abandon() {
            actions.append(.notDelivered(handle, value.characteristic, .notConnected))
        }
        links.remove(at: index)
        transmitter.close(handle, at: now)
        commands.forget(handle)
        actions.append(.disconnected(handle, reason))
    }

    /// Begins the end of a connection; from now on nothing from the phone is taken.
    mutating func disconnect(_ index: Int, _ reason: DisconnectReason, at now: Instant, _ actions: inout [HostAction]) {
        guard links[index].closing == nil else { return }
        let margin = configuration.limits.disconnectionMargin
        links[index].closing = Link.Closing(since: now, by: links[index].closingDeadline(at: now, margin: margin))
        transmitter.end(links[index].handle)
        for value in links[index].pusher.abandon() {
            actions.append(.notDelivered(links[index].handle, value.characteristic, .notConnected))
        }
        commands.enqueue(.disconnect(links[index].handle, reason))
    }

    mutating func notify(
        _ handle: ConnectionHandle, _ characteristic: CharacteristicID, _ value: [UInt8],
        _ actions: inout [HostAction]
    ) {
        guard let failure = push(handle, characteristic, value) else { return }
        actions.append(.notDelivered(handle, characteristic, failure))
    }

    private mutating func push(
        _ handle: ConnectionHandle, _ characteristic: CharacteristicID, _ value: [UInt8]
    ) -> DeliveryFailure? {
        guard let index = index(of: handle), links[index].closing == nil else { return .notConnected }
        guard let (valueHandle, properties) = database.value(of: characteristic),
            !properties.isDisjoint(with: [.notify, .indicate])
        else { return .unknownCharacteristic }
        guard value.count <= min(links[index].server.mtu - 3, AttributeDatabase.maximumValueLength) else {
            return .tooLong
        }
        let pushed = PushedValue(characteristic: characteristic, handle: valueHandle, value: value)
        return links[index].pusher.push(pushed) ? nil : .queueFull
    }

    /// Takes a data packet of a living connection.
    mutating func receive(_ packet: ACLPacket, _ index: Int, at now: Instant, _ actions: inout [HostAction]) {
        guard links[index].closing == nil else { return }
        let dropped = links[index].reassembler.dropped
        let complete = links[index].reassembler.append(packet)
        droppedPDUs &+= links[index].reassembler.dropped &- dropped
        guard let frame = complete else { return }
        switch frame.channel {
        case L2CAPChannel.attribute: receiveAttribute(frame.payload, index, at: now, &actions)
        case L2CAPChannel.signaling: receiveSignal(frame.payload, index, at: now, &actions)
        case L2CAPChannel.securityManager:
            if let answer = SecurityManager.answer(frame.payload) { send(answer, index, at: now, &actions) }
        default: break  // Not a channel of ours: dropped (Core Specification Vol 3 Part A 2.2).
        }
    }

    private mutating func receiveAttribute(
        _ pdu: ArraySlice<UInt8>, _ index: Int, at now: Instant, _ actions: inout [HostAction]
    ) {
        let handle = links[index].handle
        links[index].hasSpoken = true
        let answer = links[index].server.receive(pdu)
        if let response = answer.response {
            let frame = L2CAPFrame(channel: L2CAPChannel.attribute, payload: response)
            guard send(frame, index, at: now, &actions) else { return }
        }
        switch answer.news {
        case .mtuExchanged(let mtu): actions.append(.mtuChanged(handle, mtu))
        case .written(let characteristic, let value, let withResponse):
            actions.append(.written(handle, characteristic, value, withResponse: withResponse))
        case .configured(let characteristic, let configuration):
            actions.append(.subscribed(handle, characteristic, configuration))
        case .confirmed:
            if let value = links[index].pusher.confirmed() {
                actions.append(.delivered(handle, value.characteristic, confirmed: true))
            }
        case nil: break
        }
        // Phones are busy with service discovery on their own terms first; asked any earlier some ignore the request.
        if let request = links[index].parameters.begin(current: links[index].current) {
            send(request.frame, index, at: now, &actions)
        }
    }

    private mutating func receiveSignal(
        _ payload: ArraySlice<UInt8>, _ index: Int, at now: Instant, _ actions: inout [HostAction]
    ) {
        guard let signal = LESignal(payload) else { return }
        if signal.isAnswer {
            guard let next = links[index].parameters.answered(signal) else { return }
            send(next.frame, index, at: now, &actions)
        } else {
            // All that remains is for a central or opens channels, neither of which this host is or has.
            send(LESignal.reject(signal.identifier).frame, index, at: now, &actions)
        }
    }

    /// Queues an answer. A phone that asks so much faster than it listens that there is no room is disconnected: an answer
    /// left out would stall it for 30 s, and an unbounded queue is an invitation.
    @discardableResult private mutating func send(
        _ frame: L2CAPFrame, _ index: Int, at now: Instant, _ actions: inout [HostAction]
    ) -> Bool {
        if transmitter.enqueue(frame, on: links[index].handle, at: now) { return true }
        disconnect(index, .lowResources, at: now, &actions)
        return false
    }
}
