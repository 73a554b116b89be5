import Encoding

/// What follows from the controller's answers to commands.
extension Host {
    /// Goes on after a command has been answered, refused or given up.
    mutating func conclude(
        _ command: HCICommand, _ outcome: CommandQueue.Outcome, at now: Instant, _ actions: inout [HostAction]
    ) throws(HostFailure) {
        if case .settingUp(var setup) = phase {
            try setup.take(outcome, of: command)
            goOn(with: setup, &actions)
            return
        }
        if case .timedOut = outcome { throw .commandTimedOut(command.opcode) }
        switch command.opcode {
        case .leSetAdvertisingParameters, .leSetRandomAddress, .leSetAdvertisingData, .leSetScanResponseData,
            .leSetAdvertisingEnable, .leSetExtendedAdvertisingParameters, .leSetAdvertisingSetRandomAddress,
            .leSetExtendedAdvertisingData, .leSetExtendedScanResponseData, .leSetExtendedAdvertisingEnable:
            let lapses = advertiser.lapses
            let next = advertiser.answered(outcome.status, at: now)
            if advertiser.lapses > lapses { actions.append(.advertisingLapsed(advertiser.lapses)) }
            try follow(next, &actions)
        case .disconnect:
            // Success is only the beginning; Disconnection Complete follows. "Unknown connection" means that it was
            // gone already, and its event may have been lost. Other refusals are left to the closing deadline.
            if outcome.status == .unknownConnection, let handle = command.connection {
                end(handle, .unknownConnection, at: now, &actions)
            }
        default:
            break  // Improvements and the sign of life: any answer will do.
        }
    }

    /// The next set-up command, or readiness.
    private mutating func goOn(with setup: ControllerSetup, _ actions: inout [HostAction]) {
        var setup = setup
        if let command = setup.next() {
            commands.enqueue(command)
            phase = .settingUp(setup)
        } else {
            let information = setup.information
            transmitter = ACLTransmitter(
                packetLength: information.aclLength, packets: information.aclPackets, limits: configuration.limits)
            let sets = information.advertisingSets
            advertiser = Advertiser(configuration, sets > 0 ? .sets(sets) : .legacy)
            phase = .ready(information)
            actions.append(.ready(information))
        }
    }

    /// Does what the advertiser wants next.
    mutating func follow(_ outcome: Advertiser.Outcome?, _ actions: inout [HostAction]) throws(HostFailure) {
        switch outcome {
        case .none: break
        case .send(let command): commands.enqueue(command)
        case .started: actions.append(.advertisingStarted)
        case .stopped: actions.append(.advertisingStopped)
        case .refused(let opcode, let status):
            // Beside connections a controller may have its limits; what it refuses else it has promised without keeping to it.
            let isLimit = opcode == .leSetExtendedAdvertisingEnable && linkCount > 0
            if advertiser.namesConnections, !isLimit { throw .commandFailed(opcode, status) }
            actions.append(.advertisingRefused(opcode, status))
        case .dead: throw .advertisingDead
        }
    }
}

extension CommandQueue.Outcome {
    /// The status that the controller gave, or stands for.
    var status: HCIStatus {
        switch self {
        case .completed(let status, _), .status(let status): status
        case .unsupported: .unknownCommand
        case .timedOut: .unspecified
        }
    }
}
