import Aries
import Encoding
import Kiosk
import LinuxIO
import Reasons

/// Decides what follows from the notices of connections, mailboxes and destinations: lines of the log, faults of the
/// gate, problem reports to other destinations, and work of the service.
///
/// A value without clock, I/O or task. Its driver is ``AgentService``.
struct NoticeCore: Sendable {
    /// An event for the service.
    enum Event: Sendable {
        /// A notice of a connection to the destination `of`. `date`: the machine's date.
        case link(AgentNotice, of: Text, date: Timestamp)
        /// A notice of the destination `of`.
        case destination(DestinationNotice, of: Text)
        /// A notice of the mailbox.
        case mailbox(MailboxNotice)
        /// Connections to a destination were removed. The destination has no connection left (`isEmpty`), or one that
        /// is complete (`isConnected`).
        case removed(Text, isEmpty: Bool, isConnected: Bool)
    }

    /// The actions of the service, which carries them out in this order.
    enum Action: Sendable {
        /// Write a line of the log.
        case log(LogSink.Level, String, JSONObject)
        /// Report a fault of the gate.
        case report(HealthReport)
        /// Report the problem of the destination `of` to all other destinations.
        case tellOthers(ReasonCode, String, of: Text)
        /// Wake every destination: an entry was recorded, or one of its connections may have been replaced.
        case wake
        /// Start the next attempts of all destinations but this one, and of the mailbox, at this time.
        case retry(besides: Text, at: Instant)
        /// Delete the connections to the destination `of`, after their agents were notified.
        case delete([Text], of: Text)
        /// Stop using the mailbox if no connection uses it.
        case dropMailbox
        /// Continue the deletion of a connection that is marked.
        case finishDeletion(Text)
        /// The finding contradicts the ledger.
        case contradict(Text)
    }

    /// The time between two problem reports of one code.
    static let pause = Duration.seconds(600)
    /// The minimum time between two retries of the destinations. Otherwise two servers that fail and succeed by
    /// turns would make the gate retry without end.
    static let retryPause = Duration.seconds(10)

    private(set) var faults = AgentFaults()
    /// The time of the last confirmation by each destination.
    private(set) var receipts: [Text: Timestamp] = [:]
    private var news = RepeatedNoticeFilter()
    /// The time of the last problem report of each code to the other destinations.
    private var told: [ReasonCode: Instant] = [:]
    /// The time of the last retry of the destinations, which may be in the future.
    private var retriedAt: Instant?

    /// Handles one event. The actions are to be carried out in order.
    mutating func handle(_ event: Event, at now: Instant) -> [Action] {
        switch event {
        case .link(let notice, let name, let date): take(notice, name, date, at: now)
        case .destination(let notice, let name): take(notice, name, at: now)
        case .mailbox(let notice): take(notice, at: now)
        case .removed(let name, isEmpty: true, _): faults.forget(name).reports.map { .report($0) }
        case .removed(let name, _, isConnected: true): faults.isServed(name).reports.map { .report($0) }
        case .removed: []
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
        // The connection that was replaced now checks whether it is still active, and ends.
        case .tookOver: return [.wake]
        // The replaced connections end and their agent is notified; meanwhile this connection continues.
        case .replaced(let ids): return [.delete(ids, of: name)]
        // The mailbox belongs to an agent that is no longer used.
        case .mailboxDenied: return [.dropMailbox]
        // If the network works again for this destination, it may work again for the others. A retry soon after the
        // last one is delayed. No retry includes the destination that caused it: a server that accepts pings and
        // refuses records would be retried without end.
        case .reachable:
            guard let last = retriedAt, last.duration(to: now) < Self.retryPause else {
                retriedAt = now
                return [.retry(besides: name, at: now)]
            }
            if last > now { return [] }
            let next = last.advanced(by: Self.retryPause)
            retriedAt = next
            return [.retry(besides: name, at: next)]
        // The head has this gate's own signature, so it is evidence whichever agent sends it.
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
            case .invitationFailed(_, _, isConnected: true): [.log(.warning, "agent", line)]
            default: []
            }
        let change = faults.take(notice, of: name)
        let added: [Action] = change.added == nil ? [] : [.log(.warning, "agent", line)]
        return first + added + consequences(change, notice.text, of: name, at: now)
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

    /// Returns the actions that follow from a change of the faults. The other destinations get each code at most once
    /// per ``pause``.
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
