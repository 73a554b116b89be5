package import Encoding

/// A simulated LE controller. It exchanges HCI packets with a peripheral's host, and ``AirCommand`` and ``AirEvent``
/// with the air (Core Specification Vol 4 Part E).
///
/// The controller is as strict as real controllers about parameter lengths and ranges, event masks, and command and
/// data credits. In addition to a real controller's answer, a ``Violation`` reports each violation of HCI by the host.
package struct VirtualController: Sendable {
    /// An event for the controller.
    package enum Event: Sendable {
        /// The host sent one H4 packet, including the packet type (1 command, 2 ACL data).
        case fromHost([UInt8])
        /// The given event happened on the air.
        case air(AirEvent)
        /// The controller's deadline has passed.
        case timer
    }

    /// An action of the controller.
    package enum Action: Equatable, Sendable {
        /// Send one H4 packet to the host, including the packet type (4 event, 2 ACL data).
        case toHost([UInt8])
        /// A command to the air.
        case air(AirCommand)
        /// The host violated a rule of HCI, given as the value.
        case violation(Violation)
    }

    /// An event from the air to the controller. Handles are connection handles.
    package enum AirEvent: Equatable, Sendable {
        /// A central connected to the advertiser of the given set (0 for legacy advertising). `handle` must be unused.
        case connected(handle: UInt16, peer: DeviceAddress, parameters: ConnectionParameters, set: UInt8 = 0)
        /// A data packet arrived. `start`: whether it is the first packet of an L2CAP PDU.
        case received(handle: UInt16, bytes: [UInt8], start: Bool)
        /// The peer acknowledged an ACL packet that the host sent on the connection `handle`.
        case completed(handle: UInt16)
        /// A negotiated change of the connection `handle` took effect.
        case changed(handle: UInt16, Link.Change)
        /// The connection `handle` ended. `reason`: the error code for the host.
        case disconnected(handle: UInt16, reason: UInt8)
    }

    /// A command from the controller to the air.
    package enum AirCommand: Equatable, Sendable {
        /// Advertise the given advertiser in the set `set` (0 for legacy advertising); nil stops advertising.
        case advertise(Advertiser?, set: UInt8 = 0)
        /// Send the data of one ACL packet. `start`: whether it is the first packet of an L2CAP PDU.
        case send(handle: UInt16, bytes: [UInt8], start: Bool)
        /// End the connection `handle` with the error code `reason`.
        case terminate(handle: UInt16, reason: UInt8)
        /// Negotiate payloads of at most `transmit` bytes.
        case negotiateDataLength(handle: UInt16, transmit: Int)
        /// Negotiate the PHY of the connection `handle`.
        case negotiatePHY(handle: UInt16, prefers2M: Bool)
        /// Request other connection parameters from the central by the link layer procedure.
        case requestParameters(handle: UInt16, ConnectionParameters)
        /// Drop every connection without a termination (reset or failure of the controller).
        case dropAll
    }

    /// A violation of a rule of HCI by the host.
    package enum Violation: Equatable, Sendable {
        /// The packet is not an H4 packet for a controller, or its length field is wrong.
        case malformedPacket
        /// The command `opcode` was sent without a credit, before the answer to the preceding command.
        case commandWithoutCredit(opcode: UInt16)
        /// An ACL packet is longer (`length` bytes) than LE Read Buffer Size reports.
        case aclTooLong(length: Int)
        /// An ACL packet was sent while all of the controller's buffers were in use.
        case aclWithoutBuffer
        /// An ACL packet has a packet boundary flag, given as the value, that a host may not use on LE (5.4.2).
        case packetBoundaryFlag(UInt8)
        /// ACL data was sent for the given handle, which has no connection.
        case unknownHandle(UInt16)
        /// Legacy advertising commands and commands for advertising sets were mixed (3.1.1). `opcode`: the second
        /// command.
        case mixedAdvertising(opcode: UInt16)
        /// The parameters of the command `opcode` have `length` bytes, contrary to the specification.
        case parameterLength(opcode: UInt16, length: Int)
    }

    struct Connection: Sendable {
        var buffersInUse = 0
        var inbound: [UInt8] = []
    }

    enum Pending: Sendable {
        case toHost([UInt8])
        case hardwareError(UInt8)
        case advertisingStops
    }

    /// The simulated properties of the controller.
    package let traits: ControllerTraits
    var eventMask: UInt64 = 0x0000_1FFF_FFFF_FFFF
    var leEventMask: UInt64 = 0x1F
    var randomAddress: [UInt8]?
    var advertisingParameters = AdvertisingParameters()
    var advertisingData: [UInt8] = []
    var scanResponseData: [UInt8] = []
    var isAdvertising = false
    var sets: [UInt8: AdvertisingSet] = [:]
    /// Whether the host has used commands for advertising sets since the reset; nil if it has used no advertising
    /// commands.
    var usesSets: Bool?
    var suggestedLength: (octets: UInt16, time: UInt16) = (27, 328)
    var connections: [UInt16: Connection] = [:]
    /// The times at which the host learns of the end of former connections, by handle.
    var reportedEnd: [UInt16: Instant] = [:]
    var hasFailed = false
    /// The times of the commands to lose.
    var losses: [Instant]
    var unansweredCommand = false
    var random: SplitMix64
    var now = Instant.zero
    private var agenda = EventQueue<Pending>()
    private var actions: [Action] = []

    /// Creates a controller in its state after power-on.
    package init(traits: ControllerTraits = ControllerTraits(), seed: UInt64 = 1) {
        self.traits = traits
        losses = traits.lostCommands
        random = SplitMix64(seed: seed)
        if let error = traits.hardwareError { agenda.add(.hardwareError(error.code), at: error.at) }
        for instant in traits.advertisingStops { agenda.add(.advertisingStops, at: instant) }
    }

    /// The next instant at which the controller acts without an outside event; nil if there is none.
    package var deadline: Instant? { agenda.deadline }

    /// Handles one event and returns the actions.
    package mutating func handle(_ event: Event, at now: Instant) -> [Action] {
        self.now = now
        switch event {
        case .timer: break
        case .fromHost(let packet): receive(packet)
        case .air(let event): if !hasFailed { heard(event) }
        }
        while let pending = agenda.take(dueBy: now) {
            switch pending {
            case .toHost(let packet):
                if packet.count > 1, packet[0] == 4, packet[1] == 0x0E || packet[1] == 0x0F {
                    unansweredCommand = false
                }
                actions.append(.toHost(packet))
            case .hardwareError(let code): fail(code)
            case .advertisingStops: silence()
            }
        }
        defer { actions = [] }
        return actions
    }

    func isSupported(_ opcode: HCIOpcode) -> Bool {
        !traits.unknownCommands.contains(opcode)
            && (traits.advertisingSets > 0 || !HCIOpcode.advertisingSets.contains(opcode))
    }

    mutating func emit(_ command: AirCommand) { actions.append(.air(command)) }

    mutating func report(_ violation: Violation) { actions.append(.violation(violation)) }

    /// Sends a packet to the host after the controller's response time and `delay`. Packets keep their order.
    mutating func toHost(_ packet: [UInt8], after delay: Duration = .zero) {
        agenda.add(.toHost(packet), at: now.advanced(by: traits.responseTime + delay))
    }

    /// Sends an event if the host's mask permits it. Command Complete, Command Status and Number Of Completed Packets
    /// are never masked (7.3.1).
    mutating func event(_ code: UInt8, _ parameters: [UInt8], after delay: Duration = .zero) {
        let isUnmaskable = [0x0E, 0x0F, 0x13].contains(code)
        guard isUnmaskable || eventMask & 1 << UInt64(code - 1) != 0 else { return }
        toHost([0x04, code, UInt8(truncatingIfNeeded: parameters.count)] + parameters, after: delay)
    }

    /// Sends an LE Meta event if the event mask and the LE event mask permit it.
    mutating func metaEvent(_ subevent: UInt8, _ parameters: [UInt8], after delay: Duration = .zero) {
        guard leEventMask & 1 << UInt64(subevent - 1) != 0 else { return }
        event(0x3E, [subevent] + parameters, after: delay)
    }

    /// Stops all advertising.
    mutating func silence() {
        if isAdvertising { emit(.advertise(nil)) }
        isAdvertising = false
        for handle in sets.keys.sorted() where sets[handle]?.isOn == true {
            sets[handle]?.isOn = false
            emit(.advertise(nil, set: handle))
        }
    }

    /// Resets all settings that the host made, as Reset does (7.3.2).
    mutating func reset() {
        silence()
        (sets, usesSets) = ([:], nil)
        if !connections.isEmpty { emit(.dropAll) }
        eventMask = 0x0000_1FFF_FFFF_FFFF
        leEventMask = 0x1F
        randomAddress = nil
        advertisingParameters = AdvertisingParameters()
        advertisingData = []
        scanResponseData = []
        suggestedLength = (27, 328)
        connections = [:]
        hasFailed = false
        unansweredCommand = false
    }

    private mutating func fail(_ code: UInt8) {
        // Drop the answers that have not left the controller.
        agenda.clear()
        if eventMask & 1 << 15 != 0 { actions.append(.toHost([0x04, 0x10, 1, code])) }
        silence()
        if !connections.isEmpty { emit(.dropAll) }
        connections = [:]
        hasFailed = true
    }

    private mutating func receive(_ packet: [UInt8]) {
        switch packet.first {
        case 1:
            guard packet.count >= 4, packet.count == 4 + Int(packet[3]) else { return report(.malformedPacket) }
            command(UInt16(packet[1]) | UInt16(packet[2]) << 8, Array(packet[4...]))
        case 2:
            guard packet.count >= 5, packet.count == 5 + Int(packet[3]) + Int(packet[4]) << 8 else {
                return report(.malformedPacket)
            }
            if !hasFailed { aclData(UInt16(packet[1]) | UInt16(packet[2]) << 8, Array(packet[5...])) }
        default: report(.malformedPacket)
        }
    }
}

/// The parameters of LE Set Advertising Parameters (7.8.5) of the host.
struct AdvertisingParameters: Sendable {
    /// The minimum interval in units of 0.625 ms.
    var interval: UInt16 = 0x0800
    /// The type: 0 connectable undirected, 2 scannable, 3 non-connectable.
    var type: UInt8 = 0
    /// The address type: 0 public, 1 random.
    var ownAddressType: UInt8 = 0
}
