import Aries
import DIDComm
import Encoding

extension AgencyMailbox {
    /// Handles a request that failed without an answer of the agency. The request is repeated later.
    mutating func failed(
        _ id: AgentConnection.ExchangeID, _ failure: ExchangeFailure, at now: Instant
    ) -> [MailboxAction] {
        guard let done = finishExchange(id) else { return [] }
        if failure == .tooLarge { return tooMuch(done.operation, at: now) }
        if failure == .notStored { storage = .refused }
        if failure == .uncertain { postpone(done.operation, at: now) }
        backoff.fail(at: now, settings.backoff, random: &random)
        return reachability(failure)
    }

    /// Handles an answer that is too large. If it was for all connections, the mailbox now reads the messages of each
    /// connection separately. If it was for one connection, the messages of this connection cannot be read, but the
    /// connection can still be closed.
    private mutating func tooMuch(_ operation: Operation, at now: Instant) -> [MailboxAction] {
        let actions = reachability(nil)
        switch operation {
        case .readAll:
            askAlone()
            return actions
        case .leftovers(let did): return actions + finish(did, isComplete: false)
        default: return actions + refused(operation, .tooMuch, isFinal: false, at: now)
        }
    }

    /// Handles an answer with an HTTP status outside 2xx.
    mutating func rejected(
        _ id: AgentConnection.ExchangeID, _ problem: AgencyProblem, at now: Instant
    ) -> [MailboxAction] {
        guard let done = finishExchange(id) else { return [] }
        if problem.kind == .busy {
            backoff.fail(at: now, settings.backoff, random: &random)
            // The Node agency answers every error with HTTP 500, so the problem may concern only one connection.
            guard done.operation.did == nil else {
                return refused(done.operation, .problem(problem.code), isFinal: false, at: now)
            }
            postpone(done.operation, at: now)
            return reachability(.uncertain)
        }
        if case .readAll = done.operation { askAlone() }
        return reachability(nil) + refused(done, problem, at: now)
    }

    private mutating func refused(_ done: Exchange, _ problem: AgencyProblem, at now: Instant) -> [MailboxAction] {
        switch (done.operation, problem.kind) {
        case (.connect, .alreadyConnected), (.signUp, .notFound), (.createAgent, .notFound),
            (.createAgent, .agentExists):
            // The agency's earlier answer was lost and is not repeated, or the agency no longer knows the gate. Start
            // again with a new key.
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
            // An earlier request released the messages, but its answer was lost.
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

    /// Handles a 2xx answer that cannot be used, for the reason `error`.
    mutating func unusable(_ operation: Operation, _ error: AgencyError, at now: Instant) -> [MailboxAction] {
        // The token was used before, is too old or is not valid. The agencies report different errors for these causes,
        // but the remedy is the same: another token.
        if case .token = operation, error == .problemReport { return needToken() }
        return refused(
            operation, error == .problemReport ? .problem("problem-report") : .malformed, isFinal: false, at: now)
    }

    /// Handles a refusal of `operation`. If the operation is for one connection, the other connections are not delayed.
    /// Otherwise all requests are delayed: for a long time if only the agency's operator can resolve the failure
    /// (`isFinal`).
    private mutating func refused(
        _ operation: Operation, _ failure: MailboxFailure, isFinal: Bool, at now: Instant
    ) -> [MailboxAction] {
        if let did = operation.did {
            let limits = settings.limits
            change(did) { $0.fail(at: now, limits, isFinal: isFinal) }
            return tell(failure, for: did)
        }
        switch operation {
        case .webhook:
            // Messages are read without the webhook, too, so its failure is not reported.
            webhookHold = now.advanced(by: settings.limits.refusedRetry)
            return []
        default:
            if isFinal {
                hold = now.advanced(by: settings.limits.refusedRetry)
            } else {
                postpone(operation, at: now)
                backoff.fail(at: now, settings.backoff, random: &random)
            }
            return tell(failure)
        }
    }

    /// Delays an operation that failed, so that all other operations are tried before it is repeated: the failure may
    /// concern only this operation.
    private mutating func postpone(_ operation: Operation, at now: Instant) {
        let limits = settings.limits
        if let did = operation.did { change(did) { $0.fail(at: now, limits) } }
        switch operation {
        case .readAll: askAlone()
        case .release: releaseHold = now.advanced(by: limits.poll)
        case .webhook: webhookHold = now.advanced(by: limits.poll)
        default: break
        }
    }

    /// Makes the mailbox read the messages of each connection with a separate request, until no message of the
    /// connection waits. One answer for all connections may be too large.
    private mutating func askAlone() {
        for index in slots.indices where slots[index].isOpen { slots[index].isAskedAlone = true }
    }

    /// Reports that the agency is silent if an answer is late, so that connections that wait for an address know it
    /// early. The answer may still arrive.
    mutating func missed(at now: Instant) -> [MailboxAction] {
        guard let due = exchange?.silentAt, now >= due else { return [] }
        exchange?.silentAt = nil
        return contact.isBroken ? [] : tell(.silent)
    }

    /// Reports the change if requests began to succeed (nil) or to fail (the reason).
    mutating func reachability(_ failure: ExchangeFailure?) -> [MailboxAction] {
        contact.changes(to: failure) ? [.reachability(failure)] : []
    }
}
