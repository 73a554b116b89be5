import Encoding

/// The beginning, the data and the end of links.
extension Host {
    /// Handles a new connection. With advertising sets, the connection waits for the event that names its set.
    mutating func came(_ connection: Connection, at now: Instant, _ actions: inout [HostAction]) throws(HostFailure) {
        // A repeated handle means that the end of the previous connection was not reported.
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

    /// Handles the end of an advertising set.
    mutating func ended(
        _ set: UInt8, _ status: HCIStatus, by handle: ConnectionHandle, at now: Instant, _ actions: inout [HostAction]
    ) throws(HostFailure) {
        let (advertisement, isSilent) = advertiser.ended(set, byConnection: status == .success)
        guard status == .success else { return try follow(advertiser.expire(at: now), &actions) }
        if isSilent { actions.append(.advertisingStopped) }
        // The connection ended before it was reported to the application, so the application would not request
        // advertising again: resume advertising.
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

    /// Begins the end of a connection. Later data from the phone is ignored.
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

    /// Handles a data packet of a link. Ignores the packet if the end of the link was requested.
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
        default: break  // Drop packets of other channels (Core Specification Vol 3 Part A 2.2).
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
        // Request connection parameters only after the phone's first PDU: phones are busy with service discovery at
        // first, and some ignore an earlier request.
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
            // Reject all other signals. These signals address a central, or open channels. This host is not a central
            // and has no channels to open.
            send(LESignal.reject(signal.identifier).frame, index, at: now, &actions)
        }
    }

    /// Queues an answer. If the queue is full, the phone is disconnected, because it sends requests much faster than it
    /// reads answers. A dropped answer would stall the phone for 30 s, and an attacker could exploit an unbounded
    /// queue.
    @discardableResult private mutating func send(
        _ frame: L2CAPFrame, _ index: Int, at now: Instant, _ actions: inout [HostAction]
    ) -> Bool {
        if transmitter.enqueue(frame, on: links[index].handle, at: now) { return true }
        disconnect(index, .lowResources, at: now, &actions)
        return false
    }
}
