import DIDComm
import Encoding

extension AgencyMailbox {
    /// A request did not get through: it is repeated later.
    mutating func failed(
        _ id: AgentConnection.ExchangeID, _ failure: ExchangeFailure, at now: Instant
    ) -> [MailboxAction] {
        guard let done = finishExchange(id) else { return [] }
        if failure == .notStored { storage = .refused }
        if case .readAll = done.operation, failure == .uncertain { askAlone() }
        backoff.fail(at: now, settings.backoff, random: &random)
        return reachability(failure)
    }

    /// The agency answered with an error.
    mutating func rejected(
        _ id: AgentConnection.ExchangeID, _ problem: AgencyProblem, at now: Instant
    ) -> [MailboxAction] {
        guard let done = finishExchange(id) else { return [] }
        if case .readAll = done.operation { askAlone() }
        if problem.kind == .busy {
            backoff.fail(at: now, settings.backoff, random: &random)
            return reachability(.uncertain)
        }
        return reachability(nil) + refused(done, problem, at: now)
    }

    private mutating func refused(_ done: Exchange, _ problem: AgencyProblem, at now: Instant) -> [MailboxAction] {
        switch (done.operation, problem.kind) {
        case (.connect, .alreadyConnected), (.signUp, .notFound), (.createAgent, .notFound),
            (.createAgent, .agentExists):
            // An answer was lost, and what it told is not told again; or nobody there knows us any more.
            renewOwner()
            proceed(.connect)
            backoff.fail(at: now, settings.backoff, random: &random)
            return []
        case (.signUp, .registered):
            if case .signUp(let party) = stage { proceed(.createAgent(party)) }
            return []
        case (.createAgent, .notRegistered):
            if case .createAgent(let party) = stage { proceed(.signUp(party)) }
            backoff.fail(at: now, settings.backoff, random: &random)
            return []
        case (.connect, .needsToken), (.signUp, .needsToken), (.createAgent, .needsToken), (.token, .needsToken):
            return needToken()
        case (.createKey(let did), .keyTaken):
            let connection = slot(did)?.connection
            let isUsed = slot(did)?.closing == nil
            let actions = finish(did, isComplete: false)
            return actions + (isUsed ? connection.map { [.failed(.keyTaken, for: $0)] } ?? [] : [])
        case (.release, .invalid), (.release, .notFound):
            // Reviewed before, by a request whose answer was lost.
            return done.asked.flatMap { try? released($0.request, nil, at: now) } ?? []
        case (.releaseLeftovers(let did), .invalid), (.releaseLeftovers(let did), .notFound):
            change(did) { $0.closing?.leftovers = [] }
            return []
        case (.delete(let did), .deleted), (.delete(let did), .notFound), (.delete(let did), .notConnected),
            (.delete(let did), .invalid):
            return finish(did, isComplete: true)
        case (.leftovers(let did), .deleted), (.leftovers(let did), .notFound):
            return finish(did, isComplete: false)
        default:
            let failure: MailboxFailure = problem.kind == .unauthorised ? .unauthorised : .problem(problem.code)
            return refused(done.operation, failure, isFinal: problem.kind == .unauthorised, at: now)
        }
    }

    /// An answer that cannot be used.
    mutating func unusable(_ operation: Operation, _ error: AgencyError, at now: Instant) -> [MailboxAction] {
        if case .readAll = operation { askAlone() }
        // Used before, too old or not valid: the agency's words differ, the remedy does not.
        if case .token = operation, error == .problemReport { return needToken() }
        return refused(
            operation, error == .problemReport ? .problem("problem-report") : .malformed, isFinal: false, at: now)
    }

    /// What concerns one connection lets the others go on; what concerns us waits, for long when only somebody there can help.
    private mutating func refused(
        _ operation: Operation, _ failure: MailboxFailure, isFinal: Bool, at now: Instant
    ) -> [MailboxAction] {
        switch operation {
        case .createKey(let did), .read(let did), .delete(let did), .leftovers(let did), .releaseLeftovers(let did):
            let limits = settings.limits
            change(did) { $0.fail(at: now, limits, isFinal: isFinal) }
            return tell(failure, for: did)
        case .webhook:
            // Only a wake-up: messages are fetched all the same, and nobody is told that they are not.
            webhookHold = now.advanced(by: settings.limits.refusedRetry)
            return []
        case .check, .connect, .signUp, .createAgent, .token, .release, .readAll:
            if isFinal {
                hold = now.advanced(by: settings.limits.refusedRetry)
            } else {
                backoff.fail(at: now, settings.backoff, random: &random)
            }
            return tell(failure)
        }
    }

    /// One answer for all connections may be too large: each is asked by itself until nothing waits for it.
    private mutating func askAlone() {
        for index in slots.indices where slots[index].isOpen { slots[index].isAskedAlone = true }
    }

    /// Tells when requests begin to get through, or to fail.
    mutating func reachability(_ failure: ExchangeFailure?) -> [MailboxAction] {
        let reachable = failure == nil
        guard isReachable != reachable else { return [] }
        isReachable = reachable
        return [.reachability(failure)]
    }
}
