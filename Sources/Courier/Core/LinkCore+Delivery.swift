import Aries
import Encoding
import Ledger
import Mailboxes

// The delivery of reports to the destination.
extension LinkCore {
    /// Continues the delivery. Returns false if it has nothing to do now.
    mutating func deliver() -> Bool {
        guard policy.delivers, carriesReports, mediation?.isUnderWay != true, retryAt == nil else {
            return false
        }
        guard let end = delivery?.end else {
            begin(.takeOver)
            return true
        }
        if let first = unkept.first {
            begin(.confirm(first, handled: seenKeys()))
            return true
        }
        if hasGrown {
            hasGrown = false
            begin(.lookAtEnd(after: end.position))
            return true
        }
        if events.isEmpty, let deadline = delivery?.deadline, deadline <= now { events.append(.deadlineReached) }
        if !events.isEmpty {
            steps = (delivery?.handle(events.removeFirst(), at: now) ?? []).map { .delivery($0) }
            return true
        }
        guard connection.wantsMessage, let message = next.take() else { return false }
        inbox.append(.deliver(message))
        return true
    }

    mutating func perform(_ action: ReportDelivery.Action) {
        guard let ledger = delivery?.end.ledger else { return }
        switch action {
        case .read(let position, let limit, let bytes, let reports):
            begin(.read(ledger, after: position, limit: limit, bytes: bytes, reports: reports))
        case .look(let position): begin(.readHash(ledger, at: position))
        case .send(let message): next = message
        case .ping: inbox.append(.ping)
        case .confirmed(let point, let proof): confirm(point, isReceipt: proof == .receipt)
        case .setAside(let position):
            passedOver.append(position)
            notice(.setAside(position: position))
        case .gone(let positions): notice(.gone(positions))
        case .refill(let position): notice(.refill(after: position))
        case .found(let way): notice(.found(way))
        case .silent: notice(.silent)
        case .heard: notice(.heard)
        case .held(let reason): notice(.held(reason))
        case .giveUp: begin(.giveUp(ledger))
        case .released: notice(.released)
        case .behind(let point): notice(.behind(point))
        case .claimed(let point): notice(.claimed(point))
        case .agreed: notice(.agreed)
        case .discarded(let error): notice(.refusedAnswer(error))
        }
    }

    /// Adds a confirmation to those that are to be stored. Of these, all receipts are stored, as evidence, but only
    /// the newest of the other confirmations.
    private mutating func confirm(_ point: ReportPoint, isReceipt: Bool) {
        if !isReceipt {
            passedOver = unkept.filter { !$0.isReceipt }.flatMap(\.passedOver) + passedOver
            unkept.removeAll { !$0.isReceipt }
        }
        unkept.append(Confirmation(point: point, isReceipt: isReceipt, passedOver: passedOver))
        passedOver = []
    }

    // MARK: - Results

    mutating func tookOver(_ result: Result<OutboxState?, StoreFailure>) {
        note(.ledger, result)
        switch result {
        case .failure: break
        case .success(nil): retire()
        case .success(let state?):
            notice(.tookOver(position: state.confirmed))
            delivery = ReportDelivery(
                policy.reports, end: state.end, confirmed: state.confirmed, receipt: state.receipt,
                isPast: state.isPast)
            events = [.connected]
        }
    }

    /// Handles the present end of the ledger. After a failure, sets `hasGrown` again, because no second notification
    /// follows.
    mutating func looked(_ result: Result<LedgerEnd?, StoreFailure>) {
        note(.ledger, result)
        switch result {
        case .failure: hasGrown = true
        case .success(nil): retire()
        case .success(let end?):
            if end.point.ledger == delivery?.end.ledger {
                events.append(.available(end: end.point, isUrgent: end.isUrgent))
            } else {
                // The peer has confirmed all of an earlier ledger. The next ledger needs a new delivery.
                (delivery, next) = (nil, nil)
            }
        }
    }

    /// Begins the comparison of the peer's statement about the gate's ledger with the present ledger: another
    /// connection may have delivered entries that this delivery does not know of. If the ledger cannot be read now,
    /// the statement is dropped. The delivery then asks the peer again, or sends the entries again.
    mutating func examine(_ answer: VerificationReport.Answer) {
        guard policy.delivers, let end = delivery?.end else { return }
        hasGrown = false
        begin(.examine(answer, after: end.position))
    }

    mutating func examined(
        _ answer: VerificationReport.Answer, _ result: Result<(LedgerEnd, isSigned: Bool)?, StoreFailure>
    ) {
        looked(result.map { $0?.0 })
        guard case .success(let found?) = result, let end = delivery?.end else { return }
        func signed(_ head: ReportPoint?) -> ReportPoint? {
            head.flatMap { $0.ledger == end.ledger && found.isSigned ? $0 : nil }
        }
        switch answer {
        // If this ledger contains the position of a receipt, the receipt needs no signature.
        case .receipt(let point, let head):
            let beyond = head.flatMap { $0.position > end.position ? $0 : nil }
            events.append(.receipt(point, signed: signed(beyond)))
        case .head(let point, let head): events.append(.head(point, signed: signed(head)))
        }
    }

    mutating func read(_ result: Result<[ReportEntry]?, StoreFailure>) {
        note(.ledger, result)
        switch result {
        case .failure: events.append(.entries([]))
        case .success(nil): retire()
        case .success(let entries?):
            // No entries were found: another ledger may have replaced this one.
            if entries.isEmpty { hasGrown = true }
            events.append(.entries(entries))
        }
    }

    mutating func confirmed(_ result: Result<[Text], StoreFailure>) {
        note(.confirmation, result)
        guard case .success(let replaced) = result, !unkept.isEmpty else { return }
        let position = unkept.removeFirst().point.position
        unkeptKeys = []
        if position == delivery?.end.position { hasGrown = true }
        notice(.confirmed(position: position))
        if !replaced.isEmpty { notice(.replaced(replaced)) }
    }
}
