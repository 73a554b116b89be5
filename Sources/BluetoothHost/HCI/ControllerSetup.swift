import Encoding

/// Brings a controller from any state to the ready state, one command at a time: reset, queries of features, event
/// masks, buffers, preferences (order of Core Specification Vol 6 Part D 2.1).
///
/// The query of the number of advertising sets makes the controller refuse legacy advertising commands until its next
/// reset (Vol 4 Part E 3.1.1). A controller with fewer than two sets is therefore set up again without the query.
struct ControllerSetup: Sendable {
    private enum Step: Int, CaseIterable {
        case reset, version, commands, features, address, eventMask, leBuffers, buffers, leFeatures, leStates
        case advertisingSets, leEventMask, dataLength, phy
    }

    /// The maximum number of advertising sets to use. Below two, the host uses none.
    private var setLimit: Int

    private var remaining = Step.allCases[...]
    private(set) var information = ControllerInformation()

    /// Creates the set-up of a controller of which at most `setLimit` advertising sets are used.
    init(setLimit: Int) {
        self.setLimit = setLimit
    }

    /// Returns the next command; nil if the controller is ready. Skips the steps that this controller does not need.
    mutating func next() -> HCICommand? {
        while let step = remaining.popFirst() {
            if let command = command(for: step) { return command }
        }
        return nil
    }

    /// Handles the outcome of the command that ``next()`` returned.
    ///
    /// Throws if the controller is unusable. An unanswered optional query is not a failure.
    mutating func take(_ outcome: CommandQueue.Outcome, of command: HCICommand) throws(HostFailure) {
        switch outcome {
        case .timedOut:
            throw .commandTimedOut(command.opcode)
        case .unsupported, .status(.success):
            break
        case .status(let status):
            if command.requirement == .mandatory { throw .commandFailed(command.opcode, status) }
        case .completed(.success, let parameters):
            // Treat a truncated answer as incomplete: the missing values stay unset.
            var reader = ByteReader(parameters)
            try? read(&reader, answering: command.opcode)
        case .completed(let status, _):
            if command.requirement == .mandatory { throw .commandFailed(command.opcode, status) }
        }
        if command.opcode == .readBufferSize, !hasBuffers { throw .noDataBuffers }
        if command.opcode == .leReadNumberOfSupportedAdvertisingSets, information.advertisingSets == 0 {
            self = ControllerSetup(setLimit: 0)
        }
    }

    private var hasBuffers: Bool { information.aclLength > 0 && information.aclPackets > 0 }

    private func command(for step: Step) -> HCICommand? {
        switch step {
        case .reset: HCICommand(.reset)
        case .version: HCICommand(.readLocalVersion, [], .optional)
        case .commands: HCICommand(.readLocalSupportedCommands, [], .optional)
        case .features: HCICommand(.readLocalSupportedFeatures, [], .optional)
        case .address: HCICommand(.readAddress, [], .optional)
        case .eventMask: .setEventMask
        case .leEventMask: .leSetEventMask(withSets: information.advertisingSets > 0)
        case .leBuffers: HCICommand(.leReadBufferSize, [], .optional)
        // If LE Read Buffer Size reports zero or is not answered, LE shares the BR/EDR buffers (Vol 4 Part E 7.8.2).
        case .buffers: hasBuffers ? nil : HCICommand(.readBufferSize, [], .optional)
        case .leFeatures: HCICommand(.leReadLocalSupportedFeatures, [], .optional)
        case .leStates: HCICommand(.leReadSupportedStates, [], .optional)
        case .advertisingSets:
            setLimit >= 2 && information.supportsAdvertisingSets
                ? HCICommand(.leReadNumberOfSupportedAdvertisingSets, [], .optional) : nil
        case .dataLength: wanted(.leWriteSuggestedDefaultDataLength, if: information.supportsDataLengthExtension)
        case .phy: wanted(.leSetDefaultPHY, if: information.supports2MPHY)
        }
    }

    private func wanted(_ command: HCICommand, if supported: Bool) -> HCICommand? {
        supported && information.announces(command.opcode) ? command : nil
    }

    private mutating func read(
        _ reader: inout ByteReader, answering opcode: HCIOpcode
    ) throws(ByteReader.Truncated) {
        switch opcode {
        case .readLocalVersion:
            information.version = try reader.uint8()
            _ = try reader.take(3)  // HCI revision, LMP version
            information.manufacturer = try reader.uint16LE()
            information.subversion = try reader.uint16LE()
        case .readLocalSupportedCommands:
            information.supportedCommands = [UInt8](try reader.take(64))
        case .readLocalSupportedFeatures:
            information.features = try reader.uint64LE()
        case .readAddress:
            information.address = DeviceAddress(bytes: try reader.take(6), isRandom: false)
        case .leReadBufferSize:
            let length = try reader.uint16LE()
            let packets = try reader.uint8()
            // A controller must report buffers of at least 27 bytes (Vol 4 Part E 7.8.2). Ignore a smaller number.
            guard length >= 27 else { return }
            information.aclLength = Int(length)
            information.aclPackets = Int(packets)
        case .readBufferSize:
            let length = try reader.uint16LE()
            _ = try reader.uint8()  // synchronous length
            let packets = try reader.uint16LE()
            guard length >= 27 else { return }
            information.aclLength = Int(length)
            information.aclPackets = Int(packets)
        case .leReadLocalSupportedFeatures:
            information.leFeatures = try reader.uint64LE()
        case .leReadSupportedStates:
            information.leStates = try reader.uint64LE()
        case .leReadNumberOfSupportedAdvertisingSets:
            let sets = min(Int(try reader.uint8()), setLimit)
            information.advertisingSets = sets >= 2 ? sets : 0
        default:
            break
        }
    }
}
