import Encoding

extension ReportDelivery {
    /// Applies an event. Returns only the actions that follow directly from this event.
    mutating func take(_ event: Event, at now: Instant) -> [Action] {
        switch event {
        case .connected: restart()
        case .available(let end, let isUrgent):
            guard end.ledger == self.end.ledger, end.position >= self.end.position else { return [] }
            self.end = end
            timer.grown(to: end.position, isUrgent: isUrgent, at: now)
        case .entries(let entries): return read(entries, at: now)
        case .hash(let hash, let position):
            guard let claim = witness.found(hash, at: position) else { return agreed() }
            refillAfter = nil
            return judge(.missing(claim))
        case .sent(let id): sent(id, at: now)
        case .failed(let id, let failure): return failed(id, failure, at: now)
        case .pinged(let id):
            let upTo = outstanding.last { if case .handedOver = $0.state { false } else { true } }?.end.position
            pings = pings.suffix(7) + [(id, upTo ?? confirmed)]
            liveness.pinged(at: now)
        case .pong(let id): return pong(id, at: now)
        case .receipt(let point, let signed): return receipt(point, signed: signed, at: now)
        case .head(let point, let signed): return head(point, signed: signed, at: now)
        case .acknowledged(let ids): return acknowledged(ids, at: now)
        case .disclosed(let protocols):
            switch features {
            case .unknown, .known: break
            case .asked, .sent, .doubted: features = .known(VerificationReport.isAmong(protocols))
            }
        case .problem(let code, let thread): return problem(code, thread, at: now)
        case .retryNow:
            // The next attempt is early, so do not count its refusal.
            if holdUntil != nil { foreignHolds = max(foreignHolds - 1, 0) }
            (holdUntil, readAt) = (nil, nil)
            liveness.ask(at: now, evenIfSilent: true)
        case .deadlineReached: break
        }
        return []
    }

    /// Starts over with a new connection: results of an earlier connection do not count.
    private mutating func restart() {
        isConnected = true
        (features, way, inFlight, suspect) = (.unknown, nil, nil, nil)
        goBack()
        (pings, sentEnds) = ([], [])
        liveness = Liveness(limits)
        (holdUntil, holds, foreignHolds, size, refusals) = (nil, 0, 0, limits.entries, 0)
        (featuresAt, isFeatureCheckDue, refillAfter) = (nil, false, nil)
        witness.restart()
        timer.flush(to: end.position)
    }

    private mutating func read(_ entries: [ReportEntry], at now: Instant) -> [Action] {
        guard let reading else { return [] }
        self.reading = nil
        guard !reading.isStale else { return [] }
        var actions: [Action] = []
        let start = readUpTo
        for entry in entries.prefix(limits.entries) {
            guard entry.position > readUpTo, entry.position <= end.position,
                entry.hash.count == ReportPoint.hashBytes
            else { break }
            let first = max(readUpTo, removedUpTo) + 1
            if entry.position > first {
                actions.append(.gone(first...entry.position - 1))
                removedUpTo = entry.position - 1
            }
            ahead.append(entry)
            readUpTo = entry.position
        }
        if readUpTo == start { readAt = now.advanced(by: limits.readAgain) }
        return actions
    }

    // MARK: Results of a message

    private mutating func sent(_ id: Text, at now: Instant) {
        if inFlight == id { inFlight = nil }
        if witness.sent(id, at: now) { return }
        if case .asked(id) = features { features = .sent(until: now.advanced(by: limits.answer)) }
        guard let index = outstanding.firstIndex(where: { $0.id == id }) else { return }
        if case .handedOver = outstanding[index].state { outstanding[index].state = .taken }
        if confirmBy == nil { expectConfirmation(at: now) }
    }

    private mutating func failed(_ id: Text, _ failure: ExchangeFailure, at now: Instant) -> [Action] {
        if inFlight == id { inFlight = nil }
        witness.failed(id, at: now)
        if case .asked(id) = features {
            features = .unknown
            wait(at: now)
        }
        guard let message = outstanding.first(where: { $0.id == id }) else { return [] }
        if case .refused = failure { return refused(message, at: now) }
        goBack(to: message.before)
        return []
    }

    /// Records a confirmation: an earlier refusal may have been temporary. Acceptance by the peer's server
    /// alone is no confirmation.
    private mutating func wereConfirmed(upTo position: Int) {
        if let suspect, suspect <= position { self.suspect = nil }
        (size, refusals) = (min(size * 2, limits.entries), 0)
    }

