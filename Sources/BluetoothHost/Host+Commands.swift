import Encoding

/// Handles the controller's answers to commands.
extension Host {
    /// Continues after a command has been answered, refused or given up.
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
            // Success only means that the disconnection has begun; Disconnection Complete follows. "Unknown connection"
            // means that the connection has already ended and the event of its end may have been lost. For other
            // refusals, wait for the closing deadline.
            if outcome.status == .unknownConnection, let handle = command.connection {
                end(handle, .unknownConnection, at: now, &actions)
            }
        default:
            break  // For optional commands and the watchdog's probe, any answer is sufficient.
        }
    }

    /// Queues the next set-up command, or reports that the controller is ready.
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

    /// Carries out the advertiser's next command or report.
    mutating func follow(_ outcome: Advertiser.Outcome?, _ actions: inout [HostAction]) throws(HostFailure) {
        switch outcome {
        case .none: break
        case .send(let command): commands.enqueue(command)
        case .started: actions.append(.advertisingStarted)
        case .stopped: actions.append(.advertisingStopped)
        case .refused(let opcode, let status):
            // While links exist, a controller may refuse to enable a set because of its limits. Any other refusal
            // contradicts the reported features.
            let isLimit = opcode == .leSetExtendedAdvertisingEnable && linkCount > 0
            if advertiser.namesConnections, !isLimit { throw .commandFailed(opcode, status) }
            actions.append(.advertisingRefused(opcode, status))
        case .dead: throw .advertisingDead
        }
    }
}

extension CommandQueue.Outcome {
    /// The status from the controller or, without a status, the status with the same meaning as the outcome.
    var status: HCIStatus {
        switch self {
        case .completed(let status, _), .status(let status): status
        case .unsupported: .unknownCommand
        case .timedOut: .unspecified
        }
    }
}
