import Encoding

extension ReportDelivery {
    /// Applies an event to the state. Returns only the actions that follow directly from the event, not the next
    /// messages.
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
            // The next attempt is earlier than planned, so do not count its refusal.
            if holdUntil != nil { foreignHolds = max(foreignHolds - 1, 0) }
            (holdUntil, readAt) = (nil, nil)
            liveness.ask(at: now, evenIfSilent: true)
        case .deadlineReached: break
        }
        return []
    }

    /// Starts the delivery again for a new connection. Nothing that was learned over an earlier connection is used.
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

    /// Records that the peer confirmed entries up to `position`. A refusal before that may have been temporary, so
    /// larger messages are allowed again. Acceptance by the peer's server alone is no confirmation.
    private mutating func wereConfirmed(upTo position: Int) {
        if let suspect, suspect <= position { self.suspect = nil }
        (size, refusals) = (min(size * 2, limits.entries), 0)
    }

    /// Handles the refusal of a message. If it has several entries, the next message is made smaller. If it has one
    /// entry, the entry is sent once more after the peer has answered a ping; if the peer refuses it again, the
    /// delivery skips the entry. If ``ReportSettings/Limits/refusals`` entries were skipped without a confirmation in
    /// between, the peer is the cause, not the entries: no further entry is skipped, and the delivery is tried again at
    /// growing intervals.
    private mutating func refused(_ message: Outstanding, at now: Instant) -> [Action] {
        goBack(to: message.before)
        // An answer to a ping after the refused message must not confirm that message: limit each open ping to the
        // entries before it.
        pings = pings.map { ($0.id, min($0.upTo, message.before)) }
        size = max(message.size / 2, 1)
        guard message.size <= 1 else { return [] }
        guard suspect == message.before + 1 else {
            suspect = message.before + 1
            liveness.ask(at: now)
            return []
        }
        // A server that accepts pings and refuses all entries must not make the gate skip the whole ledger.
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
        // The receipt is late: its entries were sent again in other messages, or are about to be sent again.
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

    /// Marks the messages whose entries end at or before `position` as confirmed.
    private mutating func finish(upTo position: Int, at now: Instant) {
        for index in outstanding.indices where outstanding[index].end.position <= position {
            if case .passedOver = outstanding[index].state { continue }
            outstanding[index].state = .done
            wereConfirmed(upTo: outstanding[index].end.position)
        }
        expectConfirmation(at: now)
    }

    /// Starts the time limit for the confirmation of the messages that the peer's server has accepted; removes it if
    /// there are none.
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
            // Lost entries are not sent again to a peer that states no entries: it may not know this connection, and
            // may have all entries from an earlier one.
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

    /// Ends the peer's claim against the ledger once the peer's last answer agrees with the ledger and every hash in it
    /// was compared.
    private mutating func agreed() -> [Action] {
        guard isClaimed, isAgreeing, !witness.isWaiting else { return [] }
        (isClaimed, isAgreeing) = (false, false)
        return [.agreed]
    }

    /// Acts on the result of a comparison with the ledger. Only a point that this gate stated itself counts against the
    /// ledger; the peer's other claims are only reported.
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
        // A peer that reports a problem about a basicmessage has not accepted it. A later answer to a ping does not
        // confirm it.
        guard way?.form == .records else { return refused(message, at: now) }
        switch code {
        case VerificationReport.Trouble.refused:
            return refused(message, at: now)
        case VerificationReport.Trouble.notStored: return held(.notStored, at: now)
        case VerificationReport.Trouble.foreign: return foreign(at: now)
        case VerificationReport.Trouble.unknown where ReportWay(settings, discloses: nil) == nil:
            // The peer does not know the type of the message: it no longer supports the protocol, or only this message
            // is wrong. Ask for its protocols again, and treat the message as refused.
            defer { (way, features) = (nil, .unknown) }
            return refused(message, at: now)
        case VerificationReport.Trouble.unknown: return held(.unknownProtocol, at: now)
        default: return held(.problem(code), at: now)
        }
    }

    /// Handles the peer's refusal of entries because another connection writes the same ledger. After
    /// ``ReportSettings/Limits/foreignHolds`` such refusals an earlier ledger is given up, so that the next ledger can
    /// be delivered. Other problems do not lead to this, because they would hold up the next ledger, too.
    private mutating func foreign(at now: Instant) -> [Action] {
        foreignHolds += 1
        return held(.foreign, at: now) + (isPast && foreignHolds >= limits.foreignHolds ? [.giveUp] : [])
    }

    /// Stops the delivery for a while, for the given reason. It then continues with the entries after the cursor.
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
