package import Aries
package import Encoding
package import HTTPTransport

/// Drives one ``AgentConnection``: carries out its actions, feeds it reports and wakes it at its deadlines.
///
/// One task calls ``run()`` or ``connect(within:)``; both return soon after that task is cancelled and throw nothing for it.
package actor AgentLink {
    /// What a link is connected to.
    package struct Surroundings: Sendable {
        /// Posts messages.
        package var exchange: any MessageExchange
        /// Keeps the connection.
        package var store: any ConnectionStore
        /// The reports to deliver; nil for a link that only connects.
        package var outbox: (any Outbox)?
        /// The clock.
        package var clock: AgentClock
        /// Told of everything that happens, in order, on the link's executor: must not block.
        package var observe: @Sendable (AgentNotice) -> Void

        /// Connects the parts.
        package init(
            exchange: any MessageExchange, store: any ConnectionStore, outbox: (any Outbox)? = nil,
            clock: AgentClock = .system(), observe: @escaping @Sendable (AgentNotice) -> Void = { _ in }
        ) {
            (self.exchange, self.store, self.outbox) = (exchange, store, outbox)
            (self.clock, self.observe) = (clock, observe)
        }
    }

    /// How an attempt to connect ended.
    package enum ConnectResult: Hashable, Sendable {
        /// The handshake is complete; the peer's DID.
        case connected(did: Text)
        /// The time is over; the last failure, or nil when messages got through but no good answer came. The attempt goes on
        /// when the service runs.
        case noAnswer(ExchangeFailure?)
        /// The peer has ended this connection.
        case ended
        /// The task was cancelled.
        case cancelled
    }

    /// The connection's own id.
    package nonisolated let id: Text
    /// The invitation that it answers.
    package nonisolated let invitation: Invitation
    /// Whether the peer had ended the connection before this link was made: it will never carry anything again.
    package nonisolated let wasEnded: Bool

    private let surroundings: Surroundings
    private var connection: AgentConnection
    /// Events that came out of actions or from outside and wait to be handled.
    private var inbox: [AgentConnection.Event] = []
    private var isStoreBroken = false
    private var lastFailure: ExchangeFailure?
    /// Sent reports that the outbox could not be told of yet.
    private var unmarked: [Text] = []
    /// No access to the outbox before this: it failed.
    private var outboxRetryAt: Instant?
    private var sleeper: Task<Void, Never>?
    private var isWoken = false

    /// A link for `connection`; nothing happens before it runs.
    package init(_ connection: consuming AgentConnection, _ surroundings: Surroundings) {
        id = connection.id
        invitation = connection.invitation
        wasEnded = connection.isEnded
        self.connection = connection
        self.surroundings = surroundings
    }

    /// Delivers reports until the task is cancelled or the peer ends the connection.
    package func run() async {
        await loop { $0.isEnded }
    }

    /// Runs until the handshake is complete, at most that long.
    package func connect(within limit: Duration) async -> ConnectResult {
        let end = surroundings.clock.now().advanced(by: limit)
        await loop(until: end) { $0.isComplete || $0.isEnded }
        if let peer = connection.peer, connection.isComplete { return .connected(did: peer.did) }
        if connection.isEnded { return .ended }
        return Task.isCancelled ? .cancelled : .noAnswer(lastFailure)
    }

    /// Something changed that the link waits for: a report was queued.
    package func wake() {
        isWoken = true
        sleeper?.cancel()
    }

    /// Do not wait for the next attempt: the network came back, or an operator asks.
    package func retryNow() async {
        outboxRetryAt = nil
        inbox.append(.retryNow)
        wake()
    }

    /// One event at a time: first what happened, then what is due, then the next report, then sleep.
    private func loop(
        until end: Instant? = nil, _ isDone: (borrowing AgentConnection) -> Bool
    ) async {
        inbox = [.start]
        while !Task.isCancelled {
            let now = surroundings.clock.now()
            if !inbox.isEmpty {
                await perform(connection.handle(inbox.removeFirst(), at: now))
            } else if isDone(connection) {
                return
            } else if let end, now >= end {
                return
            } else if let deadline = connection.deadline, deadline <= now {
                inbox.append(.deadlineReached)
            } else if connection.wantsReport, let report = await nextReport(at: now) {
                inbox.append(.deliver(report))
            } else {
                await sleep(until: [connection.deadline, outboxRetryAt, end].compactMap(\.self).min())
            }
        }
    }

    // MARK: - Actions

    private func perform(_ actions: [AgentConnection.Action]) async {
        let observe = surroundings.observe
        for action in actions {
            switch action {
            case .persist(let snapshot): await persist(snapshot)
            case .post(let id, let url, let body): await post(id, url, body)
            case .connected(let peer): observe(.connected(did: peer.did))
            case .handshakeRefused(let reason): observe(.handshakeRefused(reason: reason))
            case .reachability(let failure): observe(failure.map { .unreachable($0) } ?? .reachable)
            case .alive: observe(.alive)
            case .sent(let report):
                observe(.reportSent(report))
                unmarked.append(report)
            case .acknowledged(let ids): await acknowledged(ids)
            case .message(let id, let content): observe(.message(id: id, bytes: content.utf8.count))
            case .problem(let code, _): observe(.problem(code: code))
            case .discarded(let reason): observe(.discarded(reason))
            case .ended: observe(.ended)
            }
        }
    }

    private func persist(_ snapshot: JSON) async {
        do {
            try await surroundings.store.keepConnection(id, snapshot.compactBytes)
            isStoreBroken = false
        } catch {
            isStoreBroken = true
            surroundings.observe(.storeFailed("\(error)"))
        }
    }

    private func post(_ id: AgentConnection.ExchangeID, _ url: Text, _ body: [UInt8]) async {
        guard !isStoreBroken else {
            inbox.append(.failed(id, .notStored))
            return
        }
        do throws(ExchangeError) {
            let answer = try await surroundings.exchange.post(body, to: url.string)
            lastFailure = nil
            inbox.append(.answered(id, body: answer))
        } catch {
            let failure: ExchangeFailure =
                switch error {
                case .forbidden: .forbidden
                case .unreachable, .untrusted, .notAnAgent: .unreachable
                case .uncertain, .cancelled, .tooLarge: .uncertain
                case .refused(let status): .refused(status: status)
                }
            lastFailure = failure
            inbox.append(.failed(id, failure))
        }
    }

    // MARK: - Reports

    /// The next report, once the outbox knows of those that were sent: else it would offer them again.
    private func nextReport(at now: Instant) async -> OutboundReport? {
        guard let outbox = surroundings.outbox, outboxRetryAt.map({ now >= $0 }) ?? true else { return nil }
        do {
            if !unmarked.isEmpty {
                try await outbox.reportsSent(unmarked)
                unmarked = []
            }
            outboxRetryAt = nil
            return try await outbox.nextReport()
        } catch {
            outboxFailed(error)
            return nil
        }
    }

    private func acknowledged(_ ids: [Text]) async {
        surroundings.observe(.acknowledged(ids))
        do {
            try await surroundings.outbox?.reportsAcknowledged(ids)
        } catch {
            outboxFailed(error)
        }
    }

    private func outboxFailed(_ error: any Error) {
        surroundings.observe(.storeFailed("\(error)"))
        outboxRetryAt = surroundings.clock.now().advanced(by: .seconds(5))
    }

    // MARK: - Waiting

    private func sleep(until deadline: Instant?) async {
        guard !isWoken else {
            isWoken = false
            return
        }
        let clock = surroundings.clock
        let until = deadline ?? clock.now().advanced(by: .seconds(3600))
        let sleeper = Task { await clock.sleep(until) }
        self.sleeper = sleeper
        await withTaskCancellationHandler {
            await sleeper.value
        } onCancel: {
            sleeper.cancel()
        }
        self.sleeper = nil
        isWoken = false
    }
}
