import Encoding

/// What happens when nothing happens.
extension VerifierSession {
    /// Carries out everything that is due at `now`. Ends because every step moves on towards the end of the session.
    mutating func runTimers(_ now: Instant, _ actions: inout [SessionAction]) {
        while let deadline, deadline <= now { expire(now, &actions) }
    }

    private mutating func expire(_ now: Instant, _ actions: inout [SessionAction]) {
        switch take() {
        case .advertising:
            actions.append(.stopAdvertising)
            end(.abandoned(.keyExpired), &actions)
        case .connected: drop(.abandoned(.notIdentified), now, &actions)
        case .keyed: part(.abandoned(.nothingSent), now, &actions)
        case .receiving(let transfer): expireReceiving(transfer, now, &actions)
        case .delivered(let delivery): expireDelivered(delivery, now, &actions)
        case .parting(let outcome, _): drop(outcome, now, &actions)
        case .dropping(let outcome, _): end(outcome, &actions)
        case .ended: break
        }
    }

    private mutating func expireReceiving(
        _ present: consuming Transfer, _ now: Instant, _ actions: inout [SessionAction]
    ) {
        var transfer = present
        do throws(TuvaliError) {
            defer { if case .ended = state { state = .receiving(transfer) } }
            if transfer.lastWrite.advanced(by: settings.silenceLimit) <= now { throw .silence }
            if transfer.startedAt.advanced(by: settings.transferLimit) <= now { throw .transferTooLong }
            switch transfer.report {
            case .none: break
            case .due: try report(&transfer, now, &actions)
            case .unanswered(_, let left):
                actions.append(notification(of: transfer))
                transfer.report = unanswered(now, repetitionsLeft: left - 1)
            }
        } catch {
            fail(error, now, &actions)
        }
    }

    /// Answers a report request after the hold-back, by what is held now: late chunks may have completed the transfer.
    private mutating func report(
        _ transfer: inout Transfer, _ now: Instant, _ actions: inout [SessionAction]
    ) throws(TuvaliError) {
        if transfer.assembler.isComplete {
            try deliver(&transfer, reportAt: now, now, &actions)
        } else {
            actions.append(notification(of: transfer))
            transfer.retries += 1
            transfer.report = unanswered(now, repetitionsLeft: settings.reportRepetitions)
        }
    }

    private func unanswered(_ now: Instant, repetitionsLeft: Int) -> Transfer.Report {
        repetitionsLeft > 0
            ? .unanswered(again: now.advanced(by: settings.reportInterval), repetitionsLeft: repetitionsLeft) : .none
    }

    private func notification(of transfer: Transfer) -> SessionAction {
        // Should the link's MTU have shrunk since the size was accepted, the report must still fit.
        let limit = min(maxData, transfer.assembler.maxData)
        return .notify(
            .transferReportResponse, TransferReport(transfer.assembler, maxData: limit).bytes(maxData: limit))
    }

    private mutating func expireDelivered(
        _ present: Delivery, _ now: Instant, _ actions: inout [SessionAction]
    ) {
        var delivery = present
        state = .delivered(delivery)
        if let success = delivery.success, success <= now {
            actions.append(.notify(.transferReportResponse, TransferReport.success.bytes(maxData: maxData)))
            delivery.successSent(at: now, holdBack: settings.verdictHoldBack)
            state = .delivered(delivery)
            return
        }
        switch delivery.verdict {
        case .awaited: fail(.noVerdict, now, &actions)
        case .told(let accepted, let count, _) where count < settings.verdictCount:
            actions.append(.notify(.verificationStatus, [accepted ? 0 : 1]))
            delivery.verdict = .told(
                accepted: accepted, count: count + 1, next: now.advanced(by: settings.verdictInterval))
            state = .delivered(delivery)
        case .told: drop(.delivered(status: delivery.status), now, &actions)
        }
    }
}
