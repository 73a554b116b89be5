import Aries
import Clocks
import DIDComm
import Encoding
import HTTPTransport
import Mailboxes

/// Drives one mailbox: carries out its actions, passes the requests of connections to it, and reports its events.
///
/// One task calls ``run()``, which returns soon after that task is cancelled or ``stop()`` was called.
actor MailboxLink<Value: Mailbox & ~Copyable>: RunningMailbox {
    nonisolated let id: Text
    private let dependencies: MailboxDependencies
    fileprivate var mailbox: Value
    private var inbox: [MailboxEvent] = []
    private var isStoreBroken = false
    private var isStopped = false
    /// Whether the state of the mailbox is being stored now.
    private var isStoring = false
    /// The callers of ``stop()`` that wait until the state is stored.
    private var storing: [CheckedContinuation<Void, Never>] = []
    private let nap = Wakeup()
    /// The post in progress; nil if there is none. Deadlines of the mailbox are handled meanwhile.
    private var posting: Task<Void, Never>?

    /// Creates a link for `mailbox`. `connections`: the connections for which the mailbox accepts messages from the
    /// start.
    init(
        _ mailbox: consuming Value, id: Text, connections: [(id: Text, key: KeyPair)],
        _ dependencies: MailboxDependencies
    ) {
        (self.id, self.dependencies) = (id, dependencies)
        inbox = connections.map { .open(connection: $0.id, key: $0.key) }
        self.mailbox = mailbox
    }

    func run() async {
        inbox.insert(.start, at: 0)
        while !Task.isCancelled, !isStopped {
            let now = dependencies.clock.now()
            if !inbox.isEmpty {
                await perform(mailbox.handle(inbox.removeFirst(), at: now))
            } else if let deadline = mailbox.deadline, deadline <= now {
                inbox.append(.deadlineReached)
            } else {
                await nap.sleep(until: mailbox.deadline, dependencies.clock)
            }
        }
        posting?.cancel()
        await posting?.value
    }

    func take(_ event: MailboxEvent) {
        inbox.append(event)
        nap.end()
    }

    func stop() async {
        isStopped = true
        nap.end()
        // The caller next stores another state under this id. Wait for a write in progress, so that it does not
        // overwrite that state.
        if isStoring { await withCheckedContinuation { storing.append($0) } }
    }

    private func perform(_ actions: [MailboxAction]) async {
        for action in actions where !isStopped {
            switch action {
            case .persist(let snapshot): await persist(snapshot)
            case .post(let exchange, let url, let body): post(exchange, url, body)
            case .get(let exchange, let url): post(exchange, url, nil)
            case .address(let address, let name): await dependencies.tell(.address(address, for: name))
            case .failed(let failure, let name): await dependencies.tell(.failed(failure, for: name))
            case .closed(let name, let isComplete):
                await dependencies.tell(.closed(connection: name, isComplete: isComplete))
            case .messages(let messages): await dependencies.tell(.messages(messages))
            case .reachability(let failure): await dependencies.tell(.reachability(failure))
            }
        }
    }

    private func persist(_ snapshot: JSON) async {
        isStoring = true
        let failure: String?
        do {
            try await dependencies.store.keepConnection(
                id, to: MailboxManagerCore.destination, snapshot.compactBytes, handled: [])
            failure = nil
        } catch {
            failure = "\(error)"
        }
        isStoring = false
        for waiting in storing { waiting.resume() }
        storing = []
        let wasStoreBroken = isStoreBroken
        isStoreBroken = failure != nil
        if let failure {
            await dependencies.tell(.storeFailed(failure))
        } else if wasStoreBroken {
            await dependencies.tell(.stored)
        }
    }

    private func post(_ id: AgentConnection.ExchangeID, _ url: Text, _ body: [UInt8]?) {
        guard !isStoreBroken else { return inbox.append(.failed(id, .notStored)) }
        // A mailbox posts again only after it has ended the wait for the previous post. Cancel that post.
        posting?.cancel()
        posting = dependencies.spawner.start("the post of a mailbox") { await self.exchange(id, url, body) }
    }

    private func exchange(_ id: AgentConnection.ExchangeID, _ url: Text, _ body: [UInt8]?) async {
        do throws(ExchangeError) {
            let answer = try await dependencies.exchange.exchange(body, with: url.string, as: mailbox.mediaType.string)
            take(
                (200...299).contains(answer.status)
                    ? .answered(id, body: answer.body)
                    : .rejected(id, status: answer.status, body: Array(answer.body.prefix(16 * 1024))))
        } catch {
            take(.failed(id, error.failure))
        }
    }
}

extension MailboxLink where Value == AgencyMailbox {
    /// The long poll with which the agency is asked for new messages; nil if the gate has no agent there yet, or if
    /// the agency has no long polls.
    var longPoll: AgencyLongPoll? { mailbox.longPoll }
}

/// A running mailbox of any kind.
protocol RunningMailbox: Sendable {
    /// Runs until the task is cancelled or ``stop()`` is called.
    func run() async
    /// Passes an event to the mailbox.
    func take(_ event: MailboxEvent) async
    /// Ends the mailbox permanently: it posts and stores nothing more.
    func stop() async
}

/// The parts that a mailbox uses.
struct MailboxDependencies: Sendable {
    /// Posts messages to the mailbox's server.
    var exchange: any MessageExchange
    /// Stores the mailbox and its keys.
    var store: any ConnectionStore
    var clock: Clock
    /// Starts a task for each post.
    var spawner: Spawner
    /// Receives the events of the mailbox, one at a time.
    var tell: @Sendable (MailboxNews) async -> Void
}
