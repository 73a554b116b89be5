import Encoding

/// Sends HCI commands one by one, as the controller grants credits (Core Specification Vol 4 Part E 4.4). Detects
/// unanswered commands.
///
/// Only one command is outstanding at a time, even if the controller accepts more. An answer can then be matched by its
/// opcode alone, and a lost answer does not confuse later answers.
struct CommandQueue: Sendable {
    /// The result of a command.
    enum Outcome: Equatable, Sendable {
        /// The controller sent Command Complete, with a status byte and optional further bytes.
        case completed(HCIStatus, returnParameters: ArraySlice<UInt8>)
        /// The controller sent Command Status: the command has begun (success) or was refused.
        case status(HCIStatus)
        /// The controller does not know an optional command, or never answered it. The command is not sent again.
        case unsupported
        /// The controller never answered a mandatory command.
        case timedOut
    }

    private let limits: Limits
    private var waiting: [HCICommand] = []
    private var outstanding: HCICommand?
    private var credits = 1  // One command may be sent before the first answer (Vol 4 Part E 4.4).
    private var unsupported: Set<HCIOpcode> = []
    /// Whether the host assumed a credit, and the controller has granted none since.
    private var isStarved = false
    /// The end of the wait for the answer to the outstanding command or, without an outstanding command, for a credit;
    /// nil without either wait.
    private(set) var deadline: Instant?

    init(limits: Limits) {
        self.limits = limits
    }

    /// The number of outstanding and waiting commands.
    var count: Int { waiting.count + (outstanding == nil ? 0 : 1) }

    /// Appends a command. An optional command is dropped if it is known to be unsupported or the queue is full. A
    /// mandatory command is never dropped for lack of room. Of equal mandatory commands only one waits, so that their
    /// number is bounded, too.
    mutating func enqueue(_ command: HCICommand) {
        switch command.requirement {
        case .optional where unsupported.contains(command.opcode) || waiting.count >= limits.queuedCommands: return
        case .mandatory where waiting.contains(command): return
        case .optional, .mandatory: waiting.append(command)
        }
    }

    /// Drops the waiting commands of an ended connection, because its handle may soon belong to another connection.
    mutating func forget(_ connection: ConnectionHandle) {
        waiting.removeAll { $0.connection == connection }
    }

    /// Returns the next packet that may be sent now; nil if there is none.
    mutating func next(at now: Instant) -> [UInt8]? {
        guard outstanding == nil, let command = waiting.first else { return nil }
        guard credits > 0 else {
            if deadline == nil { deadline = now.advanced(by: limits.commandTime) }
            return nil
        }
        waiting.removeFirst()
        credits -= 1
        outstanding = command
        let time = command.requirement == .mandatory ? limits.commandTime : limits.optionalCommandTime
        deadline = now.advanced(by: time)
        return command.packet
    }

    /// Handles an answer. Returns its command and the outcome. Returns nil for a late answer to a command that was
    /// given up, and for a mere grant of credits.
    mutating func answer(
        to opcode: HCIOpcode, credits granted: UInt8, status: HCIStatus?, returnParameters: ArraySlice<UInt8>
    ) -> (HCICommand, Outcome)? {
        credits = Int(granted)
        if granted > 0 { isStarved = false }
        guard let command = outstanding, command.opcode == opcode else { return nil }
        outstanding = nil
        deadline = nil
        if let status {
            return (command, refusal(of: command, status) ?? .status(status))
        }
        // The answer to every command of this host begins with a status. An answer without a status is an error of the
        // controller.
        let status = HCIStatus(rawValue: returnParameters.first ?? HCIStatus.unspecified.rawValue)
        return (
            command,
            refusal(of: command, status) ?? .completed(status, returnParameters: returnParameters.dropFirst())
        )
    }

    /// Gives up an overdue command and returns it with its outcome. The first command that waits too long for a credit
    /// is sent without a credit.
    mutating func expire(at now: Instant) -> (HCICommand, Outcome)? {
        guard let deadline, deadline <= now else { return nil }
        self.deadline = nil
        guard let command = outstanding else {
            // Send a command without a credit once: the controller's grant may have been lost, and a failure would end
            // all connections. A controller that again grants no credit counts as dead.
            if isStarved { return waiting.first.map { ($0, .timedOut) } }
            (credits, isStarved) = (1, true)
            return nil
        }
        outstanding = nil
        credits = max(credits, 1)  // The unanswered command took a credit and will not return it.
        guard command.requirement == .optional else { return (command, .timedOut) }
        unsupported.insert(command.opcode)
        return (command, .unsupported)
    }

    private mutating func refusal(of command: HCICommand, _ status: HCIStatus) -> Outcome? {
        guard status == .unknownCommand, command.requirement == .optional else { return nil }
        unsupported.insert(command.opcode)
        return .unsupported
    }
}
