import Encoding

/// Sends HCI commands one after the other, as the controller grants credits, and detects unanswered commands
/// (flow control: Core Specification Vol 4 Part E 4.4).
///
/// Only one command is outstanding at a time, even if the controller would accept more. So an answer is
/// matched by its opcode alone, and if the controller loses one answer, later answers are still matched
/// correctly.
struct CommandQueue: Sendable {
    /// The result of a command.
    enum Outcome: Equatable, Sendable {
        /// The controller sent Command Complete, with a status byte and the bytes after it, if any.
        case completed(HCIStatus, returnParameters: ArraySlice<UInt8>)
        /// The controller sent Command Status: the command has begun (success), or was refused.
        case status(HCIStatus)
        /// An optional command that the controller does not know or never answered. It will not be sent again.
        case unsupported
        /// A mandatory command that the controller never answered.
        case timedOut
    }

    private let limits: Limits
    private var waiting: [HCICommand] = []
    private var outstanding: HCICommand?
    private var credits = 1  // Vol 4 Part E 4.4: one command may be sent before the first answer.
    private var unsupported: Set<HCIOpcode> = []
    /// Whether the host assumed a credit and the controller has granted none since.
    private var isStarved = false
    /// When the host gives up the outstanding command or, if no command is outstanding, when the wait for a
    /// credit ends; nil if it waits for neither.
    private(set) var deadline: Instant?

    init(limits: Limits) {
        self.limits = limits
    }

    /// The number of commands that are outstanding or wait.
    var count: Int { waiting.count + (outstanding == nil ? 0 : 1) }

    /// Appends a command. An optional command is dropped when it is known to be unsupported or when the queue
    /// is full. A mandatory command is never dropped for lack of room, but of several equal mandatory
    /// commands only one waits, so that their number is bounded, too.
    mutating func enqueue(_ command: HCICommand) {
        switch command.requirement {
        case .optional where unsupported.contains(command.opcode) || waiting.count >= limits.queuedCommands: return
        case .mandatory where waiting.contains(command): return
        case .optional, .mandatory: waiting.append(command)
        }
    }

    /// Drops the waiting commands of a connection that has ended: its handle may soon denote another connection.
    mutating func forget(_ connection: ConnectionHandle) {
        waiting.removeAll { $0.connection == connection }
    }

    /// Returns the next packet to send, if one may be sent now.
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

    /// Takes an answer. Returns the command it belongs to and the outcome. Returns nil when it belongs to no
    /// command: it is a late answer to a command that was given up, or only a grant of credits.
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
        // Every command used here returns a status first; an answer without one is an error of the controller.
        let status = HCIStatus(rawValue: returnParameters.first ?? HCIStatus.unspecified.rawValue)
        return (
            command,
            refusal(of: command, status) ?? .completed(status, returnParameters: returnParameters.dropFirst())
        )
    }

    /// Gives up an overdue command and returns it with its outcome. A command that only waited for a credit
    /// is sent without a credit the first time.
    mutating func expire(at now: Instant) -> (HCICommand, Outcome)? {
        guard let deadline, deadline <= now else { return nil }
        self.deadline = nil
        guard let command = outstanding else {
            // Send a command without a credit once, because the grant may have been lost and phones are
            // connected. A controller that grants nothing again counts as dead.
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
