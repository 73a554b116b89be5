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
        /// The clock.
        package var clock: AgentClock
        /// Told of everything that happens, in order, on the link's executor: must not block.
        package var observe: @Sendable (AgentNotice) -> Void

        /// Connects the parts.
        package init(
            exchange: any MessageExchange, store: any ConnectionStore,
            destination: Text = DeliveryCursor.primary, outbox: (any Outbox)? = nil, clock: AgentClock = .system(),
            observe: @escaping @Sendable (AgentNotice) -> Void = { _ in }
        ) {
            (self.exchange, self.store, self.destination, self.outbox) = (exchange, store, destination, outbox)
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
    /// What is on its way to the destination; nil before the connection is the way there.
    private var window: AliveWindow?
    /// Entries that were read and not handed out yet.
    private var read = OutboxEntries(ledger: "", entries: [])
    /// Confirmed, but not durably yet.
    private var unkept: Int?
    private var isRetired = false
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

    /// Delivers until the task is cancelled, the peer ends the connection or another one has taken its place.
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

    /// Stores the connection before it does anything.
    package func keep() async throws {
        try await surroundings.store.keepConnection(
            id, to: surroundings.destination, connection.snapshot.compactBytes, handled: [])
    }

    /// Something changed that the link waits for: something was recorded, or another connection is the way now.
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
        while !Task.isCancelled, !isRetired, !isDone(connection) {
            let now = surroundings.clock.now()
            // A peer that always has something to say must not keep the end from being seen.
            if let end, now >= end { break }
            if !inbox.isEmpty {
                await perform(connection.handle(inbox.removeFirst(), at: now))
            } else if let deadline = connection.deadline, deadline <= now {
                inbox.append(.deadlineReached)
            } else if connection.isComplete, connection.wantsMessage, let event = await nextDelivery(at: now) {
                inbox.append(event)
            } else if !isRetired {
                let deadlines = [connection.deadline, window?.deadline, outboxRetryAt, end]
                await sleep(until: deadlines.compactMap(\.self).min())
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
            case .reachability(let failure): observe(failure.map { .unreachable($0) } ?? .reachable)
            case .alive:
                observe(.alive)
                if let position = window?.answered() { await confirm(upTo: position) }
            case .sent, .pinged, .answered: break
            case .refused(let id, let status): observe(.refused(id, status: status))
            case .acknowledged(let ids): observe(.acknowledged(ids))
            case .message(let id, let content): observe(.message(id: id, bytes: content.utf8.count))
            case .problem(let code, _): observe(.problem(code: code))
            case .discarded(let reason): observe(.discarded(reason))
            case .ended: observe(.ended)
            }
        }
    }

    private func persist(_ snapshot: JSON, handled: [[UInt8]]) async {
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

    // MARK: - Delivery

    /// The next report, or a ping that asks whether those before it arrived.
    private func nextDelivery(at now: Instant) async -> AgentConnection.Event? {
        guard let outbox = surroundings.outbox, outboxRetryAt.map({ now >= $0 }) ?? true else { return nil }
        do {
            guard var window = try await begin(outbox) else {
                retire()
                return nil
            }
            if let unkept { await confirm(upTo: unkept) }
            outboxRetryAt = nil
            defer { self.window = window }
            while window.isOpen {
                if read.entries.isEmpty {
                    guard let next = try await outbox.entries(after: window.position, limit: 1, over: id) else {
                        retire()
                        return nil
                    }
                    read = next
                }
                guard !read.entries.isEmpty else { break }
                let entry = read.entries.removeFirst()
                let report = Report.json(of: entry, in: read.ledger)
                window.hand(out: entry, isReport: report != nil)
                guard let report, let id = report["id"]?.string, let time = report["time"]?.string else { continue }
                return .deliver(.basicMessage(id: id, content: Text(report.compactText), time: time))
            }
            let wasSilent = window.isSilent
            let wantsPing = window.wantsPing(isIdle: read.entries.isEmpty, at: now)
            if window.isSilent, !wasSilent {
                read.entries = []
                surroundings.observe(.silent)
            }
            return wantsPing ? .ping : nil
        } catch {
            outboxFailed(error)
            return nil
        }
    }

    /// Makes this connection the way to its destination; nil when a newer one is.
    private func begin(_ outbox: any Outbox) async throws -> AliveWindow? {
        if let window { return window }
        guard let position = try await outbox.takeOver(by: id) else { return nil }
        surroundings.observe(.tookOver(position: position))
        return AliveWindow(confirmed: position)
    }

    private func retire() {
        isRetired = true
        surroundings.observe(.retired)
    }

    private func confirm(upTo position: Int) async {
        do {
            unkept = position
            try await surroundings.outbox?.confirm(upTo: position, over: id, handled: connection.takeSeen())
            unkept = nil
            surroundings.observe(.confirmed(position: position))
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
