/// Changes what is on the air as one step: advertising off, address and both payloads, advertising on.
///
/// Phones take the key from both payloads, so no mixture of two advertisements may ever be seen (iOS wallets crash on a
/// scan response without its advertisement). Legacy commands only: mixing them with the extended ones is an error on
/// every controller (Core Specification Vol 4 Part E 3.1.1).
struct Advertiser: Sendable {
    /// What an answer led to.
    enum Outcome: Equatable, Sendable {
        /// The next command of the sequence.
        case send(HCICommand)
        /// The advertisement last asked for is on the air.
        case started
        /// Advertising is off, as asked for.
        case stopped
        /// The controller refused; advertising is off and stays off until it is asked for again.
        case refused(HCIOpcode, HCIStatus)
    }

    private enum Step {
        case disable, parameters, address, data, scanResponse, enable
    }

    private enum State {
        case off
        case on(Advertisement)
        /// The command of `step` is unanswered. `wanted` is what the sequence shall end with; `carried` what the commands
        /// of this pass carry: when the two differ, the sequence begins again.
        case changing(Step, carried: Advertisement?, wanted: Advertisement?)
    }

    private let interval: ClosedRange<UInt16>
    private var state: State = .off
    /// Whether the parameters have been set since the last reset: they survive everything else.
    private var hasParameters = false
    /// What the controller holds: it need not be told again to go on with that after a connection.
    private var held: Advertisement?
    /// Whether a sequence has already been begun anew because the controller disagreed about being off.
    private var hasRetried = false

    /// `interval` in units of 0.625 ms.
    init(interval: ClosedRange<UInt16>) {
        self.interval = interval
    }

    /// Whether phones can see us, as far as is known.
    var isOn: Bool { if case .on = state { true } else { false } }

    /// Asks for an advertisement, or for none. A sequence under way is brought to this end instead.
    mutating func want(_ advertisement: Advertisement?) -> Outcome? {
        hasRetried = false
        switch state {
        case .off:
            guard let advertisement else { return .stopped }
            return begin(advertisement)
        case .on:
            return send(.disable, advertisement)
        case .changing(let step, let carried, _):
            state = .changing(step, carried: carried, wanted: advertisement)
            return nil
        }
    }

    /// A connection came about, which ends legacy advertising (Vol 6 Part B 4.4.2.4). True if that is all; an
    /// advertisement on its way to the air is called back and ends as ``Outcome/stopped``: whether there is room for another
    /// phone is the owner's to say, who asks again.
    mutating func connected() -> Bool {
        switch state {
        case .off:
            return false
        case .on:
            state = .off
            return true
        case .changing(let step, let carried, _):
            state = .changing(step, carried: carried, wanted: nil)
            return false
        }
    }

    /// A connection came to nothing or is refused, which may have ended advertising: it is set up again.
    mutating func attemptFailed() -> Outcome? {
        guard case .on(let advertisement) = state else { return nil }
        return want(advertisement)
    }

    /// Takes the answer to the command that is under way.
    mutating func answered(_ status: HCIStatus, to opcode: HCIOpcode) -> Outcome? {
        guard case .changing(let step, let carried, let wanted) = state else { return nil }
        guard status == .success || isHarmless(status, at: step) else {
            held = nil
            if status == .commandDisallowed, step != .enable, !hasRetried, wanted != nil {
                // The controller believes that it is still advertising.
                hasRetried = true
                return send(.disable, wanted)
            }
            state = .off
            return wanted == nil ? .stopped : .refused(opcode, status)
        }
        if step == .parameters { hasParameters = true }
        if step == .scanResponse { held = carried }
        if carried != wanted {
            if step == .enable { return send(.disable, wanted) }
            guard let wanted else {
                state = .off
                return .stopped
            }
            return begin(wanted)
        }
        return advance(after: step, carried)
    }

    private mutating func advance(after step: Step, _ advertisement: Advertisement?) -> Outcome {
        guard let advertisement else {
            state = .off
            return .stopped
        }
        switch step {
        case .disable: return begin(advertisement)
        case .parameters: return send(.address, advertisement)
        case .address: return send(.data, advertisement)
        case .data: return send(.scanResponse, advertisement)
        case .scanResponse: return send(.enable, advertisement)
        case .enable:
            state = .on(advertisement)
            return .started
        }
    }

    /// The first command that this advertisement needs.
    private mutating func begin(_ advertisement: Advertisement) -> Outcome {
        if hasParameters, held == advertisement { return send(.enable, advertisement) }
        held = nil
        return send(hasParameters ? .address : .parameters, advertisement)
    }

    /// Some controllers refuse to switch off what is off already.
    private func isHarmless(_ status: HCIStatus, at step: Step) -> Bool {
        step == .disable && status == .commandDisallowed
    }

    private mutating func send(_ step: Step, _ advertisement: Advertisement?) -> Outcome {
        let command: HCICommand
        switch (step, advertisement) {
        case (.parameters, .some): command = .leSetAdvertisingParameters(interval: interval)
        case (.address, .some(let advertisement)): command = .leSetRandomAddress(advertisement.address)
        case (.data, .some(let advertisement)): command = .leSetAdvertisingData(advertisement.data)
        case (.scanResponse, .some(let advertisement)): command = .leSetScanResponseData(advertisement.scanResponse)
        case (.enable, .some): command = .leSetAdvertisingEnable(true)
        case (.disable, _), (_, .none): command = .leSetAdvertisingEnable(false)
        }
        state = .changing(step, carried: advertisement, wanted: advertisement)
        return .send(command)
    }
}