    /// Handles a refusal. A message of several entries is made smaller. A single entry is not considered the
    /// cause before the peer has answered a ping. After the answer the entry is sent once more. If the peer
    /// refuses it again, the delivery skips the entry. If a few entries were skipped and nothing was
    /// confirmed since, the peer is the cause: no further entry is skipped, and the delivery is tried at
    /// growing intervals.
    private mutating func refused(_ message: Outstanding, at now: Instant) -> [Action] {
        goBack(to: message.before)
        // Limit the open pings: a ping after the refused message that is answered later proves only entries
        // before that message.
        pings = pings.map { ($0.id, min($0.upTo, message.before)) }
        size = max(message.size / 2, 1)
        guard message.size <= 1 else { return [] }
        guard suspect == message.before + 1 else {
            suspect = message.before + 1
            liveness.ask(at: now)
            return []
        }
        // A server that accepts pings and no records must not make the gate pass over the whole ledger.
        guard refusals < limits.refusals else { return held(.refused, at: now) }
        suspect = nil
        readUpTo = message.end.position
        outstanding.append(
            Outstanding(
                id: "", before: message.before, end: message.end, held: message.held, size: 0, waiting: [],
                state: .passedOver(isRefused: true)))
        refusals += 1
        return moveCursor()
    }

    // MARK: Confirmations

    private mutating func pong(_ id: Text, at now: Instant) -> [Action] {
        var actions: [Action] = liveness.answered() ? [.heard] : []
        if case .doubted = features { features = .known(false) }
        guard let index = pings.firstIndex(where: { $0.id == id }) else { return actions }
        let upTo = pings[index].upTo
        pings.removeFirst(index + 1)
        if way?.proof == .alive {
            finish(upTo: upTo, at: now)
            actions += moveCursor()
        } else if isOverdue {
            actions += held(.unconfirmed, at: now)
        }
        return actions
    }

    private mutating func receipt(_ point: ReportPoint, signed: ReportPoint?, at now: Instant) -> [Action] {
        guard point.ledger == end.ledger else { return [.discarded(.otherLedger)] }
        guard !isPast else { return confirmed(by: point, at: now) }
        if let signed, signed.position > end.position {
            let actions = judge(.missing(RemoteWitness.Claim(point: signed, isOurs: true)))
            return actions + confirmed(by: point, at: now)
        }
        guard point.position <= end.position else {
            return judge(.missing(RemoteWitness.Claim(point: point, isOurs: false)))
        }
        return confirmed(by: point, at: now)
    }

    private mutating func confirmed(by point: ReportPoint, at now: Instant) -> [Action] {
        guard let sent = sentEnds.first(where: { $0.position == point.position }) else {
            return [.discarded(.neverSent)]
        }
        guard sent.hash == point.hash else { return [.discarded(.otherHash)] }
        let isWaitedFor = outstanding.contains { $0.end.position == point.position }
        guard isWaitedFor || point.position > confirmed else { return [] }
        if isWaitedFor {
            finish(upTo: point.position, at: now)
            return moveCursor()
        }
        wereConfirmed(upTo: point.position)
        // The receipt arrives late, for entries that were sent in other messages since, or that are about to
        // be sent again.
        outstanding = []
        goBack(to: point.position)
        confirmed = point.position
        return [.confirmed(point, by: .receipt)] + release()
    }

    private mutating func acknowledged(_ ids: [Text], at now: Instant) -> [Action] {
        guard way?.proof == .controller else { return [] }
        let ids = Set(ids)
        var isNew = false
        for index in outstanding.indices {
            let message = outstanding[index]
            switch message.state {
            case .done, .passedOver: continue
            case .handedOver, .taken: break
            }
            outstanding[index].waiting.removeAll { ids.contains($0) }
            isNew = isNew || outstanding[index].waiting.count < message.waiting.count
            if outstanding[index].waiting.isEmpty || ids.contains(message.id) {
                outstanding[index].state = .done
                isNew = true
                wereConfirmed(upTo: message.end.position)
            }
        }
        guard isNew else { return [] }
        expectConfirmation(at: now)
        return moveCursor()
    }

