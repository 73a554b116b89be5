import Aries
import Encoding
import Kiosk
import LinuxIO
import Reasons

/// Decides the effects of notices from connections, mailboxes and destinations: event lines, faults of the gate,
/// problem reports to other destinations, and actions of the service.
///
/// A value without clock, I/O or task. Its driver is ``AgentService``.
struct NoticeCore: Sendable {
    /// An event that the service reports to this core.
    enum Event: Sendable {
        /// A notice of a connection to the destination `of`. `date`: the machine's date.
        case link(AgentNotice, of: Text, date: Timestamp)
        /// A notice of the destination `of`.
        case destination(DestinationNotice, of: Text)
        /// A notice of the mailbox.
        case mailbox(MailboxNotice)
        /// A step of the service itself on the databases failed, for the given reason, or succeeded (nil).
        case step(AgentFaults.Step, failure: String?)
        /// The sealing keys of a database are not usable, as the text describes.
        case keys(String)
        /// Connections to a destination were removed. `isEmpty`: whether the destination has no connection now.
        /// `isConnected`: whether one of the remaining connections has completed its handshake.
        case removed(Text, isEmpty: Bool, isConnected: Bool)
    }

    /// The actions of the service, which carries them out in this order.
    enum Action: Sendable {
        /// Write an event line.
        case log(LogSink.Level, String, JSONObject)
        /// Report that a fault of the gate began or ended.
        case report(HealthReport)
        /// Send a problem report about the destination `of` to all other destinations.
        case tellOthers(ReasonCode, String, of: Text)
        /// Wake the links of all destinations: an entry was recorded, or another connection may have become the
        /// active one.
        case wake
        /// At the given time, make the next attempts of all destinations except `besides`, and of the mailbox.
        case retry(besides: Text, at: Instant)
        /// Notify the agents of the connections to the destination `of`, and then delete the connections.
        case delete([Text], of: Text)
        /// Stop using the mailbox if no connection needs it.
        case dropMailbox
        /// Continue the deletion of a connection that is marked for deletion.
        case finishDeletion(Text)
        /// Record in the ledger's witness the finding that contradicts the ledger.
        case contradict(Text)
    }

    /// The minimum time between two problem reports with the same code.
    static let pause = Duration.seconds(600)
    /// The minimum time between two retries of the destinations. Without it, two servers that fail and succeed
    /// alternately would make the gate retry without end.
    static let retryPause = Duration.seconds(10)

    private(set) var faults = AgentFaults()
    /// The date of the last confirmation by each destination.
    private(set) var receipts: [Text: Timestamp] = [:]
    private var news = RepeatedNoticeFilter()
    /// The time of the last problem report with each code.
    private var told: [ReasonCode: Instant] = [:]
    /// The time of the last retry, or of the next one if it was delayed.
    private var retriedAt: Instant?

    /// Handles one event. Returns the actions, to be carried out in order.
    mutating func handle(_ event: Event, at now: Instant) -> [Action] {
        switch event {
        case .link(let notice, let name, let date): take(notice, name, date, at: now)
        case .destination(let notice, let name): take(notice, name, at: now)
        case .mailbox(let notice): take(notice, at: now)
        case .step(let step, let failure): take(step, failure)
        case .keys(let fault): faults.takeKeys(fault).reports.map { .report($0) }
        case .removed(let name, let isEmpty, let isConnected):
            faults.removed(name, isEmpty: isEmpty, isServed: isConnected).reports.map { .report($0) }
        }
    }

    private mutating func take(
        _ notice: AgentNotice, _ name: Text, _ date: Timestamp, at now: Instant
    ) -> [Action] {
        let isNews = !notice.isRoutine && news.take(notice.text, of: name, at: now)
        let change = faults.take(notice, of: name)
        if case .confirmed = notice { receipts[name] = date }
        return [.log(isNews ? .info : .debug, "agent", Self.line(notice.text, of: name))]
            + consequences(change, notice.text, of: name, at: now) + work(after: notice, of: name, at: now)
    }

    private mutating func work(after notice: AgentNotice, of name: Text, at now: Instant) -> [Action] {
        switch notice {
        // The connection that was the active one wakes, finds that it has been replaced, and ends.
        case .tookOver: return [.wake]
        // The links of the replaced connections end, and the service notifies their agent. This connection continues
        // meanwhile.
        case .replaced(let ids): return [.delete(ids, of: name)]
        // The mailbox in use may belong to an agent that is no longer used.
        case .mailboxDenied: return [.dropMailbox]
        // If the network works again for this destination, it may work again for the others, so retry them. A retry
        // soon after the last one is delayed. The destination that caused the retry is excluded: otherwise a server
        // that accepts pings and refuses records would be retried without end.
        case .reachable:
            guard let last = retriedAt, last.duration(to: now) < Self.retryPause else {
                retriedAt = now
                return [.retry(besides: name, at: now)]
            }
            if last > now { return [] }
            let next = last.advanced(by: Self.retryPause)
            retriedAt = next
            return [.retry(besides: name, at: next)]
        // This gate has signed the head, so it is evidence, whichever agent sent it.
        case .behind(let point):
            return [
                .contradict(
                    Text(
                        "an agent has a head that this box signed at position \(point.position), which this ledger "
                            + "does not contain"))
            ]
        default: return []
        }
    }

    private mutating func take(_ notice: DestinationNotice, _ name: Text, at now: Instant) -> [Action] {
        let line = Self.line(notice.text, of: name)
        let first: [Action] =
            switch notice {
            case .answeredOnce, .ofRequests: [.log(.info, "agent", line)]
            case .storeFailed: [.log(.error, "agent", line)]
            case .stored: [.log(.info, "agent", line)]
            case .invitationFailed(_, _, isConnected: true): [.log(.warning, "agent", line)]
            default: []
            }
        let change = faults.take(notice, of: name)
        let added: [Action] = change.added == nil ? [] : [.log(.warning, "agent", line)]
        return first + added + consequences(change, notice.text, of: name, at: now)
    }

    private mutating func take(_ step: AgentFaults.Step, _ failure: String?) -> [Action] {
        let reports = faults.take(step, failure).reports.map { Action.report($0) }
        // A failure that is repeated is logged once.
        guard let failure, !reports.isEmpty else { return reports }
        return [.log(.error, "agent.store", ["reason": .text(failure)])] + reports
    }

    private mutating func take(_ notice: MailboxNotice, at now: Instant) -> [Action] {
        let change = faults.take(notice)
        let isNews = change.added == nil && news.take(notice.text, of: MailboxManagerCore.destination, at: now)
        var actions: [Action] = [
            .log(
                change.added != nil ? .warning : isNews ? .info : .debug, "agent.mailbox",
                ["text": .text(notice.text)])
        ]
        if case .replaced(let id) = notice { actions.append(.finishDeletion(id)) }
        return actions + consequences(change, notice.text, of: MailboxManagerCore.destination, at: now)
    }

    /// Returns the actions for a change of the faults: the reports, and a problem report to the other destinations,
    /// for each code at most once per ``pause``.
    private mutating func consequences(
        _ change: AgentFaults.Change, _ text: String, of name: Text, at now: Instant
    ) -> [Action] {
        let reports = change.reports.map { Action.report($0) }
        guard let code = change.added else { return reports }
        if let last = told[code], last.duration(to: now) < Self.pause { return reports }
        told[code] = now
        return reports + [.tellOthers(code, text, of: name)]
    }

    private static func line(_ text: String, of name: Text) -> JSONObject {
        ["destination": .string(name), "text": .text(text)]
    }
}
