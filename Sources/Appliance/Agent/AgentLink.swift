package import Aries
package import Encoding
package import HTTPTransport
import Ledger

/// Drives one ``AgentConnection``: carries out its actions, feeds it what its destination is to get and wakes it at its deadlines.
///
/// One task calls ``run()`` or ``connect(within:)``; both return soon after that task is cancelled and throw nothing for it.
package actor AgentLink {
    /// What a link is connected to.
    package struct Surroundings: Sendable {
        /// Posts messages.
        package var exchange: any MessageExchange
        /// Keeps the connection.
        package var store: any ConnectionStore
        /// The name of the destination that the connection leads to.
        package var destination: Text
        /// What the destination is to get; nil for a link that only connects.
        package var outbox: (any Outbox)?
        /// How it gets that.
        package var reports: ReportSettings
        /// The clock.
        package var clock: AgentClock
        /// Told of everything that happens, in order, on the link's executor: must not block.
        package var observe: @Sendable (AgentNotice) -> Void

        /// Connects the parts.
        package init(
            exchange: any MessageExchange, store: any ConnectionStore,
            destination: Text = DeliveryCursor.primary, outbox: (any Outbox)? = nil,
            reports: ReportSettings = ReportSettings(), clock: AgentClock = .system(),
            observe: @escaping @Sendable (AgentNotice) -> Void = { _ in }
        ) {
            (self.exchange, self.store, self.destination, self.outbox) = (exchange, store, destination, outbox)
            (self.reports, self.clock, self.observe) = (reports, clock, observe)
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

    /// What it knows beside its stored state.
    package nonisolated let notes = LinkNotes()

    private let surroundings: Surroundings
    private var connection: AgentConnection
    /// Events that came out of actions or from outside and wait to be handled.
    private var inbox: [AgentConnection.Event] = []
    private var isStoreBroken = false
    private var lastFailure: ExchangeFailure?
    /// What goes to the destination, and how; nil before the connection is the way there.
    private var delivery: ReportDelivery?
    /// What has happened that the delivery does not know of yet.
    private var events: [ReportDelivery.Event] = []
    /// What the delivery wants to be sent next.
    private var next: OutboundMessage?
    /// Confirmed, but not durably yet.
    private var unkept: (point: ReportPoint, isReceipt: Bool)?
    /// The ledger may have grown.
    private var hasGrown = false
    private var isRetired = false
    private var isRunning = false
    /// Who waits to hear whether this connection will do, by invitation.
    private var asked: [Text: CheckedContinuation<Bool, Never>] = [:]
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
        var surroundings = surroundings
        surroundings.observe = { [notes, observe = surroundings.observe] notice in
            notes.take(notice)
            observe(notice)
        }
        self.surroundings = surroundings
    }

    /// Delivers until the task is cancelled, the peer ends the connection or another one has taken its place.
    package func run() async {
        isRunning = true
        await loop { $0.isEnded }
        isRunning = false
        for asked in asked.values { asked.resume(returning: false) }
        asked = [:]
    }

    /// Whether the handshake is complete and nobody has ended the connection.
    package var isConnected: Bool { connection.isComplete && !connection.isEnded && !isRetired }

    /// Asks the inviter of `invitation` whether this connection will do; false when nobody said so in the time that it may take,
    /// 45 s, or when the link does not run.
    package func reuse(_ invitation: Invitation) async -> Bool {
        guard isRunning, asked[invitation.id] == nil else { return false }
        inbox.append(.reuse(invitation))
        return await withCheckedContinuation { continuation in
            asked[invitation.id] = continuation
            wake()
        }
    }

    /// Answers the requests that are attached to `invitation`.
    package func answer(_ invitation: Invitation) {
        inbox.append(.answer(invitation))
        wake()
    }

    /// Runs until the handshake is complete, at most that long.
    package func connect(within limit: Duration) async -> ConnectResult {
        let end = surroundings.clock.now().advanced(by: limit)
        await loop(until: end) { $0.isComplete || $0.isEnded }
        if let peer = connection.peer, connection.isComplete { return .connected(did: peer.did) }
        if connection.isEnded { return .ended }
        return Task.isCancelled ? .cancelled : .noAnswer(lastFailure)
    }

    /// Stores the connection before it does anything.
    package func keep() async throws {
        try await surroundings.store.keepConnection(
            id, to: surroundings.destination, connection.snapshot.compactBytes, handled: [])
    }

    /// Something changed that the link waits for: something was recorded, or another connection is the way now.
    package func wake() {
        (isWoken, hasGrown) = (true, true)
        sleeper?.cancel()
    }

    /// Do not wait for the next attempt: the network came back, or an operator asks.
    package func retryNow() async {
        outboxRetryAt = nil
        inbox.append(.retryNow)
        events.append(.retryNow)
        wake()
    }

    /// Pings the peer, once it is connected.
    package func ping() async {
        inbox.append(.ping)
        await retryNow()
    }

    /// Ends for good: nothing of it is sent or stored any more.
    package func stop() {
        isRetired = true
        wake()
    }

    /// Tells the peer of a problem of the box, once it is connected.
    package func tell(code: Text, explanation: Text) {
        inbox.append(.tell(code: code, explanation: explanation))
        wake()
    }

    /// One event at a time: first what happened, then what is due, then the next report, then sleep.
    private func loop(
        until end: Instant? = nil, _ isDone: (borrowing AgentConnection) -> Bool
    ) async {
        inbox = [.start]
        while !Task.isCancelled, !isRetired, !isDone(connection) {
            let now = surroundings.clock.now()
            // A peer that always has something to say must not keep the end from being seen.
            if let end, now >= end { break }
            if !inbox.isEmpty {
                await perform(connection.handle(inbox.removeFirst(), at: now))
            } else if let deadline = connection.deadline, deadline <= now {
                inbox.append(.deadlineReached)
            } else if await !deliver(at: now), !isRetired {
                await sleep(
                    until: [connection.deadline, delivery?.deadline, outboxRetryAt, end].compactMap(\.self).min())
            }
        }
    }

    // MARK: - Actions

    private func perform(_ actions: [AgentConnection.Action]) async {
        let observe = surroundings.observe
        for action in actions {
            switch action {
            case .persist(let snapshot): await persist(snapshot, handled: connection.takeSeen())
            case .post(let id, let url, let body): await post(id, url, body)
            case .connected(let peer): observe(.connected(did: peer.did))
            case .handshakeRefused(let reason): observe(.handshakeRefused(reason: reason))
            case .unanswered: observe(.unanswered)
            case .reachability(let failure): observe(failure.map { .unreachable($0) } ?? .reachable)
            case .alive(let ping):
                observe(.alive)
                events.append(.pong(ping))
            case .sent(let id): events.append(.sent(id))
            case .pinged(let id): events.append(.pinged(id))
            case .refused(let id, let status):
                observe(.refused(id, status: status))
                events.append(.failed(id, .refused(status: status)))
            case .answered(.receipt(let point)): events.append(.receipt(point))
            case .answered(.head(let point)): events.append(.head(point))
            case .disclosed(let protocols): events.append(.disclosed(protocols))
            case .acknowledged(let ids):
                observe(.acknowledged(ids))
                events.append(.acknowledged(ids))
            case .message(let id, let content): observe(.message(id: id, bytes: content.utf8.count))
            case .problem(let code, let thread):
                observe(.problem(code: code))
                events.append(.problem(code: code, thread: thread))
            case .discarded(let reason): observe(.discarded(reason))
            case .reused(let invitation): asked.removeValue(forKey: invitation)?.resume(returning: true)
            case .reuseFailed(let invitation): asked.removeValue(forKey: invitation)?.resume(returning: false)
            case .rotated: observe(.rotated)
            case .needsAddress, .fetch, .mailbox: break
            case .ended: observe(.ended)
            }
        }
    }

    private func persist(_ snapshot: JSON, handled: [[UInt8]]) async {
        guard !isRetired else { return }
        do {
            try await surroundings.store.keepConnection(
                id, to: surroundings.destination, snapshot.compactBytes, handled: handled)
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
            lastFailure = error.failure
            inbox.append(.failed(id, error.failure))
        }
    }

    // MARK: - Delivery

    /// Carries on what goes to the destination; false when there is nothing to do now.
    private func deliver(at now: Instant) async -> Bool {
        guard let outbox = surroundings.outbox, connection.isComplete, outboxRetryAt.map({ now >= $0 }) ?? true else {
            return false
        }
        do {
            outboxRetryAt = nil
            guard try await begin(outbox, at: now) else { return true }
            if let unkept { try await keep(unkept.point, unkept.isReceipt, outbox) }
            if hasGrown {
                hasGrown = false
                guard let (end, isUrgent) = try await outbox.end(after: delivery?.end.position ?? 0, over: id) else {
                    retire()
                    return true
                }
                events.append(.available(end: end, isUrgent: isUrgent))
            }
            if events.isEmpty, let deadline = delivery?.deadline, deadline <= now { events.append(.deadlineReached) }
            if !events.isEmpty {
                let event = events.removeFirst()
                for action in delivery?.handle(event, at: now) ?? [] { await perform(action, outbox) }
                return true
            }
        } catch {
            outboxFailed(error)
            return false
        }
        guard connection.wantsMessage, let message = next.take() else { return false }
        inbox.append(.deliver(message))
        return true
    }

    /// Makes this connection the way to its destination, unless a newer one is.
    private func begin(_ outbox: any Outbox, at now: Instant) async throws -> Bool {
        guard delivery == nil else { return true }
        guard let state = try await outbox.takeOver(by: id) else {
            retire()
            return false
        }
        surroundings.observe(.tookOver(position: state.confirmed))
        delivery = ReportDelivery(
            surroundings.reports, end: state.end, confirmed: state.confirmed, receipt: state.receipt)
        events = [.connected]
        return true
    }

    /// Does what the delivery wants. What the store refuses now is told and tried again.
    private func perform(_ action: ReportDelivery.Action, _ outbox: any Outbox) async {
        let observe = surroundings.observe
        switch action {
        case .read(let position, let limit, let bytes, let reports):
            do {
                let entries = try await outbox.entries(
                    after: position, limit: limit, bytes: bytes, reports: reports, over: id)
                guard let entries else { return retire() }
                events.append(.entries(entries))
            } catch {
                outboxFailed(error)
                events.append(.entries([]))
            }
        case .look(let position):
            do {
                events.append(.hash(try await outbox.hash(at: position), at: position))
            } catch {
                outboxFailed(error)
                events.append(.hash(nil, at: position))
            }
        case .send(let message): next = message
        case .ping: inbox.append(.ping)
        case .confirmed(let point, let proof):
            unkept = (point, proof == .receipt)
            do {
                try await keep(point, proof == .receipt, outbox)
            } catch {
                outboxFailed(error)
            }
        case .setAside(let position): observe(.setAside(position: position))
        case .found(let way): observe(.found(way))
        case .silent: observe(.silent)
        case .heard: observe(.heard)
        case .held(let reason): observe(.held(reason))
        case .released: observe(.released)
        case .behind(let point): observe(.behind(point))
        case .discarded(let error): observe(.refusedAnswer(error))
        }
    }

    private func keep(_ point: ReportPoint, _ isReceipt: Bool, _ outbox: any Outbox) async throws {
        try await outbox.confirm(point, isReceipt: isReceipt, over: id, handled: connection.takeSeen())
        unkept = nil
        surroundings.observe(.confirmed(position: point.position))
    }

    private func retire() {
        isRetired = true
        surroundings.observe(.retired)
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