    /// Marks the accepted entries up to `position` as confirmed.
    private mutating func finish(upTo position: Int, at now: Instant) {
        for index in outstanding.indices where outstanding[index].end.position <= position {
            if case .passedOver = outstanding[index].state { continue }
            outstanding[index].state = .done
            wereConfirmed(upTo: outstanding[index].end.position)
        }
        expectConfirmation(at: now)
    }

    /// Starts the time limit for confirming what was accepted.
    private mutating func expectConfirmation(at now: Instant) {
        isOverdue = false
        let isOpen = outstanding.contains { if case .taken = $0.state { true } else { false } }
        confirmBy = isOpen ? now.advanced(by: confirmationTime) : nil
    }

    private var confirmationTime: Duration {
        switch way?.proof {
        case .controller: limits.controllerAnswer
        case .alive: limits.pingAfter
        case .receipt, nil: limits.answer
        }
    }

    private mutating func head(_ point: ReportPoint, signed: ReportPoint?, at now: Instant) -> [Action] {
        do throws(ReportError) {
            let findings = try witness.answer(point, signed: signed, end: end, at: now)
            let isMissing = findings.contains { if case .missing = $0 { true } else { false } }
            // A peer without entries might not know this connection, and might have all entries from an
            // earlier connection.
            let hasLess = !isMissing && point.position > 0 && point.position < confirmed
            refillAfter = hasLess ? point.position : nil
            isAgreeing = !isMissing
            var actions: [Action] = []
            for finding in findings { actions += judge(finding) }
            return actions + agreed()
        } catch {
            return [.discarded(error)]
        }
    }

    /// Ends the claim once the peer's last answer agrees and all of it is looked up.
    private mutating func agreed() -> [Action] {
        guard isClaimed, isAgreeing, !witness.isWaiting else { return [] }
        (isClaimed, isAgreeing) = (false, false)
        return [.agreed]
    }

    /// Acts on a point that was compared with the ledger. Only what this gate signed counts against the
    /// ledger.
    mutating func judge(_ finding: RemoteWitness.Finding) -> [Action] {
        switch finding {
        case .contained: return []
        case .missing(let claim) where claim.isOurs: return [.behind(claim.point)]
        case .missing(let claim):
            (isClaimed, isAgreeing) = (true, false)
            return [.claimed(claim.point)]
        case .look(let position): return [.look(position)]
        }
    }

    // MARK: Problems

    private mutating func problem(_ code: Text, _ thread: Text, at now: Instant) -> [Action] {
        guard let message = outstanding.first(where: { $0.id == thread }) else { return [] }
        // A peer that reports a problem about a basicmessage did not accept it, even if it answers pings
        // later.
        guard way?.form == .records else { return refused(message, at: now) }
        switch code {
        case VerificationReport.Trouble.refused:
            return refused(message, at: now)
        case VerificationReport.Trouble.notStored: return held(.notStored, at: now)
        case VerificationReport.Trouble.foreign: return foreign(at: now)
        case VerificationReport.Trouble.unknown where ReportWay(settings, discloses: nil) == nil:
            // Either the peer no longer has the protocol, or this message is the cause. Both are checked.
            defer { (way, features) = (nil, .unknown) }
            return refused(message, at: now)
        case VerificationReport.Trouble.unknown: return held(.unknownProtocol, at: now)
        default: return held(.problem(code), at: now)
        }
    }

    /// Handles the peer's refusal of entries because another connection writes the same ledger. Only this
    /// refusal concerns the ledger itself. Any other problem would hold up the next ledger, too. So giving up
    /// an earlier ledger because of another problem would gain nothing.
    private mutating func foreign(at now: Instant) -> [Action] {
        foreignHolds += 1
        return held(.foreign, at: now) + (isPast && foreignHolds >= limits.foreignHolds ? [.giveUp] : [])
    }

    /// Holds the delivery for a while. The next attempt begins at the cursor.
    private mutating func held(_ reason: ReportHold, at now: Instant) -> [Action] {
        goBack()
        wait(at: now)
        defer { hold = reason }
        return hold == reason ? [] : [.held(reason)]
    }

    private mutating func wait(at now: Instant) {
        holdUntil = now.advanced(by: limits.wait(after: holds))
        holds += 1
    }

    mutating func release() -> [Action] {
        (holdUntil, holds, foreignHolds) = (nil, 0, 0)
        defer { hold = nil }
        return hold == nil ? [] : [.released]
    }
}
