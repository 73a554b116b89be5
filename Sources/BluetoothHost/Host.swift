package import Encoding

/// A Bluetooth LE peripheral: all layers between a controller's HCI packets and an application's characteristics.
///
/// The life cycle in order: `start` sets the controller up (``ControllerSetup``) → `ready` → `advertise` puts
/// advertisements on the air (``Advertiser``) → a phone connects → its data is reassembled (``ACLReassembler``), sorted
/// by channel and answered (``ATTServer``); writes are reported as `written`, values are sent by `notify`
/// (``ValuePusher``, ``ACLTransmitter``) → `disconnected`. If the controller stays silent or reports an error, the
/// cycle ends with `failed`. The owner then opens the transport again and sends `start`.
///
/// The host is a pure value without clock, I/O and randomness. The owner passes in packets and the time, carries out
/// the actions in order, and sends `timer` at ``deadline``.
package struct Host: Sendable {
    enum Phase: Sendable {
        /// The host was not started, or has failed.
        case down
        case settingUp(ControllerSetup)
        case ready(ControllerInformation)
    }

    let configuration: HostConfiguration
    let database: AttributeDatabase
    var phase: Phase = .down
    var commands: CommandQueue
    var advertiser: Advertiser
    var transmitter: ACLTransmitter
    var early: EarlyPackets
    var names: SetNames
    var links: [Link] = []
    /// The time of the last packet from the controller.
    var lastHeard: Instant = .zero
    /// The number of malformed or unexpected packets since the start.
    package internal(set) var ignoredPackets = 0
    /// The number of PDUs with inconsistent fragments from phones since the start.
    package internal(set) var droppedPDUs = 0

    /// Creates a host with the given services. The event `start` starts the host.
    package init(configuration: HostConfiguration = HostConfiguration(), services: [ServiceDefinition]) {
        self.configuration = configuration
        database = AttributeDatabase(
            deviceName: configuration.deviceName, appearance: configuration.appearance, services: services)
        commands = CommandQueue(limits: configuration.limits)
        advertiser = Advertiser(configuration, .legacy)
        transmitter = Self.idleTransmitter(configuration.limits)
        early = EarlyPackets(limits: configuration.limits)
        names = SetNames(limits: configuration.limits)
    }

    /// Handles an event at `now`. Returns the actions to carry out, in order.
    ///
    /// Packets precede reports in the list, so a phone gets its answer before any effect of a report. If the owner
    /// reacts to a report with another call before the end of the list, the reaction cannot overtake a packet.
    package mutating func handle(_ event: HostEvent, at now: Instant) -> [HostAction] {
        var actions: [HostAction] = []
        handle(event, at: now, into: &actions)
        return actions
    }

    /// Handles an event like ``handle(_:at:)``, but appends to `actions`. A caller that reuses the memory of its last
    /// list needs no allocation.
    package mutating func handle(_ event: HostEvent, at now: Instant, into actions: inout [HostAction]) {
        let first = actions.count
        do {
            try take(event, at: now, &actions)
        } catch {
            fail(error, &actions)
        }
        var packets: [HostAction] = []
        pump(at: now, &packets, &actions)
        if !packets.isEmpty { actions.insert(contentsOf: packets, at: first) }
    }

    /// The time at which the event `timer` is due; nil without a time limit.
    package var deadline: Instant? {
        var instants = links.indices.compactMap { links[$0].deadline }
        if let deadline = commands.deadline { instants.append(deadline) }
        if let deadline = watchdogDeadline { instants.append(deadline) }
        if let deadline = advertiser.deadline { instants.append(deadline) }
        if let deadline = names.deadline { instants.append(deadline) }
        if let deadline = transmitter.heldDeadline { instants.append(deadline) }
        return instants.min()
    }

    /// The time at which the host probes a silent controller.
    private var watchdogDeadline: Instant? {
        guard case .ready = phase, commands.count == 0, let interval = configuration.watchdogInterval else {
            return nil
        }
        return lastHeard.advanced(by: interval)
    }

    private mutating func take(
        _ event: HostEvent, at now: Instant, _ actions: inout [HostAction]
    ) throws(HostFailure) {
        switch event {
        case .start:
            start(at: now)
        case .received(let packet):
            try receive(packet, at: now, &actions)
        case .timer:
            try expire(at: now, &actions)
        case .advertise(let advertisements):
            guard case .ready = phase else { return }
            try follow(advertiser.want(advertisements, at: now), &actions)
        case .notify(let handle, let characteristic, let value):
            notify(handle, characteristic, value, &actions)
        case .disconnect(let handle, let reason):
            if let index = index(of: handle) { disconnect(index, reason, at: now, &actions) }
        case .transportLost:
            throw .transportLost
        }
    }

    /// Clears all state and begins with Reset.
    private mutating func start(at now: Instant) {
        clear()
        (ignoredPackets, droppedPDUs) = (0, 0)
        lastHeard = now
        var setup = ControllerSetup(
            setLimit: configuration.usesAdvertisingSets ? configuration.limits.advertisingSets : 0)
        if let command = setup.next() { commands.enqueue(command) }
        phase = .settingUp(setup)
    }

    private mutating func clear() {
        phase = .down
        commands = CommandQueue(limits: configuration.limits)
        advertiser = Advertiser(configuration, .legacy)
        transmitter = Self.idleTransmitter(configuration.limits)
        early.forget()
        names = SetNames(limits: configuration.limits)
        links = []
    }

    /// The placeholder for the transmitter while the controller's buffers are unknown: it sends nothing.
    private static func idleTransmitter(_ limits: Limits) -> ACLTransmitter {
        ACLTransmitter(packetLength: 27, packets: 0, limits: limits)
    }

    /// Reports to the application that all connections and advertisements have ended, with the reason.
    private mutating func fail(_ failure: HostFailure, _ actions: inout [HostAction]) {
        if advertiser.isOn { actions.append(.advertisingStopped) }
        for link in links { actions.append(.disconnected(link.handle, .unspecified)) }
        clear()
        actions.append(.failed(failure))
    }

    /// Carries out the actions that are due.
    private mutating func expire(at now: Instant, _ actions: inout [HostAction]) throws(HostFailure) {
        if let (command, outcome) = commands.expire(at: now) {
            try conclude(command, outcome, at: now, &actions)
        }
        for connection in names.expire(at: now) {
            if names.isHopeless { throw .advertisingSetsUnreported }
            try begin(connection, to: nil, at: now, &actions)
        }
        if let deadline = advertiser.deadline, deadline <= now { try follow(advertiser.expire(at: now), &actions) }
        if let deadline = watchdogDeadline, deadline <= now { commands.enqueue(HCICommand(.readAddress)) }
        if let deadline = transmitter.heldDeadline, deadline <= now { throw .buffersKept }
        for index in links.indices {
            if let closing = links[index].closing, closing.by <= now {
                // The event of the link's end may have been lost while other phones are connected. Ask the controller
                // once more; the controller then answers that the connection is unknown.
                guard !closing.isRepeated else { throw .disconnectionStalled(links[index].handle) }
                links[index].closing?.by = now.advanced(by: configuration.limits.disconnectionMargin)
                links[index].closing?.isRepeated = true
                commands.enqueue(.disconnect(links[index].handle, .userTerminated))
            }
            if let value = links[index].pusher.expire(at: now) {
                actions.append(.unconfirmed(links[index].handle, value.characteristic))
            }
        }
    }

    /// Sends as many packets as the controller's credits and data buffers allow. Commands come first, because a
    /// command may end a connection.
    private mutating func pump(at now: Instant, _ packets: inout [HostAction], _ news: inout [HostAction]) {
        while let packet = commands.next(at: now) { packets.append(.send(packet)) }
        for index in links.indices { fill(index, at: now) }
        while let transmission = transmitter.next(at: now) {
            packets.append(.send(transmission.packet))
            guard let value = transmission.finished, let index = index(of: transmission.handle) else { continue }
            news.append(.delivered(transmission.handle, value.characteristic, confirmed: false))
            fill(index, at: now)  // The frame has left the queue, so there is room for the next value.
        }
    }

    /// Moves waiting values into the connection's frame queue.
    private mutating func fill(_ index: Int, at now: Instant) {
        let handle = links[index].handle
        guard links[index].closing == nil else { return }
        while transmitter.hasRoom(on: handle),
            let (pdu, value) = links[index].pusher.next(for: links[index].server, at: now)
        {
            transmitter.enqueue(
                L2CAPFrame(channel: L2CAPChannel.attribute, payload: pdu), on: handle, reporting: value, at: now)
        }
    }

    /// The connections of the controller as far as the host knows, including those that are ending.
    package var linkStates: [LinkState] {
        links.indices.map { index in
            LinkState(
                handle: links[index].handle, hasSpoken: links[index].hasSpoken,
                endingSince: links[index].closing?.since,
                unacknowledgedSince: transmitter.unacknowledged(links[index].handle),
                parameters: links[index].current)
        }
            + names.held.map { connection in
                LinkState(
                    handle: connection.handle, hasSpoken: false, endingSince: nil, unacknowledgedSince: nil,
                    parameters: connection.parameters)
            }
    }

    /// The number of connections of the controller as far as the host knows (``linkStates``).
    package var linkCount: Int { links.count + names.held.count }

    /// The number of links that certainly get a data buffer, whatever their phones acknowledge; at least 1. Nil if the
    /// controller is not ready.
    package var bufferedLinks: Int? {
        guard case .ready(let information) = phase else { return nil }
        return ACLTransmitter.links(sharing: information.aclPackets)
    }

    /// Whether phones can find the gate, as far as the host knows.
    package var isAdvertising: Bool { advertiser.isOn }

    func index(of handle: ConnectionHandle) -> Int? {
        links.firstIndex { $0.handle == handle }
    }
}
