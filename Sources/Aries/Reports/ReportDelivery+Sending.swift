import Encoding

extension ReportDelivery {
    /// Applies the time `now` to all time limits. Those that have passed are removed, so they are no longer part of
    /// ``deadline``.
    mutating func pass(_ now: Instant) -> [Action] {
        guard isConnected else { return [] }
        timer.pass(now, end: end.position)
        witness.pass(now)
        if let time = holdUntil, now >= time { holdUntil = nil }
        if let time = readAt, now >= time { readAt = nil }
        if let time = confirmBy, now >= time, !isOverdue {
            isOverdue = true
            liveness.ask(at: now)
        }
        if case .sent(let until) = features, now >= until {
            features = .doubted
            liveness.ask(at: now)
        }
        if let time = featuresAt, now >= time { (featuresAt, isFeatureCheckDue) = (nil, true) }
        guard liveness.pass(now) else { return [] }
        goBack()
        if way == nil { features = .unknown }
        return [.silent]
    }

    /// Returns the next actions: a ping, a query or a message. Returns none while a message is being sent, an answer is
    /// awaited, or the delivery is held.
    mutating func advance(at now: Instant) -> [Action] {
        guard isConnected else { return [] }
        if liveness.takeDue(now) { return [.ping] }
        guard inFlight == nil, !liveness.isWaiting, holdUntil == nil else { return [] }
        var actions: [Action] = []
        if let kept {
            self.kept = nil
            let finding = witness.compare(RemoteWitness.Claim(point: kept, isOurs: true), end: end)
            actions = judge(finding)
        }
        guard !witness.isWaiting else { return actions }
        if let position = refillAfter.take() {
            goBack(to: position)
            actions.append(.refill(after: position))
        }
        if isFeatureCheckDue, outstanding.isEmpty {
            (way, features, isFeatureCheckDue) = (nil, .unknown, false)
            ahead = []
            readUpTo = confirmed
            reading?.isStale = true
        }
        guard let way = way ?? found(&actions, at: now) else { return actions + askForFeatures(at: now) }
        if way.form == .records, witness.isDue, !isPast {
            let id = OutboundMessage.id(of: "head", end.ledger, Text("\(end.position) \(now.nanoseconds)"))
            witness.asked(id)
            return actions + send(VerificationReport.headQuery(end.ledger, id: id))
        }
        guard outstanding.count < way.window(limits) else {
            if way.proof == .alive { liveness.ask(at: now) }
            return actions + (liveness.takeDue(now) ? [.ping] : [])
        }
        return actions + next(way, at: now)
    }

    /// Determines the form and the proof of reports; nil if the peer must disclose its protocols first. Appends
    /// ``Action/found(_:)`` to `actions` if they differ from the last ones.
    private mutating func found(_ actions: inout [Action], at now: Instant) -> ReportWay? {
        var discloses: Bool?
        if case .known(let known) = features { discloses = known }
        guard let way = ReportWay(settings, discloses: discloses) else { return nil }
        self.way = way
        let delay = way.form == .single ? .zero : settings.batchDelay
        timer = FlushTimer(delay: delay, full: limits.entries, end: end.position)
        // Ask for the peer's protocols again later: the operator may add this protocol to the agent at any time.
        if discloses == false { featuresAt = now.advanced(by: limits.headInterval) }
        if way != told { actions.append(.found(way)) }
        told = way
        return way
    }

    private mutating func askForFeatures(at now: Instant) -> [Action] {
        guard case .unknown = features else { return [] }
        let id = OutboundMessage.id(of: "features", end.ledger, Text("\(end.position) \(now.nanoseconds)"))
        features = .asked(id)
        return send(DiscoverFeatures.query(VerificationReport.name.family, id: id))
    }

    /// Returns the actions that send the next entries: a message, or a read of the ledger if too few entries have been
    /// read.
    private mutating func next(_ way: ReportWay, at now: Instant) -> [Action] {
        let start = ahead.first.map { $0.position - 1 } ?? readUpTo
        guard timer.isDue(after: start, end: end.position) else { return [] }
        let hasContent = way.form == .records ? !ahead.isEmpty : ahead.contains { $0.report != nil }
        guard hasContent || ahead.count >= limits.entries else {
            guard readUpTo < end.position, reading == nil, readAt == nil else { return [] }
            reading = Reading()
            return [
                .read(
                    after: readUpTo, entries: limits.entries - ahead.count, bytes: limits.bytes,
                    reports: way.form != .records)
            ]
        }
        guard let batch = ReportBatch(way, ahead, head: end, size: size, limits: limits) else { return [] }
        ahead.removeFirst(batch.entries)
        outstanding.append(
            Outstanding(
                id: batch.message?.id ?? "", before: batch.before, end: batch.end, held: batch.held, size: batch.size,
                waiting: batch.reports, state: batch.message == nil ? .passedOver(isRefused: false) : .handedOver))
        guard let message = batch.message else { return moveCursor() + advance(at: now) }
        if way.form == .records { sentEnds = sentEnds.suffix(7) + [batch.end] }
        return send(message)
    }

    private mutating func send(_ message: OutboundMessage) -> [Action] {
        inFlight = message.id
        return [.send(message)]
    }

    /// Goes back to `position`, or to the cursor if it is nil. All later entries are read and sent again.
    mutating func goBack(to position: Int? = nil) {
        // Entries before the cursor were being sent again, because the peer had lost them. Ask the peer for its head
        // first, to learn which of them it has now.
        if position == nil, readUpTo < confirmed { witness.restart() }
        let position = position ?? confirmed
        outstanding.removeAll { $0.end.position > position }
        ahead = []
        readUpTo = position
        reading?.isStale = true
        if outstanding.isEmpty { (confirmBy, isOverdue) = (nil, false) }
    }

    /// Removes the confirmed and the skipped messages before the first open message, and moves the cursor past their
    /// entries.
    mutating func moveCursor() -> [Action] {
        var actions: [Action] = []
        var (last, isProven): (ReportPoint?, Bool) = (nil, false)
        front: while let first = outstanding.first {
            switch first.state {
            case .handedOver, .taken: break front
            case .done: isProven = true
            case .passedOver(let isRefused):
                guard isRefused else { break }
                actions += moveCursor(to: last, isProven)
                actions.append(.setAside(first.held))
                isProven = false
            }
            last = first.end
            outstanding.removeFirst()
        }
        actions += moveCursor(to: last, isProven)
        return isProven ? actions + release() : actions
    }

    /// Moves the cursor forward to `point`. The cursor never moves back, even if the peer loses entries and receives
    /// them again. `isProven`: whether the peer confirmed the entries; otherwise they are skipped.
    private mutating func moveCursor(to point: ReportPoint?, _ isProven: Bool) -> [Action] {
        guard let point, point.position > confirmed else { return [] }
        confirmed = point.position
        return [.confirmed(point, by: isProven ? way?.proof : nil)]
    }
}
