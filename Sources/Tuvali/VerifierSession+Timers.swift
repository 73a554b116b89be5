import Encoding

/// Actions that are due at an instant, without an event from the phone.
extension VerifierSession {
    /// Runs all actions that are due at `now`. The loop ends because every step brings the session closer to its end.
    mutating func runTimers(_ now: Instant, _ actions: inout [SessionAction]) {
        while let deadline, deadline <= now { expire(now, &actions) }
    }

    private mutating func expire(_ now: Instant, _ actions: inout [SessionAction]) {
        switch state {
        case .advertising:
            actions.append(.stopAdvertising)
            end(.abandoned(.keyExpired), &actions)
        case .connected: drop(.abandoned(.notIdentified), now, &actions)
        case .keyed: drop(.abandoned(.nothingSent), now, &actions)
        case .receiving: expireReceiving(now, &actions)
        case .delivered(let delivery): expireDelivered(delivery, now, &actions)
        case .dropping(let outcome, _): end(outcome, &actions)
        case .ended: break
        }
    }

    private mutating func expireReceiving(_ now: Instant, _ actions: inout [SessionAction]) {
        guard let transfer else { return }
        do throws(TuvaliError) {
            if transfer.lastWrite.advanced(by: settings.silenceLimit) <= now { throw .silence }
            if transfer.startedAt.advanced(by: settings.transferLimit) <= now { throw .transferTooLong }
            switch transfer.report {
            case .none: break
            case .due where transfer.assembler.isComplete:
                // Chunks that arrived after the report request have completed the transfer.
                try deliver(reportAt: now, now, &actions)
            case .due:
                actions.append(notification(of: transfer))
                let next = unanswered(now, count: 1)
                self.transfer?.retries += 1
                self.transfer?.report = next
            case .unanswered(_, let count):
                actions.append(notification(of: transfer))
                let next = unanswered(now, count: count + 1)
                self.transfer?.report = next
            }
        } catch {
            fail(error, now, &actions)
        }
    }

    /// Returns the state after the `count`th MISSING report.
    private func unanswered(_ now: Instant, count: Int) -> Transfer.Report {
        guard let pause = settings.report.pause(after: count) else { return .none }
        return .unanswered(again: now.advanced(by: pause), count: count)
    }

    private func notification(of transfer: Transfer) -> SessionAction {
        // The link's MTU may have shrunk since the size was accepted. The report must fit all the same.
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
            delivery.successSent(at: now, settings)
            state = .delivered(delivery)
            return
        }
        if let limit = delivery.stayLimit, limit <= now {
            return drop(.delivered(status: delivery.status), now, &actions)
        }
        switch delivery.verdict {
        case .awaited: fail(.noVerdict, now, &actions)
        case .told(let accepted, _, _):
            actions.append(.notify(.verificationStatus, [accepted ? 0 : 1]))
            delivery.verdictSent(at: now, settings)
            state = .delivered(delivery)
        }
    }
}
